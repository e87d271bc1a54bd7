import { type Kysely, sql } from 'kysely';

/**
 * Each handoff of a session has a number. Until now there was one workflow of handoffs a session, of the number 1. What
 * a later handoff was to add to the ticketing system was never added: it is pending now, and its workflow reopens the parts.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table sessions add column handoffs integer not null default 0;
    update sessions as session set handoffs = 1 where handoff is not null or first_handoff_at is not null
      or exists (
        select from crm_handoff_parts as part where part.org_id = session.org_id and part.session_id = session.id
          and part.part in ('comment', 'conversation')
      );

    alter table automation_gates add column handoff_number integer;
    alter table crm_handoff_parts add column handoff_number integer not null default 1;

    update sessions as session set handoffs = 2
    where handoff->>'state' = 'pending' and jsonb_array_length(coalesce(handoff->'parts', '[]')) = 0 and exists (
      select from crm_handoff_parts as part where part.org_id = session.org_id and part.session_id = session.id
        and part.part in ('comment', 'conversation') and part.state in ('done', 'settled', 'skipped')
    );
    update crm_handoff_parts as part set state = 'pending', updated_at = now()
    from sessions as session
    where session.org_id = part.org_id and session.id = part.session_id and session.handoffs = 2
      and part.part in ('comment', 'conversation');
  `.execute(db);
}
