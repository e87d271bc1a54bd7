import { sql } from 'kysely';
import type { Db } from '../../src/db/connect.ts';

const MESSAGES_PER_SESSION = 10;
const MAX_CONCURRENT_BATCHES = 2;

/**
 * SQL: dense, sparse and old values of each field, by prime factors of a session's number. The number rises in the
 * order of creation.
 */
const SESSIONS = `
  select $1::uuid as org_id, uuidv7() as id, n as ticket_number,
    person.id as contact_id,
    case when n % 4999 = 3 then 'instagram' when n < $2 / 50 then 'messenger' when n % 3 = 0 then 'email' else 'web' end as channel,
    case when n % 10 < 2 then 'open' when n % 10 < 8 then 'closed_resolved' else 'closed_unresolved' end as status,
    case when n % 3001 = 5 then 7 end as custom_status_id,
    case when n % 2 = 0 then 'resolved' when n % 2503 = 1 then 'assumed_resolved' end as ai_closure_type,
    case when n % 401 = 7 then 'angry' when n % 2 = 0 then 'neutral' end as sentiment,
    case when n % 4 > 0 then member_ids[1 + n % array_length(member_ids, 1)] end as assignee_id,
    case when n % 5 > 0 then team_ids[1 + n % array_length(team_ids, 1)] end as team_id,
    case when n % 997 = 11 then 'cy' when n % 20 = 1 then 'zh' when n % 5 = 0 then 'de' else 'en' end as language,
    case when n % 3 = 0 then 'customers' when n % 3 = 1 then 'human_agents' end as waiting_on,
    case when n % 3 = 0 then '{}' else jsonb_build_object('plan', case when n % 7 = 0 then 'pro' else 'free' end, 'order', 'No ' || n) end
      || case when n % 2999 = 13 then '{"tier": "rare"}'::jsonb else '{}' end as custom_data,
    timestamptz '2025-01-01' + n * (interval '365 days' / $2) as created_at,
    case when n % 40 > 0 then timestamptz '2025-01-01' + n * (interval '365 days' / $2) + n * 31 % 300 * interval '1 hour' end as last_message_at,
    ${MESSAGES_PER_SESSION} as last_seq
  from generate_series(1, $2::bigint) n join person on person.nth = n % ($2 / 2)`;

/** SQL: a word-like text of three syllables, determined by a number. */
const syllables = (number: string) => `(
  substr('bcdfghklmnprstvz', 1 + (${number} % 16)::int, 1) || substr('aeiou', 1 + (${number} / 16 % 5)::int, 1)
  || substr('bcdfghklmnprstvz', 1 + (${number} / 80 % 16)::int, 1) || substr('aeiou', 1 + (${number} / 1280 % 5)::int, 1)
  || substr('lmnrst', 1 + (${number} / 6400 % 6)::int, 1) || substr('aeiou', 1 + (${number} / 38400 % 5)::int, 1))`;

/** SQL: the words of a message. The first words of the vocabulary are in most messages, the last in few. */
const MESSAGE_TEXT = `
  case when n % 20 = 1 then
    array_to_string(array(select chr(19968 + floor(exp(random() * ln(3000)))::int) from generate_series(1, 24 + n % 5)), '')
  else
    array_to_string(array(select ${syllables('k')} from (
      select floor(exp(random() * ln(20000)))::bigint * 15485863 as k from generate_series(1, 14 + n % 5) offset 0) as drawn), ' ')
  end`;

/**
 * Fills an org with sessions, ten messages each, contacts, members, teams and tags. Values are random, but the same
 * each time.
 */
export async function seedConversations(db: Db, orgId: string, sessions: number): Promise<void> {
  await sql`
    insert into contacts (org_id, id, email, phone_number, name)
    select ${orgId}::uuid, uuidv7(), 'person' || n || '@d' || n % 501 || '.example', '+4420' || 70000000 + n,
      initcap(${sql.raw(syllables('(n * 7919)'))}) || ' ' || initcap(${sql.raw(syllables('(n * 104729 + 17)'))})
    from generate_series(1, ${sessions / 2}::bigint) n
  `.execute(db);
  await sql`
    with person as (insert into users (email) select 'agent' || n || '@' || ${orgId} || '.example' from generate_series(1, 60) n returning id)
    insert into members (org_id, user_id, name) select ${orgId}::uuid, id, 'Agent' from person
  `.execute(db);
  await sql`
    insert into teams (org_id, id, name, is_support_enabled, support_assignment_strategy)
    select ${orgId}::uuid, uuidv7(), 'Team ' || n, true, 'unassigned' from generate_series(1, 12) n
  `.execute(db);
  await sql`
    insert into tags (org_id, tag_key, tag_name, exclude_from_auto_tagging)
    select ${orgId}::uuid, key, key, false from unnest(array['common', 'half', 'rare', 'unused']) key
  `.execute(db);
  const one = (column: string, table: string) =>
    sql.raw(`array(select ${column} from ${table} where org_id = '${orgId}' order by 1)`);
  await sql`
    with person as materialized (select id, row_number() over (order by id) - 1 as nth from contacts where org_id = ${orgId})
    insert into sessions (org_id, id, ticket_number, contact_id, channel, status, custom_status_id, ai_closure_type, sentiment, assignee_id,
      team_id, language, waiting_on, custom_data, created_at, last_message_at, last_seq)
    select made.* from (select ${one('user_id', 'members')} as member_ids, ${one('id', 'teams')} as team_ids)
      as cast_of, lateral (${sql.raw(SESSIONS.replaceAll('$1', `'${orgId}'`).replaceAll('$2', String(sessions)))}) as made
  `.execute(db);
  await sql`insert into ticket_counters (org_id, last_number) values (${orgId}, ${sessions})`.execute(db);
  await sql`
    insert into session_tags (org_id, session_id, tag_key)
    select org_id, id, key from sessions, unnest(array['common', 'half', 'rare']) key
    where org_id = ${orgId} and ticket_number % (case key when 'common' then 1 when 'half' then 2 else 1499 end) = 0
  `.execute(db);
  const parts = Array.from({ length: MAX_CONCURRENT_BATCHES }, (_, part) => [
    Math.floor((sessions * part) / MAX_CONCURRENT_BATCHES),
    Math.floor((sessions * (part + 1)) / MAX_CONCURRENT_BATCHES),
  ]);
  await Promise.all(parts.map(([after, to]) => seedMessages(db, orgId, after as number, to as number)));
}

async function seedMessages(db: Db, orgId: string, after: number, to: number): Promise<void> {
  await db.connection().execute(async (one) => {
    await sql`set statement_timeout = 0`.execute(one);
    await sql`select setseed(0.5)`.execute(one);
    await sql`
      insert into session_events (org_id, session_id, seq, id, type, sender, content, language, created_at)
      select org_id, session_id, seq, uuidv7(), case when seq = 9 then 'human_agent_comment' else 'message' end,
        case when seq = 9 then null when seq % 2 = 1 then 'contact' else 'human_agent' end,
        ${sql.raw(MESSAGE_TEXT)} || case when n % 20011 = 1000 then ' kaleidoscope' else '' end, language, created_at + seq * interval '1 minute'
      from (
          select org_id, id as session_id, seq, language, created_at, ticket_number * ${sql.raw(String(MESSAGES_PER_SESSION))} + seq as n
          from sessions, generate_series(1, ${sql.raw(String(MESSAGES_PER_SESSION))}) seq
          where org_id = ${orgId} and ticket_number > ${after} and ticket_number <= ${to}
          order by ticket_number, seq
        ) as message
    `.execute(one);
    await sql`reset statement_timeout`.execute(one);
  });
}
