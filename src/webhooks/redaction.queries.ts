import { type RawBuilder, sql } from 'kysely';
import type { Trx } from '../db/connect.ts';

/** A delivery whose data was redacted. */
export interface RedactedDelivery {
  id: string;
  endpoint_id: string;
  status: string;
}

/** SQL: what says that a delivery was redacted. It is said at the statement's time, as transactions may be long. */
const REDACTED_NOW = sql`updated_at = now(), redacted_at = clock_timestamp()`;
const RETURNED = sql`returning delivery.id, delivery.endpoint_id, delivery.status`;

/** SQL: which message or score of a session a webhook is about, if it is about one. */
const SUBJECT = sql`coalesce(data #>> '{message,id}', data ->> 'message_id', data #>> '{score,id}', data ->> 'score_id')`;
/** What others have said is kept when one message is redacted. */
const OTHER_MESSAGES = ['message', 'score'];

/**
 * Redacts the texts of a session in its webhooks, besides what is at the kept paths. Of some messages: all in the webhooks
 * about them, and in the others what may repeat them.
 */
export async function redactWebhookTexts(
  trx: Trx,
  orgId: string,
  { sessionId, messageIds }: { sessionId: string; messageIds: string[] | 'all' },
  keptPaths: string[],
): Promise<RedactedDelivery[]> {
  const isConcerned = messageIds === 'all' ? sql`true` : sql`coalesce(${SUBJECT} = any(${messageIds}::text[]), false)`;
  const kept = sql`${keptPaths}::text[] || case when ${isConcerned} then '{}' else ${OTHER_MESSAGES}::text[] end`;
  const left = sql`jsonb_set(without_texts_but(data, '', ${kept}), '{session,sentiment}', 'null', false)`;
  const { rows } = await sql<RedactedDelivery>`
    update webhook_deliveries as delivery set ${REDACTED_NOW}, data = ${left}
    where org_id = ${orgId} and session_id = ${sessionId} and (${isConcerned} or data <> ${left})
    ${RETURNED}
  `.execute(trx);
  return rows;
}

/** Replaces the names of insights in their webhooks. */
export async function renameInsights(
  trx: Trx,
  orgId: string,
  insights: { id: string; content: string }[],
): Promise<RedactedDelivery[]> {
  const { rows } = await sql<RedactedDelivery>`
    update webhook_deliveries as delivery
    set ${REDACTED_NOW}, data = jsonb_set(data, '{insight,content}', to_jsonb(insight.content))
    from unnest(${insights.map(({ id }) => id)}::text[], ${insights.map(({ content }) => content)}::text[]) as insight (id, content)
    where org_id = ${orgId} and event_type like 'insight.%' and data -> 'insight' ->> 'id' = insight.id
      and data -> 'insight' ->> 'content' <> insight.content
    ${RETURNED}
  `.execute(trx);
  return rows;
}

/** SQL: whose data a webhook has, if it has a contact's. There is an index of it. */
const CONTACT_OF = sql`coalesce(data -> 'contact' ->> 'id', data -> 'delivery' ->> 'contact_id')`;
/** What is left of a deleted contact: its id and times. */
const DELETED_CONTACT = JSON.stringify({
  email: null,
  phone_number: null,
  phone: null,
  external_id: null,
  name: null,
  custom_data: {},
});

/** SQL: `data` without a contact's fields at a path, if there is a contact. */
const withoutContactAt = (data: RawBuilder<unknown>, path: string) => sql`(
  select case when jsonb_typeof(given #> ${path}::text[]) = 'object'
    then jsonb_set(given, ${path}::text[], (given #> ${path}::text[]) || ${DELETED_CONTACT}::jsonb) else given end
  from (select ${data} as given) as whole
)`;

/** Removes contacts' fields and addresses from their webhooks. */
export async function redactContacts(trx: Trx, orgId: string, contactIds: string[]): Promise<RedactedDelivery[]> {
  const shown = withoutContactAt(withoutContactAt(sql`data`, '{contact}'), '{session,contact}');
  const { rows } = await sql<RedactedDelivery>`
    update webhook_deliveries as delivery set ${REDACTED_NOW}, data = jsonb_set(${shown}, '{delivery,to}', 'null', false)
    where org_id = ${orgId} and ${CONTACT_OF} = any(${contactIds}::text[])
    ${RETURNED}
  `.execute(trx);
  return rows;
}

/**
 * Redacts what receivers have answered to deliveries. As a statement behind the one that has locked these, it sees the
 * tries of transactions for which that one has waited.
 */
export async function redactAnswers(trx: Trx, orgId: string, deliveryIds: string[]): Promise<void> {
  await sql`
    update webhook_attempts set answer = '[redacted]'
    where org_id = ${orgId} and delivery_id = any(${deliveryIds}::uuid[]) and answer is not null
  `.execute(trx);
}
