import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { ApiError, api, dataOf, type Schemas } from '../../../api/client';

type Kind = Schemas['Draft']['kind'];
type Content = Pick<Schemas['Draft'], 'text' | 'attachments'>;

export interface Draft extends Content {
  kind: Kind;
}

export interface Entry extends Content {
  /** `changed`: the server has another one, which `theirs` is. Nothing is stored until the member has chosen. */
  state: 'stored' | 'waiting' | 'failed' | 'changed';
  /** When the server's draft that this one continues was updated. null: there is none. */
  storedAt: string | null;
  theirs?: Schemas['Draft'] | undefined;
  /** Why it is not stored, as the API says it. */
  problem?: string | undefined;
}

interface Drafts extends Record<Kind, Entry> {
  /** The one that is shown. */
  kind: Kind;
}

/** A draft of the member. */
export interface DraftRef {
  client: QueryClient;
  id: string;
  kind: Kind;
}

const NONE: Entry = { text: '', attachments: [], state: 'stored', storedAt: null };
const NO_DRAFTS: Drafts = { kind: 'reply', reply: NONE, note: NONE };
const STORE_AFTER_MS = 500;
const RETRY_AFTER_MS = 5_000;
/** Requests that outlive their page may have 64 KB. */
const MAX_KEEPALIVE_LENGTH = 20_000;
/** Statuses that another try would get again. */
const LASTING = [400, 403, 404, 413, 422];
const CHANGED = 412;

/** Returns whether the server has another draft than expected. */
export const isChanged = (error: unknown): boolean => error instanceof ApiError && error.status === CHANGED;
export const meetChange = async (ref: DraftRef): Promise<void> => (await import('./changed-drafts')).meetChange(ref);

export const isEmpty = ({ text, attachments }: Content): boolean => text.trim() === '' && attachments.length === 0;

export const isSame = (one: Content, other: Content): boolean =>
  one.text === other.text && `${one.attachments.map(({ id }) => id)}` === `${other.attachments.map(({ id }) => id)}`;

/** The other tabs of the browser read a draft again whose session is named. */
export const tabs = new BroadcastChannel('switchboard-drafts');

export const readDrafts = (id: string) => dataOf(api.GET('/chat/sessions/{id}/draft', { params: { path: { id } } }));

export const entryFrom = (draft: Schemas['Draft'] | undefined): Entry =>
  draft === undefined
    ? NONE
    : { text: draft.text, attachments: draft.attachments, state: 'stored', storedAt: draft.updated_at };

/** The member's drafts in a session. What is not stored yet is never replaced by the server's. */
export const draftsQuery = (id: string) =>
  queryOptions({
    queryKey: ['getMyDraft', id],
    queryFn: async ({ client }): Promise<Drafts> => {
      const { queryKey } = draftsQuery(id);
      const before = draftsIn(client, id);
      const { draft, drafts } = await readDrafts(id);
      const mine = client.getQueryData(queryKey);
      const entryOf = (kind: Kind) =>
        mine !== undefined && (mine[kind].state !== 'stored' || mine[kind] !== before[kind])
          ? mine[kind]
          : entryFrom(drafts.find((one) => one.kind === kind));
      return { kind: mine?.kind ?? draft?.kind ?? 'reply', reply: entryOf('reply'), note: entryOf('note') };
    },
    staleTime: 0,
    gcTime: Number.POSITIVE_INFINITY,
  });

export const draftsIn = (client: QueryClient, id: string): Drafts =>
  client.getQueryData(draftsQuery(id).queryKey) ?? NO_DRAFTS;

export const entryAt = ({ client, id, kind }: DraftRef): Entry => draftsIn(client, id)[kind];

export function setEntry({ client, id, kind }: DraftRef, change: (now: Entry) => Entry): void {
  client.setQueryData(draftsQuery(id).queryKey, (all = NO_DRAFTS) => ({ ...all, [kind]: change(all[kind]) }));
}

/** Shows the draft of a kind. */
export function showKind({ client, id, kind }: DraftRef): void {
  client.setQueryData(draftsQuery(id).queryKey, (all = NO_DRAFTS) => ({ ...all, kind }));
}

const timers = new Map<string, ReturnType<typeof setTimeout>>();
const writes = new Map<string, Promise<void>>();
/** What was last sent to the server, which may have it although no answer came. */
const tried = new Map<string, Content>();
export const triedAt = (ref: DraftRef): Content => tried.get(keyOf(ref)) ?? NONE;
const keyOf = ({ id, kind }: DraftRef): string => `${kind} ${id}`;

/** Changes a draft as it is now, whoever shows it, and stores it soon after. */
export function changeDraft(ref: DraftRef, changeOf: (now: Content) => Partial<Content>): void {
  setEntry(ref, (now) => ({
    ...now,
    ...changeOf(now),
    state: now.state === 'changed' ? 'changed' : 'waiting',
    problem: undefined,
  }));
  storeAfter(ref, isEmpty(entryAt(ref)) ? 0 : STORE_AFTER_MS);
}

export function storeAfter(ref: DraftRef, delayMs: number): void {
  clearTimeout(timers.get(keyOf(ref)));
  timers.set(
    keyOf(ref),
    setTimeout(() => store(ref), delayMs),
  );
}

/** Stores a draft behind its writes that are under way. */
export function store(ref: DraftRef): void {
  clearTimeout(timers.get(keyOf(ref)));
  const write = (writes.get(keyOf(ref)) ?? Promise.resolve())
    .then(() => storeNow(ref))
    .finally(() => writes.get(keyOf(ref)) === write && writes.delete(keyOf(ref)));
  writes.set(keyOf(ref), write);
}

async function storeNow(ref: DraftRef): Promise<void> {
  const mine = entryAt(ref);
  if (mine.state === 'stored' || mine.state === 'changed') return;
  tried.set(keyOf(ref), mine);
  try {
    const storedAt = await put(ref, mine);
    setEntry(ref, (now) => ({
      ...now,
      storedAt,
      ...(isSame(now, mine) && { state: 'stored', problem: undefined }),
    }));
    tabs.postMessage(ref.id);
  } catch (error) {
    const fail = (reason: unknown) => noteFailure(ref, mine, reason);
    if (isChanged(error)) await meetChange(ref).catch(fail);
    else fail(error);
  }
}

function noteFailure(ref: DraftRef, mine: Entry, error: unknown): void {
  const problem = error instanceof Error ? error.message : String(error);
  setEntry(ref, (now) => (isSame(now, mine) ? { ...now, state: 'failed', problem } : now));
  if (!(error instanceof ApiError && LASTING.includes(error.status))) storeAfter(ref, RETRY_AFTER_MS);
}

async function put({ id, kind }: DraftRef, mine: Entry): Promise<string | null> {
  const attachments = mine.attachments.map((file) => ({ id: file.id }));
  const text = isEmpty(mine) ? '' : mine.text;
  const body = { kind, text, attachments, expected_updated_at: mine.storedAt };
  const keepalive = text.length < MAX_KEEPALIVE_LENGTH;
  const params = { path: { id } };
  return (await dataOf(api.PUT('/chat/sessions/{id}/draft', { params, body, keepalive }))).updated_at;
}

/** Returns a draft that is sent, of which nothing is stored meanwhile. What is on its way is waited for if there is time. */
export async function takeDraft(ref: DraftRef, { isLeft }: { isLeft: boolean }): Promise<Entry> {
  clearTimeout(timers.get(keyOf(ref)));
  const write = writes.get(keyOf(ref));
  if (!isLeft) await write;
  return isLeft && write !== undefined ? { ...entryAt(ref), storedAt: null } : entryAt(ref);
}

/** Empties a draft that was sent, but for files that came to it meanwhile. */
export function clearSent(ref: DraftRef, sent: Content): void {
  const had = new Set(sent.attachments.map(({ id }) => id));
  setEntry(ref, ({ attachments }) => {
    const left = attachments.filter(({ id }) => !had.has(id));
    return left.length === 0 ? NONE : { ...NONE, attachments: left, state: 'waiting' };
  });
  store(ref);
}
