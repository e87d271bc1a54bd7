import { performance } from 'node:perf_hooks';
import autocannon from 'autocannon';
import { sql } from 'kysely';
import type { Db } from '../src/db/connect.ts';
import { waitUntilResponding } from '../src/dev/http-probe.ts';
import { anyFreePort } from '../src/dev/ports.ts';
import { issueOrgKey } from '../src/keys/service.ts';
import { createTokens } from '../src/keys/tokens.ts';
import { createOrg, createPartner } from '../src/partners/service.ts';
import { filterCases, searchCases } from './support/conversation-cases.ts';
import { seedConversations } from './support/conversation-seed.ts';
import { type Finding, median, note, rateFinding, report } from './support/report.ts';
import { type Stack, withStack } from './support/stack.ts';

/** In each of two orgs. A session has ten messages. */
const SESSIONS = Number(process.env.BENCH_SESSIONS ?? 100_000);
const TARGET_MS = 50;
const WARM_UPS = 3;
const TIMES = 15;
const CONNECTIONS = 20;
const ROUNDS = 5;
const ROUND_SECONDS = 4;

interface Target {
  url: string;
  key: string;
}

async function measure(stack: Stack): Promise<Finding[]> {
  const { db } = stack;
  const start = performance.now();
  const [orgId, otherId] = await seed(db);
  note(
    `two orgs of ${SESSIONS} sessions and ${SESSIONS * 10} messages, seeded in ${((performance.now() - start) / 1000).toFixed(0)} s`,
  );
  const api = await startApi(stack, db, orgId);
  const reads = [...(await measureReads(db, api, orgId)), ...(await measureSearches(db, api, orgId))];
  return [...reads, await measureSending(stack, db, api, orgId, otherId)];
}

/** Seeds two orgs of the same size. The index of words is created after all rows, in half the time. */
async function seed(db: Db): Promise<[string, string]> {
  const { rows } = await sql<{ definition: string }>`
    select pg_get_indexdef('session_events_by_words'::regclass) as definition`.execute(db);
  await sql`drop index session_events_by_words`.execute(db);
  const partner = await createPartner(db, { name: 'Bench' });
  const orgs = [];
  for (const name of ['One', 'Other']) {
    const { id } = await createOrg(db, partner.id, { name });
    await seedConversations(db, id, SESSIONS);
    orgs.push(id);
  }
  await db.connection().execute(async (one) => {
    await sql`set maintenance_work_mem = '1GB'`.execute(one);
    await sql`set statement_timeout = 0`.execute(one);
    await sql.raw(rows[0]?.definition as string).execute(one);
    await sql`vacuum analyze`.execute(one);
    await sql`reset all`.execute(one);
  });
  return orgs as [string, string];
}

async function startApi(stack: Stack, db: Db, orgId: string): Promise<Target> {
  const PORT = String(await anyFreePort());
  await stack.start('api', {
    PORT,
    RATE_LIMIT_STORE: 'memory',
    RATE_LIMIT_STANDARD: '1000000000',
  });
  const url = `http://127.0.0.1:${PORT}`;
  await waitUntilResponding(`${url}/healthz`, stack.logFile);
  const { api_key: key } = await issueOrgKey(db, createTokens([stack.env.JWT_SECRET ?? '']), orgId, { name: 'Bench' });
  return { url, key };
}

async function measureReads(db: Db, api: Target, orgId: string): Promise<Finding[]> {
  const bareMs = await timeOf(() => sql`select * from sessions where org_id = ${orgId} limit 25`.execute(db));
  const findings = [];
  for (const [name, body] of Object.entries(await filterCases(db, orgId))) {
    const read = () => call(api, '/chat/sessions/filter', { method: 'POST', body: JSON.stringify(body) });
    const { data } = (await read()) as { data: unknown[] };
    findings.push(finding(`filter: ${name} (${data.length})`, await timeOf(read), bareMs));
  }
  return findings;
}

async function measureSearches(db: Db, api: Target, orgId: string): Promise<Finding[]> {
  const bareMs = await timeOf(() => sql`select * from session_events where org_id = ${orgId} limit 50`.execute(db));
  const findings = [];
  for (const [name, query] of Object.entries(await searchCases(db, orgId))) {
    const read = () => call(api, `/chat/sessions/search?${new URLSearchParams(query)}`);
    const { contacts, messages } = (await read()) as { contacts: unknown[]; messages: unknown[] };
    findings.push(finding(`search: ${name} (${contacts.length} + ${messages.length})`, await timeOf(read), bareMs));
  }
  return findings;
}

async function call({ url, key }: Target, path: string, init: RequestInit = {}): Promise<unknown> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const answer = await fetch(url + path, { ...init, headers });
  const body = await answer.json();
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${JSON.stringify(body)}`);
  return body;
}

/** Returns the median time of sequential calls. */
async function timeOf(run: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let round = -WARM_UPS; round < TIMES; round++) {
    const start = performance.now();
    await run();
    if (round >= 0) times.push(performance.now() - start);
  }
  return median(times);
}

function finding(name: string, ms: number, bareMs: number): Finding {
  note(`${name}: ${ms.toFixed(1)} ms`);
  return {
    name,
    subject: `${ms.toFixed(1)} ms`,
    baseline: `${bareMs.toFixed(1)} ms`,
    ratio: (ms / bareMs).toFixed(1),
    target: `≤ ${TARGET_MS} ms`,
    isMet: ms <= TARGET_MS,
  };
}

/**
 * Measures sending contact messages through our API, and through a bare route with the same writes in sessions of the
 * other org.
 */
async function measureSending(stack: Stack, db: Db, api: Target, orgId: string, otherId: string): Promise<Finding> {
  const bare = await stack.start(import.meta.resolve('./support/baselines/bare-messages.ts'), {
    BENCH_ORG_ID: otherId,
  });
  const targets = [
    { target: api, sessions: await sessionsOf(db, orgId), rates: [] as number[] },
    {
      target: { url: await bare.ask<string>('url'), key: api.key },
      sessions: await sessionsOf(db, otherId),
      rates: [],
    },
  ];
  for (const { target, sessions } of targets) await messagesASecond(target, sessions, 3); // warm-up
  for (let round = 0; round < ROUNDS; round++) {
    for (const { target, sessions, rates } of targets)
      rates.push(await messagesASecond(target, sessions, ROUND_SECONDS));
    note(`sending, round ${round + 1}: ${targets.map(({ rates }) => `${rates.at(-1)?.toFixed(0)}/s`).join(', bare ')}`);
  }
  const [ours, baseline] = targets.map(({ rates }) => rates) as [number[], number[]];
  return rateFinding('POST /chat/sessions/{id}/send / a bare route', ours, baseline, 0.7);
}

async function sessionsOf(db: Db, orgId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from sessions where org_id = ${orgId} and status = 'open' and channel = 'web' order by md5(id::text) limit 5000
  `.execute(db);
  return rows.map(({ id }) => id);
}

let sent = 0;

async function messagesASecond({ url, key }: Target, sessions: string[], duration: number): Promise<number> {
  const result = await autocannon({
    url,
    connections: CONNECTIONS,
    duration,
    requests: [
      {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        setupRequest: (request) => {
          const text = `Where is my order number ${++sent}? I have been waiting for it since the third of last month.`;
          const body = JSON.stringify({ sender: 'contact', message: { type: 'text', text } });
          return { ...request, path: `/chat/sessions/${sessions[sent % sessions.length]}/send`, body };
        },
      },
    ],
  });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${result.non2xx} requests were refused, ${result.errors} failed`);
  return result['2xx'] / result.duration;
}

await report(() => withStack({ hasTemporal: false }, measure));
