/** A message on its way, with the uuid under which the server stores it once. */
export interface Outgoing {
  uuid: string;
  text: string;
  files: { name: string; type: string; size: number; url: string }[];
  at: string;
  /** Why the server does not take it. */
  error?: string;
}

/** What the browser remembers of a visitor. */
export interface Memory {
  visitor?: string;
  session?: string;
  queue: Outgoing[];
  draft?: string;
  /** What the visitor said about confirmations, by id. */
  decided: Record<string, 'confirm' | 'reject'>;
}

const EMPTY: Memory = { queue: [], decided: {} };

/**
 * Returns the memory of a widget token, shared by all tabs of the site. Nothing is stored before `begin`, which the first
 * message calls. A browser without storage remembers until the page is left.
 */
export function createStorage(token: string) {
  const key = `switchboard:${token}`;
  let memory = read(key);
  let isStored = memory !== undefined;
  let own: Memory = { ...EMPTY };
  return {
    get(): Memory {
      if (!isStored) return own;
      memory = read(key) ?? own;
      return memory;
    },
    set(change: Partial<Memory>): void {
      own = { ...this.get(), ...change };
      if (isStored) write(key, own);
    },
    begin(): void {
      if (isStored) return;
      isStored = true;
      write(key, own);
    },
    isStored: () => isStored,
  };
}
export type Storage = ReturnType<typeof createStorage>;

function read(key: string): Memory | undefined {
  try {
    const text = localStorage.getItem(key);
    return text === null ? undefined : { ...EMPTY, ...JSON.parse(text) };
  } catch {
    return undefined;
  }
}

function write(key: string, memory: Memory): void {
  try {
    localStorage.setItem(key, JSON.stringify(memory));
  } catch {
    // A browser without storage, or a full one: the page remembers.
  }
}
