import { setTimeout as sleep } from 'node:timers/promises';
import autocannon from 'autocannon';
import { sql } from 'kysely';
import type { Db } from '../src/db/connect.ts';
import { waitUntilResponding } from '../src/dev/http-probe.ts';
import { anyFreePort } from '../src/dev/ports.ts';
import { createCallbackUrls } from '../src/orgs/integrations/callback-urls.ts';
import { putIntegration } from '../src/orgs/integrations/service.ts';
import { createOrg, createPartner } from '../src/partners/service.ts';
import { createSecrets } from '../src/secrets.ts';
import { nextBatch } from './support/crm-batches.ts';
import { type Finding, limitFinding, note, rateFinding, report } from './support/report.ts';
import { type Stack, withStack } from './support/stack.ts';

const EVENTS_A_BATCH = 100;
/** The number of HubSpot's concurrent requests. */
const CONNECTIONS = 10;
/** Enough to keep Temporal busy: more connections would only wait. */
const NAIVE_CONNECTIONS = 1;
const ROUNDS = 5;
const ROUND_SECONDS = 4;
const STEADY_A_SECOND = 50;
const STEADY_SECONDS = 15;
const TARGET_P99_MS = 100;

const NAIVE_PATH = '/workflows';

let acknowledged = 0;

async function measure(stack: Stack): Promise<Finding[]> {
  const { db } = stack;
  const { url, orgId } = await startReceiver(stack, db);
  await sql`create table bare_crm_events (like crm_events including all)`.execute(db);
  const bare = await stack.start(import.meta.resolve('./support/baselines/bare-receiver.ts'), { BENCH_ORG_ID: orgId });
  const naive = await stack.start(import.meta.resolve('./support/baselines/workflow-receiver.ts'));
  const targets = [url, `${await bare.ask<string>('url')}/crm`, (await naive.ask<string>('url')) + NAIVE_PATH];

  for (const target of targets) await batchesASecond(target, 2); // warm-up
  const rates: number[][] = targets.map(() => []);
  for (let round = 1; round <= ROUNDS; round++) {
    await tidy(db);
    for (const [nth, target] of targets.entries()) rates[nth]?.push(await batchesASecond(target, ROUND_SECONDS));
    const [ours, bareRate, naiveRate] = rates.map((all) => all.at(-1)?.toFixed(1));
    note(`round ${round}: ${ours} batches/s, bare ${bareRate}/s, a workflow an event ${naiveRate}/s`);
  }
  const [ours, bareRates, naiveRates] = rates as [number[], number[], number[]];
  await tidy(db);
  const steady = await measureSteady(url);
  await assertNoneLost(db, orgId);
  return [
    rateFinding('CRM batches acknowledged / starting a workflow an event', ours, naiveRates, 50),
    rateFinding('CRM batches acknowledged / a bare route with a bare insert', ours, bareRates, 0.6),
    steady,
  ];
}

async function startReceiver(stack: Stack, db: Db): Promise<{ url: string; orgId: string }> {
  const PORT = String(await anyFreePort());
  const PUBLIC_URL = `http://127.0.0.1:${PORT}`;
  await stack.start('api', { PORT, PUBLIC_URL, RATE_LIMIT_STORE: 'memory' });
  await waitUntilResponding(`${PUBLIC_URL}/healthz`, stack.logFile);
  const { id } = await createPartner(db, { name: 'Bench' });
  const { id: orgId } = await createOrg(db, id, { name: 'Bench' });
  const deps = {
    secrets: createSecrets(stack.env.SECRET_KEYS ?? ''),
    publicUrl: PUBLIC_URL,
    callbacks: createCallbackUrls([stack.env.JWT_SECRET ?? ''], PUBLIC_URL),
  };
  const answer = await putIntegration(db, deps, orgId, {
    kind: 'crm',
    provider: 'hubspot',
    settings: { access_token: 'x' },
  });
  return { url: (answer as { webhook_url: string }).webhook_url, orgId };
}

/** Clears the backlog before each round, as if a real installation had processed it. */
async function tidy(db: Db): Promise<void> {
  await sql`truncate outbox`.execute(db);
  await sql`checkpoint`.execute(db);
}

async function batchesASecond(url: string, duration: number): Promise<number> {
  const connections = url.endsWith(NAIVE_PATH) ? NAIVE_CONNECTIONS : CONNECTIONS;
  const result = await post(url, { duration, connections });
  return result['2xx'] / result.duration;
}

/** Sends one batch every 20 ms, regardless of earlier ones. Times count from the moment a batch was due. */
async function measureSteady(url: string): Promise<Finding> {
  const times: number[] = [];
  const underWay: Promise<void>[] = [];
  const start = performance.now();
  for (let nth = 0; nth < STEADY_A_SECOND * STEADY_SECONDS; nth++) {
    const due = start + (nth * 1000) / STEADY_A_SECOND;
    const body = nextBatch();
    await sleep(Math.max(due - performance.now(), 0));
    underWay.push(postOne(url, body).then(() => void times.push(performance.now() - due)));
  }
  await Promise.all(underWay);
  acknowledged += times.length;
  const sorted = times.toSorted((a, b) => a - b);
  const [p50 = 0, p99 = Number.NaN] = [0.5, 0.99].map((part) => sorted[Math.floor(sorted.length * part)]);
  note(
    `${STEADY_A_SECOND} batches/s: p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)}, max ${sorted.at(-1)?.toFixed(1)}`,
  );
  return limitFinding(`CRM batches at ${STEADY_A_SECOND} a second, p99`, {
    subject: `${p99.toFixed(1)} ms`,
    target: `≤ ${TARGET_P99_MS} ms`,
    isMet: p99 <= TARGET_P99_MS,
  });
}

async function postOne(url: string, body: string): Promise<void> {
  const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  await answer.text();
  if (answer.status !== 200) throw new Error(`a batch was answered with ${answer.status}`);
}

async function post(url: string, options: { duration: number; connections: number }) {
  const isOurs = url.includes('/crm/webhook/');
  const result = await autocannon({
    url,
    ...options,
    timeout: 60,
    requests: [
      {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        setupRequest: (request) => ({ ...request, body: nextBatch() }),
      },
    ],
  });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${result.non2xx} batches were refused, ${result.errors} failed`);
  if (isOurs) acknowledged += result['2xx'];
  return result;
}

/** Asserts that every acknowledged batch is stored completely. */
async function assertNoneLost(db: Db, orgId: string): Promise<void> {
  const { rows } = await sql<{ batches: number; events: number }>`
    select (select count(*) from crm_batches where org_id = ${orgId}) as batches,
      (select count(*) from crm_events where org_id = ${orgId}) as events
  `.execute(db);
  const { batches, events } = rows[0] as { batches: number; events: number };
  note(`${acknowledged} batches were acknowledged, ${batches} are stored, with ${events} events`);
  if (batches < acknowledged || events !== batches * EVENTS_A_BATCH) throw new Error('events were lost');
}

await report(() => withStack({ hasTemporal: true }, measure));
