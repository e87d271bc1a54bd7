import { type Kysely, sql } from 'kysely';

/**
 * A call knows the message that asks its customer, and the message that has decided it: a yes or no is about a question
 * before it, and decides once.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table ai_calls
      add column asked_message_id uuid,
      add column decided_message_id uuid;
    update ai_calls as call set asked_message_id = (
      select id from session_events as event
      where event.org_id = call.org_id and event.session_id = call.session_id and event.data->'confirmation'->>'id' = call.id::text
      order by seq desc limit 1
    )
    where state = 'needs_confirmation' and token_hash is not null;
  `.execute(db);
}
