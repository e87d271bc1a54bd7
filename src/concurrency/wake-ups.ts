/** Sleepers of a process, each waiting for news about one topic. */
export interface WakeUps {
  /** Resolves when the topic is named in a hint, after `ms`, or when the signal aborts. */
  sleep(topic: string, ms: number, signal?: AbortSignal): Promise<void>;
  /** Wakes those who wait for the topics in the hints, or all of them if there are none. */
  wake(hints: string): void;
}

/** Creates the sleepers of a process. All wake when it begins to close. */
export function createWakeUps(closing: AbortSignal): WakeUps {
  const waiting = new Map<string, Set<() => void>>();
  const wake = (hints: string) => {
    const topics = hints === '' ? [...waiting.keys()] : hints.split(/[ /]/);
    for (const topic of topics) for (const wakeOne of [...(waiting.get(topic) ?? [])]) wakeOne();
  };
  closing.addEventListener('abort', () => wake(''));
  return {
    wake,
    sleep: (topic, ms, signal) =>
      new Promise((resolve) => {
        const sleepers = waiting.get(topic) ?? new Set();
        waiting.set(topic, sleepers);
        const wakeOne = () => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', wakeOne);
          sleepers.delete(wakeOne);
          if (sleepers.size === 0 && waiting.get(topic) === sleepers) waiting.delete(topic);
          resolve();
        };
        const timer = setTimeout(wakeOne, ms);
        sleepers.add(wakeOne);
        signal?.addEventListener('abort', wakeOne);
        if (signal?.aborted) wakeOne();
      }),
  };
}
