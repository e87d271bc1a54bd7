/** A message on its way, with the uuid under which the server stores it once. */
export interface Outgoing {
  uuid: string;
  text: string;
  files: { name: string; type: string; size: number; url: string }[];
  at: string;
  /** Why the server does not take it. */
  error?: string;
}

/** What the browser remembers of a visitor or a user. */
export interface Memory {
  visitor?: string;
  session?: string;
  queue: Outgoing[];
  draft?: string;
  /** What the visitor said about confirmations, by id. */
  decided: Record<string, 'confirm' | 'reject'>;
}

const EMPTY: Memory = { queue: [], decided: {} };
const MAX_USERS = 10;
/** A user's token is valid for as long. */
const MAX_AGE_MS = 30 * 24 * 3_600_000;

/** Returns the name of what an anonymous visitor or a user stores, locks and hears in a browser. */
export const nameOf = (token: string, user: string | undefined): string =>
  user === undefined ? `switchboard:${token}` : `switchboard:${token}:${user}`;

const waitingOf = (name: string): string => `${name}:waiting`;
const draftOf = (name: string): string => `${name}:draft`;

/** What waits, and when it was changed last. */
interface Waiting {
  queue: Outgoing[];
  at: number;
}

/**
 * Returns the memory with a name, shared by all tabs of the site: each reading sees what other tabs have written. Nothing
 * is stored before `begin`, which the first message or file calls. A browser without storage remembers until the page is left.
 */
export function createStorage(name: string) {
  let own: Memory = EMPTY;
  let isBegun = false;
  let isRefused = false;
  const isStored = () => isBegun || read(waitingOf(name)) !== undefined || read(name) !== undefined;
  const get = (): Memory => {
    if (isRefused || !isStored()) return own;
    const queue = read<Waiting>(waitingOf(name))?.queue ?? [];
    return { ...EMPTY, ...read<Memory>(name), queue, draft: read<string>(draftOf(name)) };
  };
  /**
   * The queue and the draft have places of their own. A tab may not see at once what another one has stored, and what the
   * visitor writes must not replace who they are.
   */
  const store = ({ queue, draft, ...identity }: Partial<Memory>): void => {
    if (draft !== undefined) write(draftOf(name), draft);
    const isIdentity = Object.keys(identity).length > 0;
    isRefused ||=
      (queue !== undefined && !write(waitingOf(name), { queue, at: Date.now() } satisfies Waiting)) ||
      (isIdentity && !write(name, { ...own, queue: undefined, draft: undefined }));
  };
  return {
    name,
    get,
    isStored,
    set(change: Partial<Memory>): void {
      own = { ...get(), ...change };
      if (isStored()) store(change);
    },
    begin(): void {
      const { queue, draft, session } = own;
      if (!isStored()) store({ queue, draft, ...(session !== undefined && { session }) });
      isBegun = true;
    },
  };
}
export type Storage = ReturnType<typeof createStorage>;

/**
 * Gives what an anonymous visitor has typed to the user who they turn out to be. Returns whether it joins what the user had
 * typed before.
 */
export function moveDraft(from: Storage, to: Storage): boolean {
  const { draft } = from.get();
  if (!draft) return false;
  if (from.isStored()) to.begin();
  const { draft: own } = to.get();
  const joins = Boolean(own) && own !== draft;
  to.set({ draft: joins ? `${own}\n${draft}` : draft });
  from.set({ draft: '' });
  return joins;
}

/** Gives what an anonymous visitor has not sent to the user who they turn out to be. Returns the messages. */
export function moveQueue(from: Storage, to: Storage): Outgoing[] {
  const { queue } = from.get();
  if (queue.length === 0) return [];
  to.begin();
  to.set({ queue: [...to.get().queue, ...queue] });
  from.set({ queue: [] });
  return queue;
}

/** Deletes what the browser remembers of users who were here long ago, or before many others. */
export function deleteOldMemories(token: string): void {
  const prefix = nameOf(token, '');
  try {
    const memories = Object.keys(localStorage)
      .filter((key) => key.endsWith(waitingOf('')))
      .map((key) => ({ name: key.slice(0, -waitingOf('').length), at: read<Waiting>(key)?.at ?? 0 }))
      .filter(({ name }) => name.startsWith(prefix));
    for (const [index, { name, at }] of memories.sort((one, other) => other.at - one.at).entries()) {
      if (index < MAX_USERS && at > Date.now() - MAX_AGE_MS) continue;
      for (const key of [name, waitingOf(name), draftOf(name)]) localStorage.removeItem(key);
    }
  } catch {
    // A browser without storage remembers nobody.
  }
}

function read<Value>(key: string): Value | undefined {
  try {
    return JSON.parse(localStorage.getItem(key) ?? '') as Value;
  } catch {
    return undefined;
  }
}

/** Returns whether the value is stored now. */
function write(key: string, value: unknown): boolean {
  try {
    localStorage.setItem(key, JSON.stringify(value));
    return true;
  } catch {
    return false; // A browser without storage, or a full one: the page remembers.
  }
}
