import { ApiError, api, dataOf } from '../../../api/client';
import {
  type Content,
  type DraftRef,
  type Entry,
  entryAt,
  forgetTried,
  isEmpty,
  isSame,
  keyOf,
  NONE,
  noteTried,
  setEntry,
} from './draft-entries';

const STORE_AFTER_MS = 500;
const RETRY_AFTER_MS = 5_000;
/** Requests that outlive their page may have 64 KB. A longer reply stays a draft if its page is closed. */
export const MAX_KEEPALIVE_LENGTH = 20_000;
/** Statuses that another try would get again. */
const LASTING = [400, 403, 404, 413, 422];
const CHANGED = 412;

/** Returns whether the server has another draft than expected. */
export const isChanged = (error: unknown): boolean => error instanceof ApiError && error.status === CHANGED;

/** Reads a draft that the server has otherwise than expected, and stores this one if it may be. */
export async function meetChange(ref: DraftRef): Promise<void> {
  await (await import('./changed-drafts')).meetChange(ref);
  if (entryAt(ref).state === 'waiting') storeAfter(ref, 0);
}

/** The other tabs of the browser read a draft again whose session is named. */
export const tabs = new BroadcastChannel('switchboard-drafts');

const timers = new Map<string, ReturnType<typeof setTimeout>>();
const writes = new Map<string, Promise<void>>();
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
  noteTried(ref, mine);
  try {
    const storedAt = await put(ref, mine);
    forgetTried(ref);
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

/** Returns a draft that is sent. What is on its way to the server is waited for if there is time. */
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
