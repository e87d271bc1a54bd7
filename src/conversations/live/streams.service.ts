import type { Db } from '../../db/connect.ts';
import type { MediaLinks } from '../../media/links.ts';
import { historyItemOf } from '../history/service.ts';
import {
  EVENTS_PER_CURSOR,
  EVENTS_PER_READ,
  type LiveEventRow,
  listNewOrgEvents,
  listNewSessionEvents,
  type OrgCursor,
  type SessionCursor,
} from './queries.ts';
import { orgEventId, sessionEventId } from './rules.ts';
import { liveEventJson } from './schema.ts';

const SWEEP_MS = 1_000;
/** The first delay before reading again for events not final yet; doubled each time. */
const INITIAL_RETRY_MS = 5;
const CURSORS_PER_READ = 500;

/** Receives the bytes of a stream. */
export interface Sink {
  /** Returns false to receive no more until `resume` is called. These bytes are accepted all the same. */
  write(bytes: Buffer): boolean;
  end(): void;
}

export interface Subscription {
  /** Continues once the sink can accept more. */
  resume(): void;
  stop(): void;
}

export interface LiveStreams {
  /**
   * Sends the cursor's id to the sink, then the events after it as they arrive. Ends the sink when the session is
   * deleted.
   */
  subscribe(place: Cursor, sink: Sink): Subscription;
  /** Reads new events for the orgs and sessions named in the hints, or for all if there are none. */
  wake(hints: string): void;
  close(): Promise<void>;
}

type Log = Record<'error' | 'warn', (details: object, message: string) => void>;
type Cursor = SessionCursor | OrgCursor;

interface Subscriber {
  cursor: Cursor;
  sink: Sink;
  isFull: boolean;
}

/** Subscribers at the same cursor: events are read and serialized once for all of them. */
interface SubscriberGroup<P extends Cursor> {
  cursor: P;
  subscribers: Subscriber[];
}

const isSessionCursor = (place: Cursor): place is SessionCursor => 'sessionId' in place;
const topicOf = (place: Cursor) => (isSessionCursor(place) ? place.sessionId : place.orgId);
const idOf = (place: Cursor) => (isSessionCursor(place) ? sessionEventId(place.after) : orgEventId(place.after));

/**
 * Reads session events for all live streams of this process. One read at a time serves all lagging subscribers, after a
 * wake-up and once a second, because wake-ups can be lost. A stream consists only of a cursor and a sink, so it can
 * continue in any process.
 */
export function createLiveStreams(db: Db, links: MediaLinks, log: Log): LiveStreams {
  const followersOf = new Map<string, Set<Subscriber>>();
  /** Subscribers with possibly unread events. Full ones return here when they resume. */
  const behind = new Set<Subscriber>();
  const heldUp = new Set<Subscriber>();
  let heldUpMs = INITIAL_RETRY_MS;
  let heldUpTimer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;

  const isFollowing = (follower: Subscriber) => followersOf.get(topicOf(follower.cursor))?.has(follower) === true;
  const wakeAll = () => {
    for (const followers of followersOf.values()) for (const follower of followers) behind.add(follower);
    lookSoon();
  };
  const sweep = setInterval(wakeAll, SWEEP_MS).unref();

  function lookSoon(): void {
    if (behind.size > 0) looking ??= lookWhileBehind();
  }

  async function lookWhileBehind(): Promise<void> {
    await Promise.resolve(); // so that all subscribers of this turn are served together
    try {
      while (behind.size > 0) await look();
    } catch (error) {
      log.warn({ err: error }, 'live events could not be read; trying again');
    } finally {
      looking = undefined;
    }
  }

  async function look(): Promise<void> {
    const groups = takeGroups();
    const ofSessions = groups.filter((group): group is SubscriberGroup<SessionCursor> => isSessionCursor(group.cursor));
    const ofOrgs = groups.filter((group): group is SubscriberGroup<OrgCursor> => !isSessionCursor(group.cursor));
    await Promise.all([lookAtSessions(ofSessions), lookAtOrgs(ofOrgs)]);
  }

  function takeGroups(): SubscriberGroup<Cursor>[] {
    const groups = new Map<string, SubscriberGroup<Cursor>>();
    for (const follower of behind) {
      if (groups.size >= CURSORS_PER_READ) break;
      behind.delete(follower);
      if (follower.isFull || !isFollowing(follower)) continue;
      const key = `${follower.cursor.orgId} ${topicOf(follower.cursor)} ${idOf(follower.cursor)}`;
      const group = groups.get(key) ?? { cursor: follower.cursor, subscribers: [] };
      group.subscribers.push(follower);
      groups.set(key, group);
    }
    return [...groups.values()];
  }

  async function lookAtSessions(groups: SubscriberGroup<SessionCursor>[]): Promise<void> {
    if (groups.length === 0) return;
    const rows = await listNewSessionEvents(
      db,
      groups.map(({ cursor }) => cursor),
    );
    for (const { nth } of rows.filter(({ is_gone }) => is_gone)) {
      for (const { sink } of groups[nth - 1]?.subscribers ?? []) sink.end();
    }
    hand(groups, rows, ({ cursor }, { seq }) => ({ ...cursor, after: { seq } }));
  }

  async function lookAtOrgs(groups: SubscriberGroup<OrgCursor>[]): Promise<void> {
    if (groups.length === 0) return;
    const rows = await listNewOrgEvents(
      db,
      groups.map(({ cursor }) => cursor),
    );
    hand(groups, rows, ({ cursor }, { xid, session_id, seq }) => ({ ...cursor, after: { xid, session_id, seq } }));
    for (const { nth } of rows.filter(({ is_held_up }) => is_held_up)) {
      for (const follower of groups[nth - 1]?.subscribers ?? []) heldUp.add(follower);
    }
    lookAgainAtHeldUp();
  }

  function lookAgainAtHeldUp(): void {
    if (heldUp.size === 0) heldUpMs = INITIAL_RETRY_MS;
    if (heldUp.size === 0 || heldUpTimer !== undefined) return;
    heldUpTimer = setTimeout(() => {
      heldUpTimer = undefined;
      for (const follower of heldUp) behind.add(follower);
      heldUp.clear();
      lookSoon();
    }, heldUpMs).unref();
    heldUpMs = Math.min(2 * heldUpMs, SWEEP_MS);
  }

  /** Delivers its rows to each group. Groups with possibly more events stay in `behind`. */
  function hand<P extends Cursor>(
    groups: SubscriberGroup<P>[],
    rows: ({ nth: number } & (LiveEventRow | { id: null }))[],
    placeOf: (group: SubscriberGroup<P>, row: LiveEventRow) => P,
  ): void {
    const rowsOf = Map.groupBy(rows, ({ nth }) => nth);
    const lastNth = rows.length < EVENTS_PER_READ ? Number.POSITIVE_INFINITY : (rows.at(-1)?.nth ?? 0);
    for (const [index, group] of groups.entries()) {
      const events = (rowsOf.get(index + 1) ?? []).filter((row) => row.id !== null);
      const waiting = events[0]?.waiting ?? 0;
      if (waiting >= EVENTS_PER_CURSOR || waiting > events.length || index + 1 >= lastNth)
        for (const follower of group.subscribers) behind.add(follower);
      for (const event of events) {
        const place = placeOf(group, event);
        const bytes = bytesOf(place, event);
        for (const follower of group.subscribers) {
          if (!isFollowing(follower)) continue;
          follower.cursor = place;
          follower.isFull = !follower.sink.write(bytes);
        }
      }
    }
  }

  /** Serializes an event for the stream. An invalid event is skipped, because it would end all streams. */
  function bytesOf(place: Cursor, row: LiveEventRow): Buffer {
    try {
      const data = liveEventJson({ ...historyItemOf(links, row), session_id: row.session_id });
      return Buffer.from(`id: ${idOf(place)}\nevent: ${row.type}\ndata: ${data}\n\n`);
    } catch (error) {
      log.error(
        { err: error, org_id: row.org_id, event: row.id },
        'event skipped in live streams: it could not be serialized',
      );
      return Buffer.from(`id: ${idOf(place)}\n\n`);
    }
  }

  return {
    subscribe(cursor, sink) {
      const follower: Subscriber = { cursor, sink, isFull: false };
      const topic = topicOf(cursor);
      const followers = followersOf.get(topic) ?? new Set();
      followersOf.set(topic, followers.add(follower));
      follower.isFull = !sink.write(Buffer.from(`id: ${idOf(cursor)}\n\n`)); // a stream broken before the first event resumes here
      behind.add(follower);
      lookSoon();
      return {
        resume() {
          follower.isFull = false;
          behind.add(follower);
          lookSoon();
        },
        stop() {
          followers.delete(follower);
          if (followers.size === 0 && followersOf.get(topic) === followers) followersOf.delete(topic);
        },
      };
    },
    wake(hints) {
      if (hints === '') return wakeAll();
      for (const topic of hints.split(/[ /]/))
        for (const follower of followersOf.get(topic) ?? []) behind.add(follower);
      lookSoon();
    },
    async close() {
      clearInterval(sweep);
      clearTimeout(heldUpTimer);
      followersOf.clear();
      await looking;
    },
  };
}
