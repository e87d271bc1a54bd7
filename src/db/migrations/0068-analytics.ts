import { type Kysely, sql } from 'kysely';

/**
 * What reports read. A session's row counts its messages and has the times of the first ones: they are written by the
 * statement that appends the messages, so a report need not read the messages.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table sessions
      add column contact_messages integer not null default 0,
      add column ai_messages integer not null default 0,
      add column agent_messages integer not null default 0,
      add column first_contact_message_at timestamptz(3),
      add column first_ai_message_at timestamptz(3),
      add column first_agent_message_at timestamptz(3),
      add column first_handoff_at timestamptz(3);
    update sessions set contact_messages = counted.contact_messages, ai_messages = counted.ai_messages,
      agent_messages = counted.agent_messages, first_contact_message_at = counted.first_contact_message_at,
      first_ai_message_at = counted.first_ai_message_at, first_agent_message_at = counted.first_agent_message_at,
      first_handoff_at = counted.first_handoff_at
    from (
      select org_id, session_id, count(*) filter (where sender = 'contact') as contact_messages,
        count(*) filter (where sender = 'ai') as ai_messages, count(*) filter (where sender = 'human_agent') as agent_messages,
        min(created_at) filter (where sender = 'contact') as first_contact_message_at,
        min(created_at) filter (where sender = 'ai') as first_ai_message_at,
        min(created_at) filter (where sender = 'human_agent') as first_agent_message_at,
        min(created_at) filter (where type = 'handoff') as first_handoff_at
      from session_events where type in ('message', 'handoff') group by org_id, session_id
    ) as counted
    where sessions.org_id = counted.org_id and sessions.id = counted.session_id;
    create index session_events_ai_resolved on session_events (org_id, created_at) where type = 'ai_resolved_issue';
    create index csat_scores_by_creation on csat_scores (org_id, created_at, id);
    create index automation_runs_by_creation on automation_runs (org_id, created_at);
  `.execute(db);
}
