/** If the loop that works begins no other pass within this time, another one does. */
const HELP_AFTER_MS = 10;
/** What a lost wake-up would have found is found after this time. */
const SWEEP_MS = 1_000;

/** The sleep of loops that look for the same work. */
export interface Waking {
  /** Call it before each pass, which looks for work. Wake-ups after it end the next sleep at once. */
  beginPass(): number;
  /** Sleeps until woken, unless there was a wake-up since the pass began; also ends with the sweep or the signal. */
  sleep(pass: number, stop: AbortSignal): Promise<void>;
  /**
   * Signals that there is work. One loop wakes up if all sleep. Otherwise the one that works is left the time to end its
   * batch: two that look for the same would both pay for it. `isLocal`: no other process was told.
   */
  wakeUp(options?: { isLocal: boolean }): void;
  /** Returns whether no other process was told of some work since the last call. */
  consumeLocalWakeUp(): boolean;
  /** Wakes one loop. Returns false if none sleeps. */
  wakeOne(): boolean;
  wakeAll(): void;
}

/** Creates the sleep of `loops` loops. */
export function createWaking(loops: number): Waking {
  const sleepers = new Set<() => void>();
  let wakeUps = 0;
  let lastPass = 0;
  let isHelpComing = false;
  let isLocalOnly = false;

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
      if (lastPass < wakeUps) wakeOne();
    }, HELP_AFTER_MS);
  };

  return {
    beginPass: () => (lastPass = wakeUps),
    async sleep(pass, stop) {
      if (pass < wakeUps || stop.aborted) return;
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
    wakeUp({ isLocal } = { isLocal: false }) {
      wakeUps++;
      isLocalOnly ||= isLocal;
      if (sleepers.size === loops) wakeOne();
      else helpLater();
    },
    consumeLocalWakeUp() {
      const wasLocalOnly = isLocalOnly;
      isLocalOnly = false;
      return wasLocalOnly;
    },
    wakeOne,
    wakeAll() {
      for (const wake of sleepers) wake();
    },
  };
}
