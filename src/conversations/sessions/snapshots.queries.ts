import { type NotNull, sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import { selectEvents } from '../history/shared.queries.ts';
import { selectSessions, tagNamesWhere } from '../queries.ts';

/** Lists sessions by id in the API's format. */
export const listSessionsById = (db: Db, orgId: string, ids: string[]) =>
  selectSessions(db, orgId)
    .where('session.id', '=', sql<string>`any(${ids}::uuid[])`)
    .select(['session.contact_id', 'session.session_closed_payload', tagNamesWhere(sql`given.is_auto`).as('auto_tags')])
    .select(sql<Date>`coalesce(session.active_at, session.last_message_at, session.created_at)`.as('inactive_since'))
    .execute();

/** Lists events by id. */
export const listEventsById = (db: Db, orgId: string, eventIds: string[]) =>
  selectEvents(db, orgId).where('event.id', '=', sql<string>`any(${eventIds}::uuid[])`).execute();

/** Lists the texts of events, without redacted and unknown ones. */
export const listContents = (db: Db, orgId: string, eventIds: string[]) =>
  db
    .selectFrom('session_events')
    .select(['id', 'content'])
    .where('org_id', '=', orgId)
    .where('id', '=', sql<string>`any(${eventIds}::uuid[])`)
    .where('content', 'is not', null)
    .$narrowType<{ content: NotNull }>()
    .execute();

/** Lists the payloads of closings by the ids of their events, without redacted ones. */
export const listClosedPayloads = (db: Db, orgId: string, eventIds: string[]) =>
  db
    .selectFrom('session_events')
    .select(['id', sql<unknown>`data -> 'closed_payload'`.as('payload')])
    .where('org_id', '=', orgId)
    .where('id', '=', sql<string>`any(${eventIds}::uuid[])`)
    .where(sql<boolean>`data ? 'closed_payload'`)
    .execute();

/** Lists the sessions of messages. */
export const listSessionsOfMessages = (db: Db, orgId: string, messageIds: string[]) =>
  db
    .selectFrom('session_events')
    .select(['id', 'session_id'])
    .where('org_id', '=', orgId)
    .where('id', '=', sql<string>`any(${messageIds}::uuid[])`)
    .execute();
