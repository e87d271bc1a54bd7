import type { Db } from '../../db/connect.ts';
import type { MediaLinks } from '../../media/links.ts';
import { historyItemOf } from '../history/service.ts';
import type { ConfirmationsPort } from '../inbox/confirmations.port.ts';
import { readRows, type SharedRow } from '../inbox/rows.service.ts';
import type { InboxRow } from '../inbox/schema.ts';
import {
  EVENTS_PER_CURSOR,
  EVENTS_PER_READ,
  type LiveEventRow,
  listNewOrgEvents,
  listNewSessionEvents,
  type OrgCursor,
  type SessionCursor,
} from './queries.ts';
import { liveEventJson } from './schema.ts';
import {
  type Cursor,
  idOf,
  isSessionCursor,
  membersOf,
  type Subscriber,
  type SubscriberGroup,
  type Subscribers,
} from './subscribers.ts';

/** The first delay before reading again for events not final yet; doubled each time. */
const INITIAL_RETRY_MS = 5;
const MAX_RETRY_MS = 1_000;

export type Log = Record<'error' | 'warn', (details: object, message: string) => void>;

/** The state of the reads for all live streams of this process. */
export interface Reading {
  readonly db: Db;
  readonly links: MediaLinks;
  readonly log: Log;
  readonly confirmations: ConfirmationsPort;
  readonly subscribers: Subscribers;
  /** Subscribers with next events not final yet. They are read again after a delay. */
  readonly blocked: Set<Subscriber>;
  retryMs: number;
  retryTimer: NodeJS.Timeout | undefined;
  /** The reads in progress. */
  current: Promise<void> | undefined;
}

/** Returns the state before the first read. */
export const createReading = (
  given: Pick<Reading, 'db' | 'links' | 'log' | 'confirmations' | 'subscribers'>,
): Reading => ({
  ...given,
  blocked: new Set(),
  retryMs: INITIAL_RETRY_MS,
  retryTimer: undefined,
  current: undefined,
});

/** Reads events for lagging subscribers, until none lags. One read at a time serves all of them. */
export function scheduleRead(reading: Reading): void {
  if (reading.subscribers.behind.size > 0) reading.current ??= readWhileBehind(reading);
}

/** Resolves when the read in progress has ended. No other read begins by itself. */
export async function endReading(reading: Reading): Promise<void> {
  clearTimeout(reading.retryTimer);
  await reading.current;
}

async function readWhileBehind(reading: Reading): Promise<void> {
  await Promise.resolve(); // to serve all subscribers of this turn together
  try {
    while (reading.subscribers.behind.size > 0) await read(reading);
  } catch (error) {
    reading.log.warn({ err: error }, 'live events could not be read; trying again');
  } finally {
    reading.current = undefined;
  }
}

async function read(reading: Reading): Promise<void> {
  const groups = reading.subscribers.nextGroups();
  const ofSessions = groups.filter((group): group is SubscriberGroup<SessionCursor> => isSessionCursor(group.cursor));
  const ofOrgs = groups.filter((group): group is SubscriberGroup<OrgCursor> => !isSessionCursor(group.cursor));
  await Promise.all([readSessions(reading, ofSessions), readOrgs(reading, ofOrgs)]);
}

async function readSessions(reading: Reading, groups: SubscriberGroup<SessionCursor>[]): Promise<void> {
  if (groups.length === 0) return;
  const rows = await listNewSessionEvents(
    reading.db,
    groups.map(({ cursor }) => cursor),
  );
  for (const { nth } of rows.filter(({ is_gone }) => is_gone)) {
    for (const { sink } of groups[nth - 1]?.subscribers ?? []) sink.end();
  }
  deliver(reading, { groups, rows, shown: new Map() }, ({ cursor }, { seq }) => ({ ...cursor, after: { seq } }));
}

async function readOrgs(reading: Reading, groups: SubscriberGroup<OrgCursor>[]): Promise<void> {
  if (groups.length === 0) return;
  const rows = await listNewOrgEvents(
    reading.db,
    groups.map(({ cursor }) => cursor),
  );
  const shown = await readInboxRows(reading, groups, rows);
  deliver(reading, { groups, rows, shown }, ({ cursor }, { xid, session_id, seq }) => ({
    ...cursor,
    after: { xid, session_id, seq },
  }));
  for (const { nth } of rows.filter(({ is_held_up }) => is_held_up)) {
    for (const subscriber of groups[nth - 1]?.subscribers ?? []) reading.blocked.add(subscriber);
  }
  retryBlocked(reading);
}

/** Reads the rows of the sessions with events, if a stream shows them. */
async function readInboxRows(
  { db, confirmations }: Reading,
  groups: SubscriberGroup<OrgCursor>[],
  rows: EventOfGroup[],
): Promise<ShownRows> {
  const audiences = groups.map(({ subscribers }) => subscribers.filter(({ topics }) => topics.has('inbox')));
  const events = rows.flatMap((row) => (row.id !== null && audiences[row.nth - 1]?.length ? [row] : []));
  const keys = new Map(events.map(({ org_id: orgId, session_id: id }) => [id, { orgId, id }]));
  const found = await readRows(db, [...keys.values()], membersOf(audiences.flat()), confirmations);
  return new Map(found.map((row) => [row.id, row]));
}

/** Reads again for the blocked subscribers after a delay. */
function retryBlocked(reading: Reading): void {
  const { blocked, subscribers } = reading;
  if (blocked.size === 0) reading.retryMs = INITIAL_RETRY_MS;
  if (blocked.size === 0 || reading.retryTimer !== undefined) return;
  reading.retryTimer = setTimeout(() => {
    reading.retryTimer = undefined;
    for (const subscriber of blocked) subscribers.behind.add(subscriber);
    blocked.clear();
    scheduleRead(reading);
  }, reading.retryMs).unref();
  reading.retryMs = Math.min(2 * reading.retryMs, MAX_RETRY_MS);
}

type EventOfGroup = { nth: number } & (LiveEventRow | { id: null });
/** The shown rows of sessions, by their ids. */
type ShownRows = ReadonlyMap<string, SharedRow>;

interface ReadEvents<C extends Cursor> {
  groups: SubscriberGroup<C>[];
  rows: EventOfGroup[];
  shown: ShownRows;
}

/** Delivers its rows to each group. Groups with possibly more events stay behind. */
function deliver<C extends Cursor>(
  reading: Reading,
  { groups, rows, shown }: ReadEvents<C>,
  cursorAfter: (group: SubscriberGroup<C>, row: LiveEventRow) => C,
): void {
  const { behind } = reading.subscribers;
  const rowsOf = Map.groupBy(rows, ({ nth }) => nth);
  const lastNth = rows.length < EVENTS_PER_READ ? Number.POSITIVE_INFINITY : (rows.at(-1)?.nth ?? 0);
  for (const [index, group] of groups.entries()) {
    const events = (rowsOf.get(index + 1) ?? []).filter((row) => row.id !== null);
    const waiting = events[0]?.waiting ?? 0;
    if (waiting >= EVENTS_PER_CURSOR || waiting > events.length || index + 1 >= lastNth)
      for (const subscriber of group.subscribers) behind.add(subscriber);
    for (const event of events) send(reading, group, cursorAfter(group, event), { event, shown });
  }
}

/** Sends an event to a group, and moves the group's cursor to `cursor`. */
function send(
  reading: Reading,
  { subscribers }: SubscriberGroup<Cursor>,
  cursor: Cursor,
  { event, shown }: { event: LiveEventRow; shown: ShownRows },
): void {
  const row = shown.get(event.session_id);
  const forms = new Map<string, Buffer>();
  for (const subscriber of subscribers) {
    if (!reading.subscribers.has(subscriber)) continue;
    const more = subscriber.topics.has('inbox') ? { row: row?.rowFor(subscriber.memberId) ?? null } : {};
    const form = more.row === undefined ? 'without row' : `unread ${more.row?.unread}`;
    const bytes = forms.get(form) ?? bytesOf(reading, cursor, event, more);
    forms.set(form, bytes);
    subscriber.cursor = cursor;
    subscriber.isFull = !subscriber.sink.write(bytes);
  }
}

/**
 * Serializes an event for the stream. The id is the last line: a client that stores it before the event is complete
 * would otherwise skip an event cut off in the middle. An invalid event is skipped, because it would end all streams.
 */
function bytesOf({ links, log }: Reading, cursor: Cursor, row: LiveEventRow, more: { row?: InboxRow | null }): Buffer {
  try {
    const data = liveEventJson({ ...historyItemOf(links, row), type: row.type, session_id: row.session_id, ...more });
    return Buffer.from(`event: ${row.type}\ndata: ${data}\nid: ${idOf(cursor)}\n\n`);
  } catch (error) {
    log.error(
      { err: error, org_id: row.org_id, event: row.id },
      'event skipped in live streams: it could not be serialized',
    );
    return Buffer.from(`id: ${idOf(cursor)}\n\n`);
  }
}
