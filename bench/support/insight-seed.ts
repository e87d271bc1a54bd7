import { sql } from 'kysely';
import type { Db } from '../../src/db/connect.ts';

const INSIGHTS = 2_000;
const CONTACTS = 50_000;
const OCCURRENCES_PER_SESSION = 2;
/** SQL: an insight by a number from 0 to 1, so that few have many occurrences. */
const NTH_INSIGHT = `1 + floor(${INSIGHTS} * power(share, 2.5))::int`;

/** Fills an org with insights, sessions and their occurrences. A tenth of the sessions has each of the rarer values. */
export async function seedInsights(db: Db, orgId: string, occurrences: number): Promise<void> {
  const sessions = occurrences / OCCURRENCES_PER_SESSION;
  await db.connection().execute(async (one) => {
    await sql`set statement_timeout = 0`.execute(one);
    await sql`set work_mem = '256MB'`.execute(one);
    await sql`set session_replication_role = replica`.execute(one); // no check of a million foreign keys
    await sql`select setseed(0.5)`.execute(one);
    await sql`
      insert into contacts (org_id, id, email, custom_data)
      select ${orgId}::uuid, uuidv7(), 'person' || n || '@example.com', jsonb_build_object('plan', 'p' || n % 50)
      from generate_series(1, ${CONTACTS}::bigint) n
    `.execute(one);
    await sql`
      with person as materialized (select id, row_number() over (order by id) - 1 as nth from contacts where org_id = ${orgId})
      insert into sessions (org_id, id, ticket_number, contact_id, channel, status, sentiment, language, custom_data, created_at)
      select ${orgId}::uuid, uuidv7(), n, person.id, (array['web', 'web', 'web', 'email', 'email', 'whatsapp', 'sms', 'api', 'slack', 'messenger'])[1 + n % 10],
        case when n % 10 = 3 then 'open' when n % 10 = 7 then 'closed_unresolved' else 'closed_resolved' end,
        (array[null, 'angry', 'neutral', 'happy'])[1 + n / 10 % 4], (array['en', 'en', 'en', 'de', 'fr'])[1 + n / 7 % 5],
        jsonb_build_object('product', 'p' || n % 50), timestamptz '2025-01-01' + n * (interval '365 days' / ${sessions})
      from generate_series(1, ${sessions}::bigint) n join person on person.nth = n % ${CONTACTS}
    `.execute(one);
    await sql`
      insert into insights (org_id, id, root_id, number, content, named_by, category, category_by, status, sentiment, created_at)
      select ${orgId}::uuid, id, id, n, 'Customers ask about matter ' || n || ' of ' || n % 97, 'quote',
        (array['Delivery', 'Payment', 'Account'])[1 + n % 4], case when n % 4 < 3 then 'person' end,
        case when n % 5 = 0 then 'resolved' when n % 11 = 0 then 'archived' else 'unresolved' end, null, timestamptz '2025-01-01'
      from (select uuidv7() as id, n from generate_series(1, ${INSIGHTS}::int) n) as made
    `.execute(one);
    await sql`
      insert into insight_statements (org_id, id, session_id, message_id, own_insight_id, insight_id, kind, content, quote, sentiment, said_at)
      select ${orgId}::uuid, uuidv7(), said.session_id, uuidv7(), insight.id, insight.id, 'problem', insight.content, insight.content,
        said.sentiment, said.created_at
      from (
        select session.id as session_id, session.created_at, ${sql.raw(NTH_INSIGHT)} as nth,
          case when ticket_number % 3 = 0 then 'angry' when ticket_number % 3 = 1 then 'neutral' end as sentiment
        from (select id, created_at, ticket_number, random() as share from sessions, generate_series(1, ${OCCURRENCES_PER_SESSION}::int)
          where org_id = ${orgId}) as session
      ) as said join insights as insight on insight.org_id = ${orgId} and insight.number = said.nth
    `.execute(one);
    const indexes = await dropIndexes(one);
    await sql`
      insert into insight_sessions (org_id, insight_id, session_id, sentiment, channel, language, status, ticket_sentiment, contact_id,
        session_created_at)
      select session.org_id, said.insight_id, session.id, said.sentiment, session.channel, session.language, session.status,
        session.sentiment, session.contact_id, session.created_at
      from (select insight_id, session_id, min(sentiment) as sentiment from insight_statements where org_id = ${orgId} group by 1, 2) as said
      join sessions as session on session.org_id = ${orgId} and session.id = said.session_id
    `.execute(one);
    await sql`
      update insights as insight set occurrence_count = counted.sessions, first_seen_at = counted.first, last_seen_at = counted.last
      from (select insight_id, count(distinct session_id) as sessions, min(said_at) as first, max(said_at) as last
        from insight_statements where org_id = ${orgId} group by insight_id) as counted
      where insight.org_id = ${orgId} and insight.id = counted.insight_id
    `.execute(one);
    for (const definition of indexes) await sql.raw(definition).execute(one);
    await sql`vacuum analyze`.execute(one);
    await sql`reset all`.execute(one);
  });
}

/** Drops what lists filter by until all rows are there, and returns the definitions. */
async function dropIndexes(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string; definition: string }>`
    select indexname as name, indexdef as definition from pg_indexes
    where tablename = 'insight_sessions' and indexname like 'insight_sessions_by%'
  `.execute(db);
  for (const { name } of rows) await sql`drop index ${sql.ref(name)}`.execute(db);
  return rows.map(({ definition }) => definition);
}
