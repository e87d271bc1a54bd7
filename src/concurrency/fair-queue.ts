export interface FairQueue {
  /** Runs the work when it is the org's turn. Settles as the work does. */
  run<Result>(orgId: string, work: () => Promise<Result>): Promise<Result>;
}

/** Runs one piece of work at a time. Orgs alternate: work waits for what is running and for one of each other org. */
export function createFairQueue(): FairQueue {
  const waiting = new Map<string, (() => Promise<unknown>)[]>();
  let isBusy = false;

  const runAll = async () => {
    isBusy = true;
    for (let [first] = waiting; first !== undefined; [first] = waiting) {
      const [orgId, queue] = first;
      const next = queue.shift();
      waiting.delete(orgId);
      if (queue.length > 0) waiting.set(orgId, queue); // after all other orgs
      await next?.();
    }
    isBusy = false;
  };

  return {
    run: (orgId, work) =>
      new Promise((resolve, reject) => {
        const queue = waiting.get(orgId) ?? [];
        queue.push(() => work().then(resolve, reject));
        waiting.set(orgId, queue);
        if (!isBusy) void runAll();
      }),
  };
}
