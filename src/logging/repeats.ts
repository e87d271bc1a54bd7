const WINDOW_MS = 60_000;

/** Writes a line. `repeated` is how often it was held back since the line before it. */
type Write = (repeated: number) => void;

export interface RepeatLimit {
  /** Writes the first line of a key at once. Others of the same minute are counted, and one line has their number. */
  write(key: string, write: Write): void;
  /** Writes what was only counted so far. */
  flush(): void;
}

/** Creates a limit for lines that say the same again and again while something is away. */
export function createRepeatLimit(windowMs = WINDOW_MS): RepeatLimit {
  const windows = new Map<string, { repeated: number; write: Write }>();

  const open = (key: string, write: Write) => {
    windows.set(key, { repeated: 0, write });
    setTimeout(() => end(key), windowMs).unref();
  };

  const end = (key: string) => {
    const window = windows.get(key);
    windows.delete(key);
    if (window === undefined || window.repeated === 0) return;
    window.write(window.repeated);
    open(key, window.write);
  };

  return {
    write(key, write) {
      const window = windows.get(key);
      if (window === undefined) {
        write(0);
        open(key, write);
        return;
      }
      window.repeated++;
      window.write = write;
    },
    flush() {
      for (const { repeated, write } of windows.values()) if (repeated > 0) write(repeated);
      windows.clear();
    },
  };
}
