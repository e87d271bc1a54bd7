import type { Db } from '../db/connect.ts';
import type { MediaLinks } from '../media/links.ts';
import { historyItemOf } from './history.service.ts';
import {
  type LiveEventRow,
  listOrgsNews,
  listSessionsNews,
  type OrgPlace,
  PAGE,
  PAGE_OF_ALL,
  type SessionPlace,
} from './live.queries.ts';
import { orgEventId, sessionEventId } from './live.rules.ts';
import { liveEventJson } from './live.schema.ts';

const SWEEP_MS = 1_000;
/** How soon to look again for events that were not final yet; doubled each time. */
const HELD_UP_MS = 5;
const PLACES_A_LOOK = 500;

/** Takes the bytes of a stream. */
export interface Sink {
  /** False when it wants no more until `more` is called. It has taken these all the same. */
  write(bytes: Buffer): boolean;
  end(): void;
}

export interface Following {
  /** The sink can take more. */
  more(): void;
  stop(): void;
}

export interface LiveStreams {
  /** Sends the sink where it begins, then the events behind that place as they come. Ends it when the session is gone. */
  follow(place: Place, sink: Sink): Following;
  /** Looks for news where the hints say, each an org's id and a session's; everywhere without any. */
  wake(hints: string): void;
  close(): Promise<void>;
}

type Log = Record<'error' | 'warn', (details: object, message: string) => void>;
type Place = SessionPlace | OrgPlace;

interface Follower {
  place: Place;
  sink: Sink;
  isFull: boolean;
}

/** Followers at the same place: what is read and written out for one serves all. */
interface Group<P extends Place> {
  place: P;
  followers: Follower[];
}

const isOfSession = (place: Place): place is SessionPlace => 'sessionId' in place;
const topicOf = (place: Place) => (isOfSession(place) ? place.sessionId : place.orgId);
const idOf = (place: Place) => (isOfSession(place) ? sessionEventId(place.after) : orgEventId(place.after));

/**
 * Reads session events for all live streams of this process: one look at a time, which serves all that are behind, after a wake-up and
 * once a second, as wake-ups can be lost. A stream is nothing but a place and a sink, so it can go on in any process.
 */
export function createLiveStreams(db: Db, links: MediaLinks, log: Log): LiveStreams {
  const followersOf = new Map<string, Set<Follower>>();
  /** Who may be behind. Who is full comes back here when it asks for more. */
  const behind = new Set<Follower>();
  const heldUp = new Set<Follower>();
  let heldUpMs = HELD_UP_MS;
  let heldUpTimer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;

  const isFollowing = (follower: Follower) => followersOf.get(topicOf(follower.place))?.has(follower) === true;
  const wakeAll = () => {
    for (const followers of followersOf.values()) for (const follower of followers) behind.add(follower);
    lookSoon();
  };
  const sweep = setInterval(wakeAll, SWEEP_MS).unref();

  function lookSoon(): void {
    if (behind.size > 0) looking ??= lookWhileBehind();
  }

  async function lookWhileBehind(): Promise<void> {
    await Promise.resolve(); // so that all who come in this turn are served together
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
    const ofSessions = groups.filter((group): group is Group<SessionPlace> => isOfSession(group.place));
    const ofOrgs = groups.filter((group): group is Group<OrgPlace> => !isOfSession(group.place));
    await Promise.all([lookAtSessions(ofSessions), lookAtOrgs(ofOrgs)]);
  }

  function takeGroups(): Group<Place>[] {
    const groups = new Map<string, Group<Place>>();
    for (const follower of behind) {
      if (groups.size >= PLACES_A_LOOK) break;
      behind.delete(follower);
      if (follower.isFull || !isFollowing(follower)) continue;
      const key = `${follower.place.orgId} ${topicOf(follower.place)} ${idOf(follower.place)}`;
      const group = groups.get(key) ?? { place: follower.place, followers: [] };
      group.followers.push(follower);
      groups.set(key, group);
    }
    return [...groups.values()];
  }

  async function lookAtSessions(groups: Group<SessionPlace>[]): Promise<void> {
    if (groups.length === 0) return;
    const rows = await listSessionsNews(
      db,
      groups.map(({ place }) => place),
    );
    for (const { nth } of rows.filter(({ is_gone }) => is_gone)) {
      for (const { sink } of groups[nth - 1]?.followers ?? []) sink.end();
    }
    hand(groups, rows, ({ place }, { seq }) => ({ ...place, after: { seq } }));
  }

  async function lookAtOrgs(groups: Group<OrgPlace>[]): Promise<void> {
    if (groups.length === 0) return;
    const rows = await listOrgsNews(
      db,
      groups.map(({ place }) => place),
    );
    hand(groups, rows, ({ place }, { xid, session_id, seq }) => ({ ...place, after: { xid, session_id, seq } }));
    for (const { nth } of rows.filter(({ is_held_up }) => is_held_up)) {
      for (const follower of groups[nth - 1]?.followers ?? []) heldUp.add(follower);
    }
    lookAgainAtHeldUp();
  }

  function lookAgainAtHeldUp(): void {
    if (heldUp.size === 0) heldUpMs = HELD_UP_MS;
    if (heldUp.size === 0 || heldUpTimer !== undefined) return;
    heldUpTimer = setTimeout(() => {
      heldUpTimer = undefined;
      for (const follower of heldUp) behind.add(follower);
      heldUp.clear();
      lookSoon();
    }, heldUpMs).unref();
    heldUpMs = Math.min(2 * heldUpMs, SWEEP_MS);
  }

  /** Hands each group its rows. Those of whom there may be more stay behind. */
  function hand<P extends Place>(
    groups: Group<P>[],
    rows: ({ nth: number } & (LiveEventRow | { id: null }))[],
    placeOf: (group: Group<P>, row: LiveEventRow) => P,
  ): void {
    const rowsOf = Map.groupBy(rows, ({ nth }) => nth);
    const lastNth = rows.length < PAGE_OF_ALL ? Number.POSITIVE_INFINITY : (rows.at(-1)?.nth ?? 0);
    for (const [index, group] of groups.entries()) {
      const events = (rowsOf.get(index + 1) ?? []).filter((row) => row.id !== null);
      const waiting = events[0]?.waiting ?? 0;
      if (waiting >= PAGE || waiting > events.length || index + 1 >= lastNth)
        for (const follower of group.followers) behind.add(follower);
      for (const event of events) {
        const place = placeOf(group, event);
        const bytes = bytesOf(place, event);
        for (const follower of group.followers) {
          if (!isFollowing(follower)) continue;
          follower.place = place;
          follower.isFull = !follower.sink.write(bytes);
        }
      }
    }
  }

  /** An event as the stream has it. One that cannot be shown is passed over, lest it ends the stream of all others. */
  function bytesOf(place: Place, row: LiveEventRow): Buffer {
    try {
      const data = liveEventJson({ ...historyItemOf(links, row), session_id: row.session_id });
      return Buffer.from(`id: ${idOf(place)}\nevent: ${row.type}\ndata: ${data}\n\n`);
    } catch (error) {
      log.error({ err: error, org_id: row.org_id, event: row.id }, 'an event cannot be shown in live streams');
      return Buffer.from(`id: ${idOf(place)}\n\n`);
    }
  }

  return {
    follow(place, sink) {
      const follower: Follower = { place, sink, isFull: false };
      const topic = topicOf(place);
      const followers = followersOf.get(topic) ?? new Set();
      followersOf.set(topic, followers.add(follower));
      follower.isFull = !sink.write(Buffer.from(`id: ${idOf(place)}\n\n`)); // known from the start, so that a cut before the first event loses none
      behind.add(follower);
      lookSoon();
      return {
        more() {
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
