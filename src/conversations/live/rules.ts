/** The notification channel for sessions with new events, each as `<org id>/<session id>`. */
export const LIVE_CHANNEL = 'session_events';

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
