import { sql } from 'kysely';
import type { Db } from '../../src/db/connect.ts';
import { seedAnalytics } from './analytics-seed.ts';
import { EMAIL } from './seed.ts';

const CONTACTS = 1_000_000;
const SEQUENCES = 200;
const LARGEST_SEQUENCE = 50_000;
const SEQUENCE_CONTACTS = 250;
const RUNS = 10_000;
const CRAWLED_PAGES = 5_000;
const CRAWLS = 30;
const WEBHOOK_DELIVERIES = 100_000;
const AUDIT_ENTRIES = 100_000;
const SUPPRESSIONS = 50_000;
const INSIGHTS = 2_000;
const ARTICLES = 2_000;
const HELP_ARTICLES = 1_000;
const MEMBERS = 60;
const TAGS = 200;
const REPLIES = 200;
const CONTACT_DELIVERIES = 1_000;

const FIRST_NAMES =
  'Ada Ben Chloe David Elena Farid Grace Hugo Ines Jonas Kemal Lena Mateo Nora Omar Paula Quinn Rosa Samir Tessa';
const LAST_NAMES =
  'Almeida Bergmann Castillo Dubois Eriksen Fischer Garcia Haddad Ivanova Jansen Kowalski Lindqvist Moreau Nakamura Okafor Petrov Quiroga Rossi Schneider Tanaka';

/** Of a full org, what its lists are addressed by. */
export interface SeededConsole {
  sequenceId: string;
  workflowId: string;
  websiteId: string;
  contactId: string;
}

/**
 * Fills an org as much as its largest lists shall bear: a million contacts, 200 sequences of which one has 50,000
 * contacts, 10,000 runs, 5,000 crawled pages, a year of conversations and deliveries, and more than a page of each other
 * list. The endpoint, made before, gets 100,000 deliveries. Needs a superuser: no trigger and no foreign key is checked.
 */
export async function seedConsole(db: Db, orgId: string, endpointId: string): Promise<SeededConsole> {
  await seedAnalytics(db, orgId, RUNS);
  return db.connection().execute(async (one) => {
    await sql`set statement_timeout = 0`.execute(one);
    await sql`set session_replication_role = replica`.execute(one);
    await sql`set maintenance_work_mem = '1GB'`.execute(one);
    await refilled(one, 'contacts', () => seedContacts(one, orgId));
    await seedConversations(one, orgId);
    const sequenceId = await seedSequences(one, orgId);
    const websiteId = await seedWebsites(one, orgId);
    await seedKnowledge(one, orgId);
    await seedSettings(one, orgId, endpointId);
    const contactId = await idOf(one, sql`select id from contacts where org_id = ${orgId} order by created_at limit 1`);
    await seedDeliveriesOf(one, orgId, contactId);
    await sql`reset all`.execute(one);
    await sql`set statement_timeout = 0`.execute(one);
    await sql`vacuum analyze`.execute(one);
    await sql`reset statement_timeout`.execute(one);
    return {
      sequenceId,
      websiteId,
      contactId,
      workflowId: await idOf(one, sql`select id from automations where org_id = ${orgId} order by id limit 1`),
    };
  });
}

async function idOf(db: Db, rows: ReturnType<typeof sql>): Promise<string> {
  const { rows: found } = await sql<{ id: string }>`${rows}`.execute(db);
  const [first] = found;
  if (first === undefined) throw new Error('Nothing was seeded');
  return first.id;
}

/** Fills a table without its indexes, which are made again afterwards: many times faster than row by row. */
async function refilled(db: Db, table: string, fill: () => Promise<unknown>): Promise<void> {
  const { rows } = await sql<{ name: string; definition: string }>`
    select indexname as name, indexdef as definition from pg_indexes
    where schemaname = 'public' and tablename = ${table}
      and indexname not in (select conname from pg_constraint where conrelid = ${table}::regclass)
  `.execute(db);
  for (const { name } of rows) await sql`drop index ${sql.ref(name)}`.execute(db);
  await fill();
  for (const { definition } of rows) await sql.raw(definition).execute(db);
}

const wordOf = (words: string, number: string) =>
  sql.raw(`(string_to_array('${words}', ' '))[1 + (${number}) % ${words.split(' ').length}]`);

const seedContacts = (db: Db, orgId: string) =>
  sql`
    insert into contacts (org_id, id, email, phone_number, name, custom_data, created_at, updated_at)
    select ${orgId}::uuid, uuidv7(), 'person' || n || '@d' || n % 5003 || '.example',
      case when n % 3 = 0 then '+44207' || 1000000 + n end,
      ${wordOf(FIRST_NAMES, 'n * 7919')} || ' ' || ${wordOf(LAST_NAMES, 'n / 20')},
      jsonb_build_object('plan', case when n % 20 = 0 then 'pro' else 'free' end),
      now() - interval '365 days' * (1 - n::float8 / ${CONTACTS}::float8), now() - interval '365 days' * (1 - n::float8 / ${CONTACTS}::float8)
    from generate_series(1, ${CONTACTS}::bigint) n
  `.execute(db);

/** Gives the sessions of the year a contact each, and lets the open ones wait. */
const seedConversations = (db: Db, orgId: string) =>
  sql`
    with person as (
      select id, row_number() over (order by id) as nth
      from (select id from contacts where org_id = ${orgId} order by created_at limit ${RUNS}) as first
    )
    update sessions set contact_id = person.id, last_message_seq = 5,
      waiting_on = case when status = 'open' then 'human_agents' end,
      waiting_since = case when status = 'open' then last_message_at end
    from person where org_id = ${orgId} and ticket_number = nth
  `.execute(db);

async function seedSequences(db: Db, orgId: string): Promise<string> {
  const action = JSON.stringify({ type: 'send_emails', data: EMAIL });
  await sql`
    insert into sequences (org_id, id, name, is_continuous, filter, status, created_at, started_at)
    select ${orgId}::uuid, uuidv7(), 'Sequence ' || n, n % 3 = 0, null,
      (array['active', 'complete', 'paused', 'canceled'])[1 + n % 4], now() - n * interval '1 hour', now() - n * interval '1 hour'
    from generate_series(1, ${SEQUENCES}::int) n
  `.execute(db);
  await sql`
    insert into sequence_steps (org_id, id, sequence_id, position, action, delay_in_minutes)
    select org_id, uuidv7(), id, position, ${action}::jsonb, 2880 from sequences, generate_series(0, 2) position
    where org_id = ${orgId}
  `.execute(db);
  await sql`
    with numbered as (
      select id, row_number() over (order by created_at desc) as nth from sequences where org_id = ${orgId}
    ), person as materialized (
      select id, row_number() over (order by created_at desc) as n
      from (select id, created_at from contacts where org_id = ${orgId} order by created_at desc limit ${LARGEST_SEQUENCE}) as newest
    )
    insert into enrollments (org_id, id, sequence_id, contact_id, status, last_step_id, anchor_at, created_at, ended_at, exit_reason)
    select ${orgId}::uuid, uuidv7(), numbered.id, person.id, (array['active', 'complete', 'exited'])[1 + n % 3],
      (select step.id from sequence_steps as step where step.org_id = ${orgId} and step.sequence_id = numbered.id and step.position = n % 3),
      now(), now() - n * interval '1 second', case when n % 3 > 0 then now() end, case when n % 3 = 2 then 'replied' end
    from numbered join person on n <= case when nth = 1 then ${LARGEST_SEQUENCE}::int else ${SEQUENCE_CONTACTS}::int end
  `.execute(db);
  await sql`
    insert into deliveries (org_id, id, channel, sequence_id, enrollment_id, step_id, contact_id, "to", status, reason, provider, content,
      created_at, sent_at)
    select org_id, uuidv7(), 'email', sequence_id, enrollments.id, last_step_id, contact_id, 'person@customer.example',
      (array['delivered', 'read', 'failed', 'skipped'])[1 + n % 4], case when n % 4 >= 2 then 'suppressed: unsubscribed' end, 'smtp',
      '{"subject": "News", "body": "News of this week"}', created_at, created_at
    from (select *, row_number() over (order by id) as n from enrollments where org_id = ${orgId}) as enrollments
  `.execute(db);
  return idOf(db, sql`select id from sequences where org_id = ${orgId} order by created_at desc limit 1`);
}

async function seedWebsites(db: Db, orgId: string): Promise<string> {
  await sql`
    insert into datasources (org_id, id, url, display_name, created_at)
    select ${orgId}::uuid, uuidv7(), 'https://shop' || n || '.example', 'Shop ' || n, now() - n * interval '1 day'
    from generate_series(1, 30) n
  `.execute(db);
  const websiteId = await idOf(
    db,
    sql`select id from datasources where org_id = ${orgId} order by created_at desc limit 1`,
  );
  await sql`
    insert into crawl_jobs (org_id, id, datasource_id, kind, status, started_at, completed_at, total_pages, completed_pages, new_pages,
      updated_pages, created_at)
    select ${orgId}::uuid, uuidv7(), ${websiteId}::uuid, 'full', 'completed', now() - n * interval '1 day',
      now() - n * interval '1 day' + interval '1 hour', ${CRAWLED_PAGES}::int, ${CRAWLED_PAGES}::int, ${CRAWLED_PAGES / 2}::int, ${CRAWLED_PAGES / 2}::int,
      now() - n * interval '1 day'
    from generate_series(1, ${CRAWLS}::int) n
  `.execute(db);
  await sql`
    insert into crawl_pages (org_id, id, datasource_id, url_key, path_key, url, status, title, depth, is_stored, markdown, language,
      http_status, last_crawled_at, last_changed_at, created_at)
    select ${orgId}::uuid, uuidv7(), ${websiteId}::uuid, 'shop1.example/page/' || n, '/page/' || n, 'https://shop1.example/page/' || n,
      case when n % 50 = 0 then 'error' else 'synced' end, 'Page ' || n, 1 + n % 4, n % 50 > 0,
      repeat('Shipping takes three days. ', 80), 'en', 200, now(), now(), now() - n * interval '1 second'
    from generate_series(1, ${CRAWLED_PAGES}::int) n
  `.execute(db);
  await sql`
    insert into crawl_changes (org_id, id, job_id, page_id, kind, url, title, diff, created_at)
    select page.org_id, uuidv7(), job.id, page.id, case when job.nth = 1 then 'updated' else 'new' end, url, title,
      '@@ -1 +1 @@' || chr(10) || '-Shipping takes two days.' || chr(10) || '+Shipping takes three days.', job.created_at
    from crawl_pages as page
    join (
      select id, created_at, row_number() over (order by created_at desc) as nth from crawl_jobs where org_id = ${orgId}
    ) as job on job.nth <= 2
    where page.org_id = ${orgId}
  `.execute(db);
  return websiteId;
}

async function seedKnowledge(db: Db, orgId: string): Promise<void> {
  await sql`
    insert into training_items (org_id, id, title, content, type, is_draft, restricted_to_channels, restricted_to_segments, created_at)
    select ${orgId}::uuid, uuidv7(), 'Article ' || n, repeat('Shipping takes three days. ', 80), 'SCENARIO_SPECIFIC', n % 10 = 0, '{}', '{}',
      now() - n * interval '1 minute'
    from generate_series(1, ${ARTICLES}::int) n
  `.execute(db);
  await sql`
    with category as (
      insert into help_center_categories (org_id, id, path, slug, name, position, hash)
      values (${orgId}::uuid, uuidv7(), 'help', 'help', 'Help', 0, '\\x00') returning id
    )
    insert into help_center_articles (org_id, id, category_id, path, slug, title, content_markdown, position, hash, created_at)
    select ${orgId}::uuid, uuidv7(), category.id, 'help/article-' || n, 'article-' || n, 'Help article ' || n,
      repeat('Shipping takes three days. ', 80), n, '\\x00', now() - n * interval '1 minute'
    from category, generate_series(1, ${HELP_ARTICLES}::int) n
  `.execute(db);
  await sql`
    insert into insights (org_id, id, root_id, number, content, named_by, occurrence_count, first_seen_at, last_seen_at, created_at)
    select ${orgId}::uuid, id, id, n, 'Customers ask for parcel ' || n, 'quote', n % 97, now() - interval '90 days', now(),
      now() - n * interval '1 minute'
    from (select uuidv7() as id, n from generate_series(1, ${INSIGHTS}::int) n) as made
  `.execute(db);
}

async function seedSettings(db: Db, orgId: string, endpointId: string): Promise<void> {
  await sql`
    insert into webhook_deliveries (org_id, id, endpoint_id, event_id, event_type, occurred_at, data, status, attempts, created_at)
    select ${orgId}::uuid, uuidv7(), ${endpointId}::uuid, uuidv7(), 'session.closed', at, '{"session": {"status": "closed_resolved"}}',
      case when n % 20 = 0 then 'failed' else 'delivered' end, 1 + n % 3, at
    from (select n, now() - n * interval '20 seconds' as at from generate_series(1, ${WEBHOOK_DELIVERIES}::int) n) as made
  `.execute(db);
  await sql`
    insert into audit_entries (org_id, created_at, actor_kind, actor_id, actor_name, kind, ref, name, action, changes)
    select ${orgId}::uuid, now() - n * interval '1 minute', 'key', 'key ' || n % 9, 'Key', (array['tag', 'team', 'workflow', 'sequence'])[1 + n % 4],
      'ref ' || n % 500, 'Something', 'changed', '[{"field": "name", "old": "One", "new": "Other"}]'
    from generate_series(1, ${AUDIT_ENTRIES}::int) n
  `.execute(db);
  await sql`
    insert into suppressions (org_id, id, channel, address, reason, created_at)
    select ${orgId}::uuid, uuidv7(), 'email', 'gone' || n || '@customers.example', 'unsubscribed', now() - n * interval '1 minute'
    from generate_series(1, ${SUPPRESSIONS}::int) n
  `.execute(db);
  await sql`
    with person as (
      insert into users (email) select 'agent' || n || '@' || ${orgId} || '.example' from generate_series(1, ${MEMBERS}::int) n returning id
    )
    insert into members (org_id, user_id, name) select ${orgId}::uuid, id, 'Agent ' || id from person
  `.execute(db);
  await sql`
    insert into tags (org_id, tag_key, tag_name, exclude_from_auto_tagging)
    select ${orgId}::uuid, 'tag-' || n, 'Tag ' || n, false from generate_series(1, ${TAGS}::int) n
  `.execute(db);
  await sql`
    insert into saved_replies (org_id, id, shortcut, title, text, media_ids)
    select ${orgId}::uuid, uuidv7(), 'reply' || n, 'Reply ' || n, 'Thank you for your patience.', '{}'
    from generate_series(1, ${REPLIES}::int) n
  `.execute(db);
}

/** Gives one contact a long history. */
const seedDeliveriesOf = (db: Db, orgId: string, contactId: string) =>
  sql`
    insert into deliveries (org_id, id, channel, contact_id, "to", status, provider, content, created_at, sent_at)
    select ${orgId}::uuid, uuidv7(), 'email', ${contactId}::uuid, 'person1@d1.example', 'delivered', 'smtp',
      '{"subject": "News", "body": "News of this week"}', now() - n * interval '1 hour', now() - n * interval '1 hour'
    from generate_series(1, ${CONTACT_DELIVERIES}::int) n
  `.execute(db);
