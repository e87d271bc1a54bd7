import { get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { elementAt } from '../src/collections/checked-access.ts';
import { createSession } from '../src/conversations/sessions/service.ts';
import { waitUntilResponding } from '../src/dev/http-probe.ts';
import { anyFreePort } from '../src/dev/ports.ts';
import { issueOrgKey } from '../src/keys/service.ts';
import { createTokens } from '../src/keys/tokens.ts';
import { type Finding, note, percentile, report } from './support/report.ts';
import { seedOrg } from './support/seed.ts';
import { type Stack, withStack } from './support/stack.ts';

const ORGS = 2;
/** Each key has as many streams as it may have, and so has each org. */
const KEYS_OF_ORG = 5;
const SESSIONS_OF_ORG = 90;
const STREAMS_A_SESSION = 5;
const STREAMS_OF_ORG = 50;
const MESSAGES_A_SECOND = 40;
/** Longer than the time limit of a request. */
const SECONDS = 40;
const WARM_UP_SECONDS = 5;
const AT_MOST_MS = 100;
const AT_MOST_MB = 300;
const UNLIMITED = '1000000000';
const SENT_AT = /^data: .*sent at ([\d.]+)/;

/** A session, and a key of its org. */
interface KeyedSession {
  id: string;
  key: string;
}

interface Org {
  keys: string[];
  sessions: KeyedSession[];
}

interface Api {
  url: string;
  peakMemoryMb(): number;
}

/**
 * Opens streams on one API process and sends messages through another. Measures from before a message is sent until
 * each stream receives it.
 */
async function measure(stack: Stack): Promise<Finding[]> {
  const orgs: Org[] = [];
  for (let n = 0; n < ORGS; n++) orgs.push(await createOrg(stack));
  const sessions = orgs.flatMap((org) => org.sessions);
  const [reading, writing] = [await startApi(stack), await startApi(stack)];

  note(`an api without streams: ${reading.peakMemoryMb().toFixed(0)} MB`);
  let delays: number[] = [];
  let cut = 0;
  const streams: IncomingMessage[] = [];
  for (const { path, key } of orgs.flatMap(streamsOf)) {
    const stream = await openStream(reading.url + path, key);
    let rest = '';
    stream.on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const [, sentAt] = SENT_AT.exec(line) ?? [];
        if (sentAt !== undefined) delays.push(performance.now() - Number(sentAt));
      }
    });
    stream.on('close', () => cut++);
    streams.push(stream);
  }
  note(`${streams.length} streams, ${reading.peakMemoryMb().toFixed(0)} MB`);

  await sendAll(writing.url, sessions, WARM_UP_SECONDS);
  await sleep(1_000);
  delays = [];
  const answered = await sendAll(writing.url, sessions, SECONDS);
  await sleep(1_000);
  const expected = answered.length * (STREAMS_A_SESSION + STREAMS_OF_ORG);
  note(`${answered.length} messages, ${delays.length} of ${expected} received, ${cut} streams closed early`);
  const memoryMb = reading.peakMemoryMb();
  for (const stream of streams) stream.destroy();
  if (delays.length !== expected || cut > 0)
    throw new Error('events were lost or repeated, or streams were closed early');

  const p99 = percentile(delays, 99);
  return [
    {
      name: `${streams.length} live streams, p99 of a message sent to seen / to answered`,
      subject: `${p99.toFixed(1)} ms`,
      baseline: `${percentile(answered, 99).toFixed(1)} ms`,
      ratio: (p99 / percentile(answered, 99)).toFixed(2),
      target: `< ${AT_MOST_MS} ms`,
      isMet: p99 < AT_MOST_MS,
    },
    {
      name: `${streams.length} live streams, peak memory of the api with them / without`,
      subject: `${memoryMb.toFixed(0)} MB`,
      baseline: `${writing.peakMemoryMb().toFixed(0)} MB`,
      ratio: (memoryMb / writing.peakMemoryMb()).toFixed(2),
      target: `< ${AT_MOST_MB} MB`,
      isMet: memoryMb < AT_MOST_MB,
    },
  ];
}

async function createOrg({ db, env }: Stack): Promise<Org> {
  const orgId = await seedOrg(db, 0);
  const tokens = createTokens([env.JWT_SECRET ?? '']);
  const keys: string[] = [];
  for (let n = 0; n < KEYS_OF_ORG; n++)
    keys.push((await issueOrgKey(db, tokens, orgId, { name: `Bench ${n}` })).api_key);
  const sessions: KeyedSession[] = [];
  for (let n = 0; n < SESSIONS_OF_ORG; n++) {
    const { id } = await createSession(db, orgId, { channel: { type: 'api' } });
    sessions.push({ id, key: elementAt(keys, n % KEYS_OF_ORG) });
  }
  return { keys, sessions };
}

/** Returns the streams to open in an org, with its keys in turns. */
function streamsOf({ keys, sessions }: Org): { path: string; key: string }[] {
  const paths = [
    ...sessions.flatMap(({ id }) => Array.from({ length: STREAMS_A_SESSION }, () => `/chat/sessions/${id}/events`)),
    ...Array.from({ length: STREAMS_OF_ORG }, () => '/events'),
  ];
  return paths.map((path, nth) => ({ path, key: elementAt(keys, nth % KEYS_OF_ORG) }));
}

async function startApi(stack: Stack): Promise<Api> {
  const port = String(await anyFreePort());
  const limits = { RATE_LIMIT_STORE: 'memory', RATE_LIMIT_STANDARD: UNLIMITED, RATE_LIMIT_STREAMING: UNLIMITED };
  const { peakMemoryMb } = await stack.start('api', { PORT: port, ...limits });
  const url = `http://127.0.0.1:${port}`;
  await waitUntilResponding(`${url}/healthz`, stack.logFile);
  return { url, peakMemoryMb };
}

function openStream(url: string, key: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(url, { agent: false, headers: { authorization: `Bearer ${key}` } }, (response) => {
      response.on('error', () => undefined); // destroyed at the end
      if (response.statusCode === 200) resolve(response.setEncoding('utf8'));
      else reject(new Error(`${url} answers ${response.statusCode}`));
    }).on('error', reject);
  });
}

/** Sends messages at a steady pace, each when it is due. Returns the response times. */
async function sendAll(url: string, sessions: KeyedSession[], seconds: number): Promise<number[]> {
  const beganAt = performance.now();
  const sending: Promise<number>[] = [];
  for (let n = 0; n < seconds * MESSAGES_A_SECOND; n++) {
    await sleep(Math.max(0, beganAt + (n * 1000) / MESSAGES_A_SECOND - performance.now()));
    const { id, key } = elementAt(sessions, n % sessions.length);
    sending.push(send(`${url}/chat/sessions/${id}/send`, key));
  }
  return Promise.all(sending);
}

async function send(url: string, key: string): Promise<number> {
  const sentAt = performance.now();
  const text = `Where is my order? ${'It was to come on Monday. '.repeat(10)}sent at ${sentAt}`;
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ sender: 'contact', message: { type: 'text', text } }),
  });
  await response.arrayBuffer();
  if (response.status !== 201) throw new Error(`a message was answered with ${response.status}`);
  return performance.now() - sentAt;
}

await report(() => withStack({ hasTemporal: false }, measure));
