import { setTimeout as sleep } from 'node:timers/promises';
import { waitUntilResponding } from '../src/dev/http-probe.ts';
import { anyFreePort } from '../src/dev/ports.ts';
import { issueOrgKey } from '../src/keys/service.ts';
import { createTokens } from '../src/keys/tokens.ts';
import { type Finding, limitFinding, note, percentile, report } from './support/report.ts';
import { seedOrg, seedSequence } from './support/seed.ts';
import { type Stack, withStack } from './support/stack.ts';

const CONTACTS = 200_000;
const STEPS_IN_MINUTES = [0, 1_440, 4_320];
const REQUESTS_A_SECOND = 50;
const IDLE_SECONDS = 10;
const AT_MOST_MS = 100;
const FORECAST_LIMIT_S = 120;
const UNLIMITED = '1000000000';

/** Forecasts a sequence of 200,000 contacts, while another client asks the api for small things at a steady pace. */
async function measure(stack: Stack): Promise<Finding[]> {
  const { db } = stack;
  const orgId = await seedOrg(db, CONTACTS);
  const sequenceId = await seedSequence(db, orgId, STEPS_IN_MINUTES);
  const { api_key: key } = await issueOrgKey(db, createTokens([stack.env.JWT_SECRET ?? '']), orgId, { name: 'Bench' });
  const call = await startPrograms(stack, key);
  await askUntil(call, sleep(2_000)); // warms up
  const idle = await askUntil(call, sleep(IDLE_SECONDS * 1_000));

  const begun = performance.now();
  const forecast = forecastOf(call, sequenceId);
  const beside = await askUntil(call, forecast);
  const { acceptedMs, contacts } = await forecast;
  const seconds = (performance.now() - begun) / 1_000;
  note(
    `a forecast of ${contacts} contacts took ${seconds.toFixed(1)} s, its job was answered after ${acceptedMs.toFixed(0)} ms`,
  );
  if (contacts !== CONTACTS) throw new Error('the forecast has left contacts out');
  return [
    {
      name: `forecast of ${CONTACTS} contacts, p99 of other requests meanwhile / before`,
      subject: `${percentile(beside, 99).toFixed(1)} ms`,
      baseline: `${percentile(idle, 99).toFixed(1)} ms`,
      ratio: (percentile(beside, 99) / percentile(idle, 99)).toFixed(2),
      target: `< ${AT_MOST_MS} ms`,
      isMet: percentile(beside, 99) < AT_MOST_MS,
    },
    limitFinding(`forecast of ${CONTACTS} contacts`, {
      subject: `${seconds.toFixed(1)} s`,
      target: `< ${FORECAST_LIMIT_S} s`,
      isMet: seconds < FORECAST_LIMIT_S,
    }),
  ];
}

type Call = (method: string, path: string) => Promise<{ status: number; body: Answer }>;
interface Answer {
  id?: string;
  state?: string;
  progress?: { contacts_done: number };
}

/** Starts an api and a worker as in production. Returns how to call the api. */
async function startPrograms(stack: Stack, key: string): Promise<Call> {
  const port = String(await anyFreePort());
  const limits = { RATE_LIMIT_STORE: 'memory', RATE_LIMIT_STANDARD: UNLIMITED };
  await stack.start('api', { PORT: port, ...limits });
  await stack.start('worker', {});
  const url = `http://127.0.0.1:${port}`;
  await waitUntilResponding(`${url}/healthz`, stack.logFile);
  return async (method, path) => {
    const headers = { authorization: `Bearer ${key}` };
    const response = await fetch(url + path, { method, headers });
    return { status: response.status, body: (await response.json()) as Answer };
  };
}

/** Asks for the org's settings at a steady pace until `end`. Returns the response times. */
async function askUntil(call: Call, end: Promise<unknown>): Promise<number[]> {
  let isOver = false;
  void end.finally(() => {
    isOver = true;
  });
  const asking: Promise<number>[] = [];
  const beganAt = performance.now();
  while (!isOver) {
    await sleep(Math.max(0, beganAt + (asking.length * 1_000) / REQUESTS_A_SECOND - performance.now()));
    asking.push(timed(() => call('GET', '/org/settings')));
  }
  return Promise.all(asking);
}

async function timed(work: () => Promise<{ status: number }>): Promise<number> {
  const begun = performance.now();
  const { status } = await work();
  if (status !== 200) throw new Error(`a request was answered with ${status}`);
  return performance.now() - begun;
}

async function forecastOf(call: Call, sequenceId: string): Promise<{ acceptedMs: number; contacts: number }> {
  const begun = performance.now();
  const { status, body } = await call('POST', `/sequences/${sequenceId}/forecast`);
  const acceptedMs = performance.now() - begun;
  if (status !== 202) throw new Error(`the forecast was answered with ${status}`);
  for (;;) {
    const { body: job } = await call('GET', `/sequences/${sequenceId}/forecasts/${body.id}`);
    if (job.state === 'done') return { acceptedMs, contacts: job.progress?.contacts_done ?? 0 };
    if (job.state !== 'in_progress') throw new Error(`the forecast is ${job.state}`);
    await sleep(200);
  }
}

await report(() => withStack({ hasTemporal: true }, measure));
