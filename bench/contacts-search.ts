import { performance } from 'node:perf_hooks';
import pg from 'pg';
import { pino } from 'pino';
import { createApp } from '../src/api/app.ts';
import { createRateLimits } from '../src/api/edge/rate-limits.ts';
import { loadConfig } from '../src/config.ts';
import type { PublicFilter } from '../src/contacts/filters/schema.ts';
import { connect } from '../src/db/connect.ts';
import { migrateToLatest } from '../src/db/migrate.ts';
import { issueOrgKey } from '../src/keys/service.ts';
import { createTokens } from '../src/keys/tokens.ts';
import { createKeyVerifier } from '../src/keys/verifier.ts';
import { createSecrets } from '../src/secrets.ts';

const CONTACTS = 100_000;
const WARM_UPS = 5;
const ROUNDS = 40;
const TARGET_MS = 50;
const YEAR = '2025-01-01T00:00:00Z';
const SEQUENCES = { many: 'half of all', few: 'fifty', newest: 'the newest third', none: 'nobody' } as const;

type Condition = PublicFilter['or'][number]['and'][number];
type Group = Condition[];

/** Seeds two orgs of 100,000 contacts each and returns the first. */
async function seed(client: pg.Client): Promise<{ orgId: string; sequences: Record<keyof typeof SEQUENCES, string> }> {
  const partnerId = crypto.randomUUID();
  await client.query('insert into partners (id, name) values ($1, $2)', [partnerId, 'bench']);
  const orgs = [];
  for (const name of ['one', 'other']) orgs.push(await seedOrg(client, partnerId, name));
  await client.query('vacuum analyze');
  return orgs[0] as (typeof orgs)[number];
}

async function seedOrg(client: pg.Client, partnerId: string, name: string) {
  const orgId = crypto.randomUUID();
  await client.query('insert into orgs (id, partner_id, name, widget_token) values ($1, $2, $3, $4)', [
    orgId,
    partnerId,
    name,
    crypto.randomUUID(),
  ]);
  // Row n is the n-th by creation. Values are spread by prime factors: some on many rows, some on few, some only on the
  // newest.
  await client.query(
    `insert into contacts (org_id, id, email, phone_number, name, custom_data, created_at, updated_at)
     select $1, gen_random_uuid(),
       'person' || n || '@' || case when n % 2 = 0 then 'gmail.example' else 'd' || n * 7919 % 2003 || '.example' end,
       case when n % 5 < 3 then '+4420' || 70000000 + n end,
       case when n % 10 = 0 then 'Alex' else 'Name ' || n * 104729 % 5003 end,
       jsonb_build_object('plan', case when n % 20 = 0 then 'enterprise' when n % 4 = 0 then 'pro' else 'free' end,
         'city', 'City ' || n * 7907 % 1009)
         || case when n > $2 * 0.6 then '{"cohort":"new"}'::jsonb else '{}' end
         || case when n % 5000 = 77 then '{"tier":"rare"}'::jsonb else '{}' end,
       timestamptz '${YEAR}' + n * interval '5 minutes', timestamptz '${YEAR}' + n * interval '5 minutes'
     from generate_series(1, $2::bigint) n`,
    [orgId, CONTACTS],
  );
  await client.query('analyze contacts');
  const sequences = {} as Record<keyof typeof SEQUENCES, string>;
  const conditions = { many: 'n % 2 = 1', few: 'n % 2000 = 1999', newest: 'n > 66666', none: 'false' };
  for (const key of Object.keys(SEQUENCES) as (keyof typeof SEQUENCES)[]) {
    const id = crypto.randomUUID();
    sequences[key] = id;
    await client.query(
      `insert into sequences (org_id, id, name, is_continuous, status) values ($1, $2, $3, true, 'active')`,
      [orgId, id, SEQUENCES[key]],
    );
    await client.query(
      `with person as (select id, created_at, row_number() over (order by created_at) as n from contacts where org_id = $1),
       chosen as materialized (select *, gen_random_uuid() as enrollment_id from person where ${conditions[key]}),
       enrolled as (
         insert into enrollments (org_id, id, sequence_id, contact_id) select $1, enrollment_id, $2, id from chosen
       )
       insert into deliveries (org_id, id, channel, sequence_id, enrollment_id, contact_id, status, sent_at)
       select $1, gen_random_uuid(), 'email', $2, enrollment_id, id, 'sent', created_at + (n * 31 % 8760) * interval '1 hour'
       from chosen`,
      [orgId, id],
    );
  }
  return { orgId, sequences };
}

/** Returns filters by the name of their type. Each type has filters matching many, few, only the newest, and nobody. */
async function casesOf(client: pg.Client, orgId: string, sequences: Record<keyof typeof SEQUENCES, string>) {
  const { rows } = await client.query<{ id: string; email: string; phone_number: string | null }>(
    'select id, email, phone_number from contacts where org_id = $1 order by md5(email) limit 1000',
    [orgId],
  );
  const ids = rows.map(({ id }) => id);
  const emails = rows.map(({ email }) => email);
  const phones = rows.flatMap(({ phone_number }) => phone_number ?? []);
  const time = (month: number) => new Date(Date.UTC(2025, month, 1)).toISOString();
  const attributes = (...maps: Record<string, string>[]): Condition => ({
    type: 'contacts_attributes_in',
    attributes: maps,
  });
  const sequence = (key: keyof typeof SEQUENCES): Condition => ({
    type: 'contacts_affected_by_sequence',
    sequence_id: sequences[key],
  });
  const domains = (...names: string[]): Condition => ({ type: 'contacts_email_domain_name_in', domain_name_in: names });
  const contacted = (after?: string, before?: string): Condition => ({
    type: 'last_contacted_at_between',
    after,
    before,
  });
  const created = (after?: string, before?: string): Condition => ({
    type: 'contacts_created_at_between',
    after,
    before,
  });
  const named = (...names: string[]): Condition => ({ type: 'contacts_name_in', name_in: names });

  const cases: Record<string, Record<string, Group[]>> = {
    all_contacts: { all: [[{ type: 'all_contacts' }]] },
    contact_id_in: {
      one: [[{ type: 'contact_id_in', contact_ids: ids.slice(0, 1) }]],
      thousand: [[{ type: 'contact_id_in', contact_ids: ids }]],
    },
    contacts_created_at_between: {
      month: [[created(time(3), time(4))]],
      late: [[created(time(11))]],
      none: [[created(time(40))]],
    },
    contacts_email_domain_name_in: {
      half: [[domains('gmail.example')]],
      few: [[domains('d17.example', 'd19.example')]],
      none: [[domains('nowhere.example')]],
    },
    contacts_affected_by_sequence: {
      half: [[sequence('many')]],
      few: [[sequence('few')]],
      newest: [[sequence('newest')]],
      none: [[sequence('none')]],
    },
    contacts_name_in: { tenth: [[named('Alex')]], few: [[named('Name 7', 'Name 9')]], none: [[named('Nobody')]] },
    contacts_phone_number_in: {
      one: [[{ type: 'contacts_phone_number_in', phone_number_in: phones.slice(0, 1) }]],
      many: [[{ type: 'contacts_phone_number_in', phone_number_in: phones }]],
    },
    contacts_email_in: {
      one: [[{ type: 'contacts_email_in', email_in: emails.slice(0, 1) }]],
      thousand: [[{ type: 'contacts_email_in', email_in: emails }]],
    },
    contacts_attributes_in: {
      most: [[attributes({ plan: 'free' })]],
      both: [[attributes({ plan: 'pro', city: 'City 4' })]],
      few: [[attributes({ city: 'City 4' }, { city: 'City 5' })]],
      rare: [[attributes({ tier: 'rare' })]],
      newest: [[attributes({ cohort: 'new' })]],
      none: [[attributes({ plan: 'none' })]],
    },
    last_contacted_at_between: {
      month: [[contacted(time(5), time(6))]],
      day: [[contacted(time(5), '2025-06-02T00:00:00Z')]],
      ever: [[contacted()]],
      late: [[contacted(time(18))]],
      none: [[contacted(time(60))]],
    },
    and_of_types: {
      dense: [[attributes({ plan: 'free' }), domains('gmail.example')]],
      sparse: [[attributes({ city: 'City 4' }), sequence('many'), contacted(time(0), time(20))]],
      disjoint: [[attributes({ tier: 'rare' }), named('Alex')]],
      newest: [[sequence('newest'), attributes({ plan: 'enterprise' }), created(time(6))]],
    },
    or_of_types: {
      sparse: [[named('Name 7')], [domains('d17.example')], [attributes({ tier: 'rare' })], [sequence('few')]],
      mixed: [[sequence('newest')], [{ type: 'contact_id_in', contact_ids: ids.slice(0, 5) }]],
      none: [[sequence('none')], [attributes({ plan: 'none' })], [contacted(time(60))]],
      twenty: Array.from({ length: 20 }, (_, nth) => [attributes({ city: `City ${nth}` }), domains(`d${nth}.example`)]),
    },
  };
  return cases;
}

async function timesOf(run: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < WARM_UPS + ROUNDS; round += 1) {
    const start = performance.now();
    await run();
    if (round >= WARM_UPS) times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b);
}

const quantile = (times: number[], part: number) =>
  times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0;

function print(name: string, times: number[], note: string): void {
  const ms = (value: number) => `${value.toFixed(1)} ms`.padStart(9);
  console.log(`${name.padEnd(42)} median ${ms(quantile(times, 0.5))}   p95 ${ms(quantile(times, 0.95))}   ${note}`);
}

/**
 * Measures the first page of a search by each filter type over 100,000 contacts. Returns true if every type met the
 * target.
 */
export async function benchContactsSearch(databaseUrl: string): Promise<boolean> {
  await migrateToLatest(databaseUrl);
  const client = new pg.Client({ connectionString: databaseUrl });
  client.on('error', () => undefined); // if the measurement fails, the database is dropped while the client is connected
  await client.connect();
  const { orgId, sequences } = await seed(client);

  const config = loadConfig({
    DATABASE_URL: databaseUrl,
    JWT_SECRET: 'x'.repeat(32),
    SECRET_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
    RATE_LIMIT_STORE: 'memory',
    RATE_LIMIT_STANDARD: '1000000',
    PORT: '0',
  });
  const { db, pool, close } = connect(databaseUrl, { poolSize: 4 });
  const tokens = createTokens(config.signingSecrets);
  const app = await createApp(
    {
      config,
      db,
      tokens,
      keys: createKeyVerifier(db, tokens),
      rateLimits: createRateLimits(config, pool),
      secrets: createSecrets(config.SECRET_KEYS),
      temporal: { check: async () => undefined, describeQueues: async () => [] },
      closing: new AbortController(),
    } as never,
    pino({ level: 'silent' }),
  );
  const { api_key } = await issueOrgKey(db, tokens, orgId, { name: 'bench' });
  const address = await app.listen({ host: '127.0.0.1', port: 0 });

  const search = async (groups: Group[]): Promise<number> => {
    const answer = await fetch(`${address}/contacts/search`, {
      method: 'POST',
      headers: { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ filter: { or: groups.map((and) => ({ and })) } }),
    });
    const page = (await answer.json()) as { items: unknown[]; message?: string };
    if (answer.status !== 200) throw new Error(`search answered ${answer.status}: ${page.message}`);
    return page.items.length;
  };

  const bare =
    'select id, email, phone_number, name, custom_data, created_at, updated_at from contacts where org_id = $1 limit 100';
  print('baseline: a bare select … limit 100', await timesOf(() => client.query(bare, [orgId])), '');

  let isMet = true;
  for (const [type, variants] of Object.entries(await casesOf(client, orgId, sequences))) {
    for (const [variant, groups] of Object.entries(variants)) {
      const found = await search(groups);
      const times = await timesOf(() => search(groups));
      const isFast = quantile(times, 0.5) < TARGET_MS;
      isMet &&= isFast;
      print(`${type}, ${variant}`, times, `${found} found${isFast ? '' : `   MISSED the target of ${TARGET_MS} ms`}`);
    }
  }
  await app.close();
  await close();
  await client.end();
  return isMet;
}

if (import.meta.main) {
  const server = process.env.BENCH_SERVER_URL ?? process.env.DATABASE_URL;
  if (server === undefined)
    throw new Error('DATABASE_URL must name a Postgres server with permission to create databases');
  const database = `bench_contacts_${process.pid}`;
  const admin = new pg.Client({ connectionString: server });
  await admin.connect();
  await admin.query(`create database ${database}`);
  try {
    const url = new URL(server);
    url.pathname = `/${database}`;
    process.exitCode = (await benchContactsSearch(url.href)) ? 0 : 1;
  } finally {
    await admin.query(`drop database ${database} with (force)`);
    await admin.end();
  }
}
