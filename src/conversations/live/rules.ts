/**
 * The notification channel for sessions with new events, each as `<org id>/<session id>`, and for changes outside
 * histories: `changedHint` and `readHint`.
 */
export const LIVE_CHANNEL = 'session_events';

/**
 * The topics of an org's stream: the events of histories, or those with rows of the inbox and all their changes, and
 * the events not stored.
 */
export const TOPICS = ['sessions', 'inbox', 'presence', 'notifications'] as const;
export type Topic = (typeof TOPICS)[number];

/** A change of a session outside its history. `memberId` is set if it is how far the member has read. */
export interface Change {
  orgId: string;
  sessionId: string;
  memberId?: number;
}

/** The hint of a session with a changed row. */
export const changedHint = ({ orgId, sessionId }: Change): string => `${orgId}/${sessionId}/changed`;

/** The hint of a session read by a member. */
export const readHint = ({ orgId, sessionId, memberId }: Required<Change>): string =>
  `${orgId}/${sessionId}/read/${memberId}`;

/** Parses hints: those of new events, and changes of sessions without one in the same hints. */
export function parseHints(hints: string): { topics: string[]; changes: Change[] } {
  const parsed = hints.split(' ').map((hint) => hint.split('/'));
  const topics = parsed.filter(({ length }) => length === 2).flat();
  const told = new Set(topics);
  const changes = parsed.flatMap(([orgId, sessionId, kind, memberId]): Change[] => {
    if (orgId === undefined || sessionId === undefined || kind === undefined) return [];
    if (memberId !== undefined) return [{ orgId, sessionId, memberId: Number(memberId) }];
    return told.has(sessionId) ? [] : [{ orgId, sessionId }];
  });
  return { topics, changes };
}

/** The position of an event among those of its session. */
export interface SessionPosition {
  seq: number;
}

/** The position of an event among those of its org. */
export interface OrgPosition {
  /** The position of a transaction, as text. */
  xid: string;
  session_id: string;
  seq: number;
}

const SEQ = '[0-9]{1,9}';
const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';

/** The format of event ids in a session's stream. Empty means no id. */
export const SESSION_EVENT_ID = new RegExp(`^(?:${SEQ})?$`);
/** The format of event ids in an org's stream. Empty means no id. */
export const ORG_EVENT_ID = new RegExp(`^(?:[0-9]{1,18}-${UUID}-${SEQ})?$`);

export const sessionEventId = ({ seq }: SessionPosition): string => String(seq);

/** Parses an id written by `sessionEventId`. */
export const sessionPositionOf = (id: string): SessionPosition => ({ seq: Number(id) });

export const orgEventId = ({ xid, session_id, seq }: OrgPosition): string => `${xid}-${session_id}-${seq}`;

/** Parses an id written by `orgEventId`. */
export function orgPositionOf(id: string): OrgPosition {
  const [xid = '', ...rest] = id.split('-');
  return { xid, session_id: rest.slice(0, -1).join('-'), seq: Number(rest.at(-1)) };
}
