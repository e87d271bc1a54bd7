/** If the loop that works does not look again within this time, another one does. */
const HELP_AFTER_MS = 10;
/** What a lost wake-up would have found is found after this time. */
const SWEEP_MS = 1_000;

/** The sleep of loops that look for the same work. */
export interface Waking {
  /** Call it before each look for work. Wake-ups after it end the next sleep at once. */
  look(): number;
  /** Sleeps until woken, unless something was to be done since the look; also ends with the sweep or the signal. */
  sleep(look: number, stop: AbortSignal): Promise<void>;
  /**
   * Says that there is work. One loop wakes up if all sleep. Otherwise the one that works is left the time to end its
   * batch: two that look for the same would both pay for it. `isHere`: no other process was told.
   */
  wakeUp(isHere?: boolean): void;
  /** Whether no other process was told of some work since the last call. */
  wasWokenHere(): boolean;
  /** Wakes one loop. Returns false if none sleeps. */
  wakeOne(): boolean;
  wakeAll(): void;
}

/** Creates the sleep of `loops` loops. */
export function createWaking(loops: number): Waking {
  const sleepers = new Set<() => void>();
  let wakeUps = 0;
  let looked = 0;
  let isHelpComing = false;
  let isToldHere = false;

  const wakeOne = () => {
    const [wake] = sleepers;
    wake?.();
    return wake !== undefined;
  };

  const helpLater = () => {
    if (isHelpComing) return;
    isHelpComing = true;
    setTimeout(() => {
      isHelpComing = false;
      if (looked < wakeUps) wakeOne();
    }, HELP_AFTER_MS);
  };

  return {
    look: () => (looked = wakeUps),
    async sleep(look, stop) {
      if (look < wakeUps || stop.aborted) return;
      await new Promise<void>((resolve) => {
        const wake = () => {
          clearTimeout(timer);
          sleepers.delete(wake);
          resolve();
        };
        const timer = setTimeout(wake, SWEEP_MS);
        sleepers.add(wake);
      });
    },
    wakeUp(isHere = false) {
      wakeUps++;
      isToldHere ||= isHere;
      if (sleepers.size === loops) wakeOne();
      else helpLater();
    },
    wasWokenHere() {
      const was = isToldHere;
      isToldHere = false;
      return was;
    },
    wakeOne,
    wakeAll() {
      for (const wake of sleepers) wake();
    },
  };
}
