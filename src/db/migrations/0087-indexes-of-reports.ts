import { type Kysely, sql } from 'kysely';

/**
 * Reports over a year read most rows of an org. With all that they count in the index by time, they need not visit the
 * rows. Each index takes the place of one with the same order.
 */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql`
    drop index sessions_by_creation;
    create index sessions_by_creation on sessions (org_id, created_at, id) include (
      status, channel, team_id, assignee_id, language, contact_messages, ai_messages, agent_messages,
      first_contact_message_at, first_ai_message_at, first_agent_message_at, first_handoff_at, closed_at
    );
    drop index deliveries_by_creation;
    create index deliveries_by_creation on deliveries (org_id, created_at, id)
      include (status, channel, provider, sequence_id);
    drop index csat_scores_by_creation;
    create index csat_scores_by_creation on csat_scores (org_id, created_at, id) include (score, session_id);
    drop index automation_runs_by_creation;
    create index automation_runs_by_creation on automation_runs (org_id, created_at)
      include (status, automation_id, trigger_cause, is_test_run, run_started_at, run_ended_at);
    drop index sla_clocks_by_decision;
    create index sla_clocks_by_decision on sla_clocks (org_id, decided_at)
      include (metric, outcome, elapsed_seconds, stopped_at, policy_id, session_id) where decided_at is not null;
    drop index ai_turns_by_creation;
    create index ai_turns_by_creation on ai_turns (org_id, created_at, id) include (state, session_id);
  `.execute(db);
};
