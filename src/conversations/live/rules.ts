/** Where sessions that have new events are told, each as `<org id>/<session id>`. */
export const LIVE_CHANNEL = 'session_events';

/** The place of an event among those of its session. */
export interface SessionPosition {
  seq: number;
}

/** The place of an event among those of its org. */
export interface OrgPosition {
  /** Of a transaction, as text. */
  xid: string;
  session_id: string;
  seq: number;
}

const SEQ = '[0-9]{1,9}';
const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';

/** What the ids of a session's stream look like. Nothing stands for no id. */
export const SESSION_EVENT_ID = new RegExp(`^(?:${SEQ})?$`);
/** What the ids of an org's stream look like. Nothing stands for no id. */
export const ORG_EVENT_ID = new RegExp(`^(?:[0-9]{1,18}-${UUID}-${SEQ})?$`);

export const sessionEventId = ({ seq }: SessionPosition): string => String(seq);

/** Reads what `sessionEventId` wrote. */
export const sessionPositionOf = (id: string): SessionPosition => ({ seq: Number(id) });

export const orgEventId = ({ xid, session_id, seq }: OrgPosition): string => `${xid}-${session_id}-${seq}`;

/** Reads what `orgEventId` wrote. */
export function orgPositionOf(id: string): OrgPosition {
  const [xid = '', ...rest] = id.split('-');
  return { xid, session_id: rest.slice(0, -1).join('-'), seq: Number(rest.at(-1)) };
}
