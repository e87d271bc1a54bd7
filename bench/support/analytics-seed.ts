import { sql } from 'kysely';
import type { Db } from '../../src/db/connect.ts';

const SHIFTS = JSON.stringify([
  {
    id: '00000000-0000-4000-8000-000000000000',
    day_of_week: 'monday_to_friday',
    start_time: '09:00:00',
    end_time: '17:00:00',
  },
]);

/** SQL: the time of the nth of all, over the last 365 days. */
const timeOf = (nth: string, all: number) => sql.raw(`now() - interval '365 days' * (1 - ${nth}::float8 / ${all})`);

/**
 * Fills an org with a year of sessions with five messages each, and as many deliveries as messages. A fifth of that are
 * runs, scores, SLA clocks and turns. The AI resolved a fifth of the sessions, and a fifth of these contacts came back.
 * Half of the teams have office hours.
 */
export async function seedAnalytics(db: Db, orgId: string, sessions: number): Promise<void> {
  await db.connection().execute(async (one) => {
    await sql`set statement_timeout = 0`.execute(one);
    await seedTeams(one, orgId);
    await seedSessions(one, orgId, sessions);
    await seedDeliveries(one, orgId, sessions * 5);
    await seedRuns(one, orgId, sessions);
    await seedTurns(one, orgId, sessions);
    await sql`vacuum analyze`.execute(one);
    await sql`reset statement_timeout`.execute(one);
  });
}

async function seedTeams(db: Db, orgId: string): Promise<void> {
  await sql`
    with hours as (
      insert into office_hours (org_id, id, name, iana_timezone, shifts, holidays)
      values (${orgId}, uuidv7(), 'Office', 'Europe/Berlin', ${SHIFTS}, '[]') returning id
    )
    insert into teams (org_id, id, name, is_support_enabled, support_office_hours_id, support_assignment_strategy)
    select ${orgId}::uuid, uuidv7(), 'Team ' || n, true, case when n % 2 = 0 then hours.id end, 'unassigned'
    from hours, generate_series(1, 12) n
  `.execute(db);
}

async function seedSessions(db: Db, orgId: string, sessions: number): Promise<void> {
  await sql`
    insert into sessions (org_id, id, ticket_number, channel, status, team_id, custom_data, created_at, closed_at, last_message_at,
      last_seq, last_contact_seq, contact_messages, ai_messages, agent_messages, first_contact_message_at, first_ai_message_at, first_agent_message_at,
      first_handoff_at)
    select ${orgId}::uuid, uuidv7(), n, case when n % 3 = 0 then 'email' else 'web' end,
      case when n % 10 < 2 then 'open' else 'closed_resolved' end, teams.ids[1 + n % 12],
      jsonb_build_object('plan', 'pro', 'order', 'No ' || n), at, case when n % 10 >= 2 then at + n % 300 * interval '1 hour' end,
      at + n % 90 * interval '1 hour', case when n % 25 = 0 then 7 when n % 5 = 0 then 6 else 5 end, case when n % 25 = 0 then 7 else 5 end,
      2, 1, 2, at, at + interval '2 seconds', at + n % 900 * interval '1 minute',
      case when n % 4 = 0 then at + interval '1 minute' end
    from (select n, ${timeOf('n', sessions)} as at from generate_series(1, ${sessions}::bigint) n) as made,
      (select array(select id from teams where org_id = ${orgId}) as ids) as teams
  `.execute(db);
  await sql`
    insert into session_events (org_id, session_id, seq, id, type, sender, content, created_at)
    select org_id, id, seq, uuidv7(), 'message', case when seq % 2 = 1 then 'contact' else 'human_agent' end, 'Where is my order?',
      created_at + seq * interval '1 minute'
    from sessions, generate_series(1, 5) seq where org_id = ${orgId}
  `.execute(db);
  await sql`
    insert into session_events (org_id, session_id, seq, id, type, data, created_at)
    select org_id, id, 6, uuidv7(), 'ai_resolved_issue', '{"closure": "resolved"}', created_at + interval '6 minutes'
    from sessions where org_id = ${orgId} and ticket_number % 5 = 0
  `.execute(db);
  await sql`
    insert into session_events (org_id, session_id, seq, id, type, sender, content, created_at)
    select org_id, id, 7, uuidv7(), 'message', 'contact', 'It is still not here.', created_at + interval '1 day'
    from sessions where org_id = ${orgId} and ticket_number % 25 = 0
  `.execute(db);
  await sql`
    insert into csat_scores (org_id, id, session_id, resolution, score, created_at)
    select org_id, uuidv7(), id, 1, 1 + ticket_number % 5, created_at from sessions where org_id = ${orgId}
  `.execute(db);
  await sql`
    insert into sla_clocks (org_id, session_id, metric, cycle, target_seconds, elapsed_seconds, changes_told, stopped_at, outcome, decided_at)
    select org_id, id, 'resolution', 1, 3600, ticket_number % 5000, 1, created_at, case when ticket_number % 9 = 0 then 'breached' else 'met' end, created_at
    from sessions where org_id = ${orgId}
  `.execute(db);
}

const seedDeliveries = (db: Db, orgId: string, deliveries: number) =>
  sql`
    insert into deliveries (org_id, id, channel, "to", status, provider, content, created_at, updated_at)
    select ${orgId}::uuid, uuidv7(), (array['email', 'sms', 'whatsapp'])[1 + n % 3], 'person' || n || '@example.com',
      (array['delivered', 'read', 'sent', 'failed', 'bounced', 'skipped'])[1 + n % 6], 'smtp',
      jsonb_build_object('subject', 'News', 'body', repeat('word ', 20)), ${timeOf('n', deliveries)}, now()
    from generate_series(1, ${deliveries}::bigint) n
  `.execute(db);

async function seedRuns(db: Db, orgId: string, runs: number): Promise<void> {
  await sql`
    with made as (
      insert into automations (org_id, id, webhook_token) select ${orgId}::uuid, uuidv7(), 'token ' || n from generate_series(1, 10) n returning id
    )
    insert into automation_versions (org_id, automation_id, version_number, name, trigger_type, workflow_blocks)
    select ${orgId}::uuid, id, 1, 'Workflow', 'manual-trigger', '[]' from made
  `.execute(db);
  await sql`
    insert into automation_runs (org_id, id, automation_id, version_id, status, trigger_cause, trigger_key, trigger_output, created_at, run_started_at, run_ended_at)
    select ${orgId}::uuid, uuidv7(), version.automation_id, version.id, case when n % 20 = 0 then 'failed' else 'completed' end, 'automatic',
      'key ' || n, '{}', at, at, at + n % 60 * interval '1 second'
    from (select n, ${timeOf('n', runs)} as at from generate_series(1, ${runs}::bigint) n) as made
    join (select *, row_number() over (order by id) as nth from automation_versions where org_id = ${orgId}) as version on version.nth = 1 + n % 10
  `.execute(db);
}

async function seedTurns(db: Db, orgId: string, turns: number): Promise<void> {
  await sql`
    insert into ai_turns (org_id, id, session_id, number, state, first_seq, last_seq, answers, message_id, config_version, due_at, ended_at, created_at)
    select org_id, uuidv7(), id, 1, (array['answered', 'asked', 'handed_off', 'skipped'])[1 + ticket_number % 4], 1, 1, '{}', uuidv7(), 1,
      created_at, created_at, created_at
    from sessions where org_id = ${orgId} and ticket_number <= ${turns}
  `.execute(db);
  await sql`
    insert into ai_steps (org_id, turn_id, step, purpose, usage, cost, latency_ms, created_at)
    select org_id, id, step, (array['gates', 'search', 'answer'])[step], case when step = 3 then '{"input": 900, "output": 80, "cached": 0, "estimated": false}'::jsonb end,
      case when step = 3 then 0.001 end, 20, created_at
    from ai_turns, generate_series(1, 3) step where org_id = ${orgId}
  `.execute(db);
}
