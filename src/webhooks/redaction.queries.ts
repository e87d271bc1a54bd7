import { sql } from 'kysely';
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
