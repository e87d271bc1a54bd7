import { type RawBuilder, sql } from 'kysely';
import type { Trx } from '../db/connect.ts';

/**
 * Redacts the texts of a session in its webhooks, and in what receivers have answered to them. Contact fields, ids,
 * times and statuses stay. What was not sent yet is sent without the texts.
 */
export async function redactWebhookTexts(trx: Trx, orgId: string, sessionId: string): Promise<void> {
  await sql`
    with redacted as (
      update webhook_deliveries set updated_at = now(), data = without_texts(data - array['contact', 'url'], '')
        || case when data ? 'contact' then jsonb_build_object('contact', data -> 'contact') else '{}' end
        || case when data ? 'url' then jsonb_build_object('url', data -> 'url') else '{}' end
      where org_id = ${orgId} and session_id = ${sessionId}
      returning id
    )
    update webhook_attempts as attempt set answer = case when answer is null then null else '[redacted]' end
    from redacted where attempt.org_id = ${orgId} and attempt.delivery_id = redacted.id
  `.execute(trx);
}

/** Replaces the names of insights in their webhooks, and what receivers have answered to the former ones. */
export async function renameInsights(
  trx: Trx,
  orgId: string,
  insights: { id: string; content: string }[],
): Promise<void> {
  await sql`
    with renamed as (
      update webhook_deliveries as delivery
      set updated_at = now(), data = jsonb_set(data, '{insight,content}', to_jsonb(insight.content))
      from unnest(${insights.map(({ id }) => id)}::text[], ${insights.map(({ content }) => content)}::text[]) as insight (id, content)
      where org_id = ${orgId} and event_type like 'insight.%' and data -> 'insight' ->> 'id' = insight.id
        and data -> 'insight' ->> 'content' <> insight.content
      returning delivery.id
    )
    update webhook_attempts as attempt set answer = case when answer is null then null else '[redacted]' end
    from renamed where attempt.org_id = ${orgId} and attempt.delivery_id = renamed.id
  `.execute(trx);
}

/** SQL: whose data a webhook has, if it has a contact's. There is an index of it. */
const CONTACT_OF = sql`coalesce(data -> 'contact' ->> 'id', data -> 'delivery' ->> 'contact_id')`;
/** What is left of a deleted contact: its id and times. */
const DELETED_CONTACT = JSON.stringify({ email: null, phone_number: null, name: null, custom_data: {} });

/** SQL: `data` without a contact's fields at a path, if there is a contact. */
const withoutContactAt = (data: RawBuilder<unknown>, path: string) => sql`(
  select case when jsonb_typeof(given #> ${path}::text[]) = 'object'
    then jsonb_set(given, ${path}::text[], (given #> ${path}::text[]) || ${DELETED_CONTACT}::jsonb) else given end
  from (select ${data} as given) as whole
)`;

/** Removes contacts' fields and addresses from their webhooks, and what receivers have answered to these. */
export async function redactContacts(trx: Trx, orgId: string, contactIds: string[]): Promise<void> {
  const shown = withoutContactAt(withoutContactAt(sql`data`, '{contact}'), '{session,contact}');
  await sql`
    with redacted as (
      update webhook_deliveries set updated_at = now(),
        data = jsonb_set(${shown}, '{delivery,to}', 'null', false)
      where org_id = ${orgId} and ${CONTACT_OF} = any(${contactIds}::text[])
      returning id
    )
    update webhook_attempts as attempt set answer = case when answer is null then null else '[redacted]' end
    from redacted where attempt.org_id = ${orgId} and attempt.delivery_id = redacted.id
  `.execute(trx);
}
