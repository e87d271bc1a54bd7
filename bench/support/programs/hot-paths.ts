import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { forEachConcurrently } from '../../../src/concurrency/limited.ts';
import type { Db } from '../../../src/db/connect.ts';
import { waitUntilResponding } from '../../../src/dev/http-probe.ts';
import { anyFreePort } from '../../../src/dev/ports.ts';
import { issueOrgKey } from '../../../src/keys/service.ts';
import { createTokens } from '../../../src/keys/tokens.ts';
import { createRandom, createWriter } from '../generated-texts.ts';
import { serve } from '../processes.ts';
import { childrenNamed, processorMsOf } from '../processor-time.ts';
import { percentile } from '../report.ts';
import { seedOrg } from '../seed.ts';
import { type Stack, withStack } from '../stack.ts';

/** One round of a unit of work: its rate a second, its time in ms, and the processor time of a unit by program, in ms. */
export interface HotPathRound {
  rate: number;
  p50: number;
  p95: number;
  cpu: { api: number; worker: number; temporal: number; postgres: number };
}

const CONNECTIONS = 20;
const SESSIONS = 200;
const ARTICLES = 100;
const SETTLE_MS = 1_500;
const LIMIT_MS = 120_000;
const UNLIMITED = '1000000000';

type Call = <Body = unknown>(method: string, path: string, body?: unknown) => Promise<Body>;

interface Place {
  db: Db;
  /** Calls the api as a new org. */
  newOrg(): Promise<{ id: string; call: Call }>;
  cpuMs(): HotPathRound['cpu'];
}

async function startPlace(stack: Stack): Promise<Place> {
  const PORT = String(await anyFreePort());
  const url = `http://127.0.0.1:${PORT}`;
  const limits = { RATE_LIMIT_STORE: 'memory', RATE_LIMIT_STANDARD: UNLIMITED, RATE_LIMIT_ADDRESS: UNLIMITED };
  const env = { EGRESS_ALLOW: '127.0.0.0/8', DEVELOPMENT: 'true', PUBLIC_URL: url, ...limits };
  const api = await stack.start('api', { PORT, ...env });
  const worker = await stack.start('worker', env);
  await waitUntilResponding(`${url}/healthz`, stack.logFile);
  const tokens = createTokens([stack.env.JWT_SECRET ?? '']);
  const [postgres, temporal] = [childrenNamed(['postgres']), childrenNamed(['temporal'])];
  return {
    db: stack.db,
    async newOrg() {
      const id = await seedOrg(stack.db, 0);
      const { api_key } = await issueOrgKey(stack.db, tokens, id, { name: 'Bench' });
      return { id, call: callerOf(url, api_key) };
    },
    cpuMs: () => ({
      api: api.cpuMs(),
      worker: worker.cpuMs(),
      temporal: processorMsOf(temporal),
      postgres: processorMsOf(postgres),
    }),
  };
}

const callerOf =
  (url: string, key: string): Call =>
  async (method, path, body) => {
    const answer = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${key}`, prefer: 'wait=0', 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };

/** Measures a round. `work` returns the time of each unit, in ms. */
async function measured({ cpuMs }: Place, work: () => Promise<number[]>): Promise<HotPathRound> {
  const [before, begun] = [cpuMs(), performance.now()];
  const times = await work();
  const rate = (times.length * 1_000) / (performance.now() - begun);
  await sleep(SETTLE_MS); // what follows, such as the results of the last calls
  const after = cpuMs();
  const spent = (name: keyof HotPathRound['cpu']) => (after[name] - before[name]) / times.length;
  const cpu = { api: spent('api'), worker: spent('worker'), temporal: spent('temporal'), postgres: spent('postgres') };
  return { rate, p50: percentile(times, 50), p95: percentile(times, 95), cpu };
}

/** A receiver that notes when the webhook of a contact arrives, by the contact's address. */
async function startReceiver() {
  const waiting = new Map<string, () => void>();
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      response.writeHead(204).end();
      const { email } = JSON.parse(body).data.contact;
      waiting.get(email)?.();
      waiting.delete(email);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    untilArrived: (email: string) => new Promise<void>((resolve) => void waiting.set(email, resolve)),
  };
}

let contacts = 0;

/** An event by the API to one endpoint. */
async function createWebhooks(place: Place) {
  const receiver = await startReceiver();
  const { call } = await place.newOrg();
  await call('POST', '/webhooks', { url: receiver.url, event_types: ['contact.created'] });
  const sendOne = async (): Promise<number> => {
    const email = `person${++contacts}@customers.example`;
    const begun = performance.now();
    const arrived = receiver.untilArrived(email);
    await call('POST', '/contacts', { contact: { email } });
    await arrived;
    return performance.now() - begun;
  };
  await sendOne();
  return {
    /** As many at once as there are connections: each is posted once another was accepted. */
    underLoad: (count: number) =>
      measured(place, async () => {
        const arrivals: Promise<number>[] = [];
        await forEachConcurrently(Array.from({ length: count }), CONNECTIONS, async () => {
          const email = `person${++contacts}@customers.example`;
          const begun = performance.now();
          arrivals.push(receiver.untilArrived(email).then(() => performance.now() - begun));
          await call('POST', '/contacts', { contact: { email } });
        });
        return Promise.all(arrivals);
      }),
    atRate: (count: number, perSecond: number) =>
      measured(place, async () => {
        const begun = performance.now();
        const sent: Promise<number>[] = [];
        for (let nth = 0; nth < count; nth++) {
          await sleep(Math.max(0, begun + (nth * 1_000) / perSecond - performance.now()));
          sent.push(sendOne());
        }
        return Promise.all(sent);
      }),
  };
}

const sendBody = (text: string) => ({ sender: 'contact', message: { type: 'text', text } });

/** A message of a contact into a session. */
async function createMessages(place: Place) {
  const { call } = await place.newOrg();
  const sessions: string[] = [];
  await forEachConcurrently(Array.from({ length: SESSIONS }), CONNECTIONS, async () => {
    sessions.push((await call<{ id: string }>('POST', '/chat/sessions', {})).id);
  });
  let sent = 0;
  return (count: number) =>
    measured(place, async () => {
      const times: number[] = [];
      await forEachConcurrently(Array.from({ length: count }), CONNECTIONS, async () => {
        const path = `/chat/sessions/${sessions[++sent % SESSIONS]}/send`;
        const begun = performance.now();
        await call('POST', path, sendBody(`Where is my order number ${sent}? I have been waiting for it for a month.`));
        times.push(performance.now() - begun);
      });
      return times;
    });
}

/** A turn of the AI that answers by quotes of the help center. */
async function createTurns(place: Place) {
  const { id: orgId, call } = await place.newOrg();
  const writer = createWriter(createRandom(11));
  const articles = Array.from({ length: ARTICLES }, (_, nth) => ({
    title: writer.title(),
    slug: `article-${nth}`,
    content_markdown: writer.article(),
  }));
  await call('PUT', '/help-center/content', { categories: [{ name: 'Shop', slug: 'shop', articles }] });
  await call('PATCH', '/autopilot', { channel: 'api', autopilot_enabled: true });
  await call('PATCH', '/autopilot/settings', { handoff_level: 0 });
  await call('POST', '/autopilot/settings/publish');
  await call('POST', '/autopilot/calibration/run');
  await until('the calibration ends', async () => {
    const state = await call<Record<'requested_at' | 'measured_at', string | null>>('GET', '/autopilot/calibration');
    return state.measured_at !== null && state.requested_at !== null && state.measured_at >= state.requested_at;
  });
  let asked = 0;
  return async (count: number): Promise<HotPathRound> => {
    const sessions: string[] = [];
    await forEachConcurrently(Array.from({ length: count }), CONNECTIONS, async () => {
      sessions.push((await call<{ id: string }>('POST', '/chat/sessions', { channel: { type: 'api' } })).id);
    });
    await sleep(SETTLE_MS);
    return measured(place, async () => {
      await forEachConcurrently(sessions, CONNECTIONS, async (session) => {
        const { title = '', content_markdown = '' } = articles[++asked % ARTICLES] ?? {};
        const words = content_markdown.split(/\s+/).slice(6, 14).join(' ');
        await call('POST', `/chat/sessions/${session}/send`, sendBody(`How is it with ${title}, ${words}?`));
      });
      await until('the turns end', async () => (await endedTurns(place.db, orgId, sessions)).length === count);
      return endedTurns(place.db, orgId, sessions);
    });
  };
}

/** Returns the time from due to ended of the turns that have ended, in ms. */
async function endedTurns(db: Db, orgId: string, sessions: string[]): Promise<number[]> {
  const { rows } = await sql<{ ms: number }>`
    select extract(epoch from ended_at - due_at)::float8 * 1000 as ms from ai_turns
    where org_id = ${orgId} and session_id = any(${sessions}::uuid[]) and ended_at is not null and has_message
  `.execute(db);
  return rows.map(({ ms }) => ms);
}

async function until(what: string, look: () => Promise<boolean>): Promise<void> {
  const giveUpAt = performance.now() + LIMIT_MS;
  while (!(await look())) {
    if (performance.now() > giveUpAt) throw new Error(`not within ${LIMIT_MS / 1_000} s: ${what}`);
    await sleep(50);
  }
}

/** Prepares a unit of work once it is asked for. */
function once<Prepared>(prepare: () => Promise<Prepared>): () => Promise<Prepared> {
  let prepared: Promise<Prepared> | undefined;
  return () => (prepared ??= prepare());
}

const stopping = Promise.withResolvers<void>();
await withStack({ hasTemporal: true }, async (stack) => {
  const place = await startPlace(stack);
  const webhooks = once(() => createWebhooks(place));
  const messages = once(() => createMessages(place));
  const turns = once(() => createTurns(place));
  serve({
    webhooksUnderLoad: async ({ count }: { count: number }) => (await webhooks()).underLoad(count),
    webhooksAtRate: async ({ count, perSecond }: { count: number; perSecond: number }) =>
      (await webhooks()).atRate(count, perSecond),
    messages: async ({ count }: { count: number }) => (await messages())(count),
    turns: async ({ count }: { count: number }) => (await turns())(count),
    where: async () => ({ databaseUrl: stack.databaseUrl }),
    stop: async () => stopping.resolve(),
  });
  await stopping.promise;
});
process.disconnect?.();
