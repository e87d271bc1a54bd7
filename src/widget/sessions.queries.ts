import { sql } from 'kysely';
import type { Db, Trx } from '../db/connect.ts';
import type { Position } from '../db/cursor.ts';
import type { Visitor } from './visitors.queries.ts';

const MAX_UNREAD = 100;

/**
 * Selects the sessions visible to a visitor, for callers to narrow down. A visitor verified by the org sees the
 * contact's sessions, an unverified visitor the sessions opened by them. So neither sees the other's, even after both
 * contacts were merged.
 */
const selectSessions = (db: Db, { orgId, id, contactId, isVerified }: Visitor) =>
  db
    .selectFrom('sessions as session')
    .leftJoin('widget_sessions as said', (join) =>
      join.onRef('said.org_id', '=', 'session.org_id').onRef('said.session_id', '=', 'session.id'),
    )
    .leftJoin('members as assignee', (join) =>
      join.onRef('assignee.org_id', '=', 'session.org_id').onRef('assignee.user_id', '=', 'session.assignee_id'),
    )
    .where('session.org_id', '=', orgId)
    .where('session.contact_id', '=', contactId)
    .where('session.channel', '=', 'web')
    .$if(isVerified, (query) => query.where('session.verified', 'is distinct from', false))
    .$if(!isVerified, (query) => query.where('session.verified', '=', false).where('said.visitor_id', '=', id))
    .select(['session.id', 'session.ticket_number', 'session.created_at', 'session.updated_at', 'session.status'])
    .select(['session.handoff', 'session.channel', 'session.verified', 'session.assignee_id'])
    .select(['assignee.name as assignee_name', 'said.attributes'])
    .select((eb) => [
      eb
        .selectFrom('session_events as event')
        .select('event.content')
        .whereRef('event.org_id', '=', 'session.org_id')
        .whereRef('event.session_id', '=', 'session.id')
        .where('event.type', 'in', ['message', 'workflow_message'])
        .orderBy('event.seq', 'desc')
        .limit(1)
        .as('last_message'),
      eb
        .selectFrom('session_events as event')
        .select('event.sender')
        .whereRef('event.org_id', '=', 'session.org_id')
        .whereRef('event.session_id', '=', 'session.id')
        .where('event.type', '=', 'message')
        .orderBy('event.seq', 'desc')
        .limit(1)
        .as('last_sender'),
      eb
        .selectFrom('session_events as event')
        .select(sql<unknown>`event.data -> 'payload'`.as('payload'))
        .whereRef('event.org_id', '=', 'session.org_id')
        .whereRef('event.session_id', '=', 'session.id')
        .where('event.type', '=', 'state_checkpoint')
        .orderBy('event.seq', 'desc')
        .limit(1)
        .as('checkpoint'),
      sql<number>`(
        select count(*)::integer from (
          select from session_events as event
          where event.org_id = session.org_id and event.session_id = session.id
            and event.type in ('message', 'workflow_message') and event.sender is distinct from 'contact'
            and event.seq > greatest(said.read_seq, (
              select seq from session_events as own
              where own.org_id = session.org_id and own.session_id = session.id and own.type = 'message' and own.sender = 'contact'
              order by seq desc limit 1
            ), -1)
          limit ${MAX_UNREAD}
        ) as unread
      )`.as('unread'),
    ]);

export const findSession = (db: Db, visitor: Visitor, id: string) =>
  selectSessions(db, visitor).where('session.id', '=', id).executeTakeFirst();

export type SessionRow = NonNullable<Awaited<ReturnType<typeof findSession>>>;

interface PageRequest {
  externalId: string | undefined;
  after: Position | undefined;
  offset: number;
  limit: number;
}

/** Returns the rows of a page, newest first, plus one more if there is one. */
export const listSessions = (db: Db, visitor: Visitor, { externalId, after, offset, limit }: PageRequest) =>
  selectSessions(db, visitor)
    .$call((query) =>
      externalId === undefined ? query : query.where(sql<string>`said.attributes ->> 'external_id'`, '=', externalId),
    )
    .$if(after !== undefined, (query) =>
      query.where(sql<boolean>`(session.created_at, session.id) < (${after?.at}::timestamptz, ${after?.id}::uuid)`),
    )
    .orderBy('session.created_at', 'desc')
    .orderBy('session.id', 'desc')
    .offset(offset)
    .limit(limit + 1)
    .execute();

/** Merges attributes from the widget into those of a session, and returns all of them. */
export async function mergeAttributes(
  trx: Trx,
  { orgId, id }: Visitor,
  sessionId: string,
  attributes: Record<string, string>,
): Promise<Record<string, string>> {
  const { rows } = await sql<{ attributes: Record<string, string> }>`
    insert into widget_sessions as said (org_id, session_id, visitor_id, attributes)
    values (${orgId}, ${sessionId}, ${id}, ${JSON.stringify(attributes)}::jsonb)
    on conflict (org_id, session_id) do update set attributes = said.attributes || excluded.attributes
    returning attributes
  `.execute(trx);
  return rows[0]?.attributes ?? {};
}

/** Notes that a visitor has read a session up to a place in its history. */
export async function updateReadPlace(db: Db, { orgId, id }: Visitor, sessionId: string, seq: number): Promise<void> {
  await sql`
    insert into widget_sessions as said (org_id, session_id, visitor_id, read_seq)
    values (${orgId}, ${sessionId}, ${id}, ${seq})
    on conflict (org_id, session_id) do update set read_seq = greatest(said.read_seq, excluded.read_seq)
  `.execute(db);
}
