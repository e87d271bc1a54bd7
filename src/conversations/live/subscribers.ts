import type { OrgCursor, SessionCursor } from './queries.ts';
import { orgEventId, sessionEventId, type Topic } from './rules.ts';

/** Receives the bytes of a stream. */
export interface Sink {
  /** Returns false to receive no more until `resume` is called. These bytes are accepted all the same. */
  write(bytes: Buffer): boolean;
  end(): void;
}

export type Cursor = SessionCursor | OrgCursor;

/** The reader of a stream, and its topics. */
export interface Audience {
  topics: ReadonlySet<Topic>;
  /** The signed-in member. Null for an API key. */
  memberId: number | null;
}

export interface Subscriber extends Audience {
  cursor: Cursor;
  sink: Sink;
  isFull: boolean;
  /** The sessions with changes missed while it was full. */
  missed: Set<string>;
}

/** Subscribers at the same cursor: events are read and serialized once for all of them. */
export interface SubscriberGroup<C extends Cursor> {
  cursor: C;
  subscribers: Subscriber[];
}

/** The subscribers of all live streams of this process, and the lagging ones. */
export interface Subscribers {
  /** Subscribers with possibly unread events. Full ones return here when they resume. */
  readonly behind: Set<Subscriber>;
  add(subscriber: Subscriber): void;
  remove(subscriber: Subscriber): void;
  has(subscriber: Subscriber): boolean;
  /** Counts the subscribers of a session or an org as behind. */
  markBehind(topic: string): void;
  markAllBehind(): void;
  /** Lists the subscribers of an org's inbox. */
  ofInbox(orgId: string): Subscriber[];
  /** Takes subscribers ready for events from those behind, grouped by their cursors. */
  nextGroups(): SubscriberGroup<Cursor>[];
  clear(): void;
}

const CURSORS_PER_READ = 500;

export const isSessionCursor = (cursor: Cursor): cursor is SessionCursor => 'sessionId' in cursor;
const topicOf = (cursor: Cursor) => (isSessionCursor(cursor) ? cursor.sessionId : cursor.orgId);

/** Returns the id of the last event before a cursor. */
export const idOf = (cursor: Cursor): string =>
  isSessionCursor(cursor) ? sessionEventId(cursor.after) : orgEventId(cursor.after);

export function createSubscribers(): Subscribers {
  const byTopic = new Map<string, Set<Subscriber>>();
  const behind = new Set<Subscriber>();
  const has = (subscriber: Subscriber) => byTopic.get(topicOf(subscriber.cursor))?.has(subscriber) === true;
  return {
    behind,
    has,
    add(subscriber) {
      const topic = topicOf(subscriber.cursor);
      byTopic.set(topic, (byTopic.get(topic) ?? new Set()).add(subscriber));
    },
    remove(subscriber) {
      const topic = topicOf(subscriber.cursor);
      const remaining = byTopic.get(topic);
      remaining?.delete(subscriber);
      if (remaining?.size === 0) byTopic.delete(topic);
    },
    markBehind(topic) {
      for (const subscriber of byTopic.get(topic) ?? []) behind.add(subscriber);
    },
    markAllBehind() {
      for (const subscribers of byTopic.values()) for (const subscriber of subscribers) behind.add(subscriber);
    },
    ofInbox: (orgId) => [...(byTopic.get(orgId) ?? [])].filter(({ topics }) => topics.has('inbox')),
    nextGroups() {
      const groups = new Map<string, SubscriberGroup<Cursor>>();
      for (const subscriber of behind) {
        if (groups.size >= CURSORS_PER_READ) break;
        behind.delete(subscriber);
        if (subscriber.isFull || !has(subscriber)) continue;
        const { cursor } = subscriber;
        const key = `${cursor.orgId} ${topicOf(cursor)} ${idOf(cursor)}`;
        const group = groups.get(key) ?? { cursor, subscribers: [] };
        group.subscribers.push(subscriber);
        groups.set(key, group);
      }
      return [...groups.values()];
    },
    clear: () => byTopic.clear(),
  };
}

/** Returns the members among the readers of streams. */
export const membersOf = (subscribers: Subscriber[]): number[] => [
  ...new Set(subscribers.flatMap(({ memberId }) => memberId ?? [])),
];
