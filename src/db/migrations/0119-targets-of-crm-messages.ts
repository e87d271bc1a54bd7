import { type Kysely, sql } from 'kysely';

/**
 * A session between a customer in one system and agents in another has messages to both. What the customer wrote goes to
 * the agents, and all else to the customer.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table crm_messages add column target text check (target in ('thread', 'miaw'));
    update crm_messages as message set target = case when exists (
      select from session_events as event where event.org_id = message.org_id and event.id = message.id and event.sender = 'contact'
    ) then 'miaw' else 'thread' end;
    alter table crm_messages alter column target set not null;

    drop index crm_messages_to_send;
    create index crm_messages_to_send on crm_messages (org_id, session_id, target, id) where state in ('queued', 'sending');
  `.execute(db);
}
