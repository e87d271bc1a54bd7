import { type RawBuilder, sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import { orderedByCreation, type PageRequest } from '../../db/cursor.ts';
import { onlyRow } from '../../db/rows.ts';
import type { Actor } from '../../schemas/actor.ts';
import type { RedactionsTable } from './table.ts';

/** The event of a redacted text, without the text. */
export interface RedactedEvent {
  id: string;
  type: string;
  attachments: { media_id: string }[];
}

/**
 * Removes the texts of a session's events, or of one event and those about it: content, file names, reasons and
 * payloads. Returns the events with removed texts. The session must be locked.
 */
export async function redactEvents(
  trx: Trx,
  orgId: string,
  sessionId: string,
  eventId: string | null,
): Promise<RedactedEvent[]> {
  const { rows } = await sql<RedactedEvent>`
    with held as (
      select org_id, session_id, seq, id, type, coalesce(data->'attachments', '[]') as attachments from session_events
      where org_id = ${orgId} and session_id = ${sessionId} and (${eventId}::uuid is null or id = ${eventId}::uuid or data->>'about' = ${eventId}::text)
        and (content is not null or data ?| array['attachments', 'client_context'] or data->>'reason' is not null or data->>'payload' is not null)
        and type <> 'redacted'
    )
    update session_events as event set content = null, own_words = null,
      data = event.data - array['attachments', 'client_context', 'confirmation', 'reply_to', 'subject', 'cc'] || '{"redacted": true}'::jsonb
      || case when event.data ? 'reason' then '{"reason": null}'::jsonb else '{}' end
      || case when event.data ? 'payload' then '{"payload": null}'::jsonb else '{}' end
    from held
    where event.org_id = held.org_id and event.session_id = held.session_id and event.seq = held.seq
    returning held.id, held.type, held.attachments
  `.execute(trx);
  return rows;
}

/**
 * Removes the conclusions from a session's texts: summaries and sentiments. With `isWhole` also the handoff's reason
 * and the payloads of its closings.
 */
export async function redactSummaries(
  trx: Trx,
  orgId: string,
  sessionId: string,
  { isWhole }: { isWhole: boolean },
): Promise<void> {
  await sql`
    with closings as (
      update session_events set data = data - 'closed_payload'
      where ${isWhole}::boolean and org_id = ${orgId} and session_id = ${sessionId} and type = 'status_changed' and data ? 'closed_payload'
    )
    update sessions set summary = null, summary_by = null, sentiment = null,
      handoff = handoff || '{"summary": null, "summary_by": null, "sentiment": null}' || case when ${isWhole}::boolean then '{"reason": null}'::jsonb else '{}' end,
      session_closed_payload = case when ${isWhole}::boolean then null else session_closed_payload end
    where org_id = ${orgId} and id = ${sessionId}
  `.execute(trx);
}

/** SQL: how often texts of a session were removed. */
export const redactionsOf = (orgId: string, sessionId: string | RawBuilder<unknown>): RawBuilder<number> =>
  sql<number>`(select count(*)::integer from redactions where org_id = ${orgId} and session_id = ${sessionId} and affected > 0)`;

/** Returns how often texts of a session were removed. */
export async function countRedactions(db: Db, orgId: string, sessionId: string): Promise<number> {
  const counted = await sql<{ count: number }>`select ${redactionsOf(orgId, sessionId)} as count`.execute(db);
  return onlyRow(counted).count;
}

export async function insertRedaction(
  trx: Trx,
  { actor, ...redaction }: Omit<RedactionsTable, 'created_at' | 'actor'> & { actor: Actor },
): Promise<void> {
  await trx
    .insertInto('redactions')
    .values({ ...redaction, actor: JSON.stringify(actor) })
    .execute();
}

/** SQL: the actor behind a `redaction`. One of an earlier version has its actor in the history, or is of a key. */
const ACTOR = sql<Actor>`coalesce(redaction.actor, event.actor,
  jsonb_build_object('kind', 'key', 'id', redaction.api_key_id, 'name', null))`;

/** Lists a page of redactions, oldest first. */
export const listRedactions = (db: Db, orgId: string, sessionId: string | undefined, page: PageRequest) =>
  db
    .selectFrom('redactions as redaction')
    .leftJoin('session_events as event', (join) =>
      join.onRef('event.org_id', '=', 'redaction.org_id').onRef('event.id', '=', 'redaction.id'),
    )
    .select(['redaction.id', 'redaction.kind', 'redaction.session_id', 'redaction.message_id', 'redaction.feedback_id'])
    .select(['redaction.reason', 'redaction.affected', 'redaction.created_at', ACTOR.as('actor')])
    .where('redaction.org_id', '=', orgId)
    .$if(sessionId !== undefined, (query) => query.where('redaction.session_id', '=', sessionId ?? ''))
    .$call(orderedByCreation(page, 'redaction'))
    .execute();
