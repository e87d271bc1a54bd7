import autocannon from 'autocannon';
import { sql } from 'kysely';
import type { Db } from '../src/db/connect.ts';
import { waitUntilResponding } from '../src/dev/http-probe.ts';
import { anyFreePort } from '../src/dev/ports.ts';
import { issueOrgKey } from '../src/keys/service.ts';
import { createTokens } from '../src/keys/tokens.ts';
import { type Finding, median, note, rateFinding, report } from './support/report.ts';
import { seedOrg } from './support/seed.ts';
import { type Stack, withStack } from './support/stack.ts';

const SEEDED = 10_000;
const CONNECTIONS = 50;
const ROUNDS = 5;
const ROUND_SECONDS = 4;
const BATCHES_AT_ONCE = 2;
const CONTACTS_PER_BATCH = 1_000;
const IMPORTED_A_SECOND = 5_000;
const UNLIMITED = '1000000000';
const STORES = ['postgres', 'memory'] as const;

interface Target {
  name: string;
  url: string;
  key: string;
}

/** Measures the API with each store of rate limits and the bare route, alternating. */
async function measure(stack: Stack): Promise<Finding[]> {
  const { db } = stack;
  const orgId = await seedOrg(db, SEEDED);
  await createBareTable(db);
  const { api_key: key } = await issueOrgKey(db, createTokens([stack.env.JWT_SECRET ?? '']), orgId, { name: 'Bench' });
  const bare = await stack.start(import.meta.resolve('./support/baselines/bare-api.ts'), { BENCH_ORG_ID: orgId });
  const targets: Target[] = [
    { name: 'bare', url: await bare.ask<string>('url'), key },
    ...(await Promise.all(STORES.map((store) => startApi(stack, store, key)))),
  ];

  for (const target of targets) await requestsASecond(target, 3); // warm-up
  const rates = new Map(targets.map(({ name }) => [name, [] as number[]]));
  for (let round = 1; round <= ROUNDS; round++) {
    for (const target of targets) rates.get(target.name)?.push(await requestsASecond(target, ROUND_SECONDS));
    const shown = [...rates].map(([name, values]) => `${name} ${values.at(-1)?.toFixed(0)}/s`);
    note(`round ${round}: ${shown.join(', ')}`);
  }
  const ratesOf = (name: string) => rates.get(name) ?? [];
  const saves = STORES.map((store) =>
    rateFinding(`POST /contacts, rate limits in ${store} / a bare route`, ratesOf(store), ratesOf('bare'), 0.8),
  );
  return [...saves, await measureImports(targets)];
}

/** Measures batches of new contacts, through the api with limits in Postgres and through the bare route. */
async function measureImports(targets: Target[]): Promise<Finding> {
  const [bare, ours] = targets as [Target, Target];
  const rates = { bare: [] as number[], ours: [] as number[] };
  for (let round = 0; round <= ROUNDS; round++) {
    const [bareRate, rate] = [await importsASecond(bare), await importsASecond(ours)];
    if (round === 0) continue; // warm-up
    rates.bare.push(bareRate);
    rates.ours.push(rate);
    note(`imports, round ${round}: bare ${bareRate.toFixed(0)} contacts/s, postgres ${rate.toFixed(0)} contacts/s`);
  }
  const finding = rateFinding(
    `POST /contacts/batch of ${CONTACTS_PER_BATCH} / a bare route`,
    rates.ours,
    rates.bare,
    0,
  );
  return { ...finding, target: `≥ ${IMPORTED_A_SECOND}/s`, isMet: median(rates.ours) >= IMPORTED_A_SECOND };
}

/** Returns the contacts a second. Each request has new contacts. */
async function importsASecond(target: Target): Promise<number> {
  const batches = await requestsASecond(target, ROUND_SECONDS, {
    path: '/contacts/batch',
    connections: BATCHES_AT_ONCE,
    bodyOf: () =>
      JSON.stringify({ contacts: Array.from({ length: CONTACTS_PER_BATCH }, () => newContact(++contacts)) }),
  });
  return batches * CONTACTS_PER_BATCH;
}

async function startApi(stack: Stack, store: (typeof STORES)[number], key: string): Promise<Target> {
  const PORT = String(await anyFreePort());
  await stack.start('api', {
    PORT,
    RATE_LIMIT_STORE: store,
    RATE_LIMIT_STANDARD: UNLIMITED,
  });
  const url = `http://127.0.0.1:${PORT}`;
  await waitUntilResponding(`${url}/healthz`, stack.logFile);
  return { name: store, url, key };
}

let contacts = 0;

interface Load {
  path: string;
  connections: number;
  bodyOf(): string;
}

const SAVES: Load = {
  path: '/contacts',
  connections: CONNECTIONS,
  bodyOf: () => JSON.stringify({ contact: newContact(++contacts) }),
};

/** Returns the requests a second. Each request creates new contacts. */
async function requestsASecond(
  { url, key }: Target,
  duration: number,
  { path, connections, bodyOf }: Load = SAVES,
): Promise<number> {
  const result = await autocannon({
    url: url + path,
    connections,
    duration,
    requests: [
      {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        setupRequest: (request) => ({ ...request, body: bodyOf() }),
      },
    ],
  });
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${result.non2xx} requests were refused, ${result.errors} failed`);
  }
  return result['2xx'] / result.duration;
}

const newContact = (n: number) => ({
  email: `visitor${n}@customers.example`,
  name: `Visitor ${n}`,
  custom_data: { plan: n % 3 === 0 ? 'pro' : 'free', city: `City ${n % 1000}` },
});

/** Creates a table with the columns, keys and indexes of contacts. */
async function createBareTable(db: Db): Promise<void> {
  await sql`create table bare_contacts (like contacts including all)`.execute(db);
  await sql`alter table bare_contacts add foreign key (org_id) references orgs (id)`.execute(db);
  await sql`insert into bare_contacts select * from contacts`.execute(db);
  await sql`vacuum analyze bare_contacts`.execute(db);
}

await report(() => withStack({ hasTemporal: false }, measure));
