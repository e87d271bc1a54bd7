import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { sql } from 'kysely';
import type { FaultOrg } from '../../faults/support/fault-org.ts';
import { type FaultStack, startFaultStack } from '../../faults/support/fault-stack.ts';
import type { Program } from '../../faults/support/programs.ts';
import { IS_LONG, TEST_LIMIT_MS } from '../../faults/support/sizes.ts';
import { attackerOf } from './attacker.ts';
import { ATTACKS, attackUntil } from './attacks.ts';
import { type HostileSites, startHostileSites } from './sites.ts';

const ATTACK_MS = IS_LONG ? 60_000 : 3_000;
const AFTER_MS = IS_LONG ? 10_000 : 1_000;
/** An attack leaves work behind. It is not measured with the next attack. */
const MAX_CALMING_MS = IS_LONG ? 60_000 : 0;
const CALM_MAIL_MS = 1_000;
const INTERVAL_MS = 150;
/** Beside other tests everything takes longer, and a mail passes many processes. */
const MAX_REQUEST_MS = IS_LONG ? 500 : 1_500;
const MAX_MAIL_MS = IS_LONG ? 5_000 : 30_000;
const MAX_MEMORY_BYTES = 700 * 1024 * 1024;
/** Attacks of all kinds: on memory, computing, the database and the queues. The others are in the long tier. */
const ATTACKS_OF_CHECK = [
  'large active workflows',
  'robots.txt of many agents',
  'forms and files of visitors',
  'events that many runs wait for',
  'slow searches',
];
const QUOTA = 300_000_000;
/** Bystanders take turns, so that none reaches its own rate limit. */
const BYSTANDERS = 8;

let stack: FaultStack;
let sites: HostileSites;
/** The folder of uploaded files. */
let files: string;
let bystanders: FaultOrg[];
/** The api, the worker, and the worker for crawls, as in docker-compose.yml. */
let processes: Program[];
let pids: number[];
let mailed = 0;

beforeAll(async () => {
  sites = await startHostileSites();
  files = await mkdtemp(join(tmpdir(), 'switchboard-files-'));
  stack = await startFaultStack({
    env: {
      EGRESS_ALLOW: '127.0.0.0/8',
      RATE_LIMIT_STANDARD: '100',
      WRITE_QUOTA_BYTES: String(QUOTA),
      STORAGE_URL: pathToFileURL(files).href,
      WORKER_QUEUES: 'interactive,bulk,webhooks',
    },
  });
  const crawler = await stack.addWorker({ WORKER_QUEUES: 'crawls' });
  bystanders = await Promise.all(Array.from({ length: BYSTANDERS }, () => stack.newOrg()));
  for (const org of bystanders) await org.createSequence();
  processes = [stack.api, stack.worker, crawler];
  pids = processes.map((process) => process.pid());
}, TEST_LIMIT_MS);
afterAll(async () => {
  await stack.close();
  await sites.close();
  await rm(files, { recursive: true, force: true });
});

interface Measured {
  requestsMs: number[];
  mailsMs: number[];
  wrong: string[];
}

/** Sends requests as bystanders until the time is over, and waits for the mail to each new contact. */
async function measureUntil(deadlineMs: number): Promise<Measured> {
  const measured: Measured = { requestsMs: [], mailsMs: [], wrong: [] };
  const sent = new Map<string, number>();
  for (let nth = 0; Date.now() < deadlineMs; nth++) {
    const org = bystanders[nth % BYSTANDERS] as FaultOrg;
    const email = `b${mailed++}@${org.id}.example.com`;
    for (const [method, path, body] of [
      ['POST', '/contacts', { contact: { email } }],
      ['GET', '/org', undefined],
    ] as const) {
      const begun = performance.now();
      const status = await org.call(method, path, body).then(
        (answer) => answer.status,
        (error: unknown) => String(error),
      );
      measured.requestsMs.push(performance.now() - begun);
      if (status !== 200 && status !== 201) measured.wrong.push(`${method} ${path}: ${status}`);
      if (status === 201) sent.set(email, Date.now());
    }
    noteMails(sent, measured);
    await sleep(INTERVAL_MS);
  }
  const giveUpAt = Date.now() + MAX_MAIL_MS * 2;
  while (sent.size > 0 && Date.now() < giveUpAt) {
    noteMails(sent, measured);
    await sleep(INTERVAL_MS);
  }
  for (const email of sent.keys()) measured.wrong.push(`no mail to ${email}`);
  return measured;
}

/** Waits until mails are quick again, for as long as `MAX_CALMING_MS`. */
async function calmDown(): Promise<void> {
  const giveUpAt = Date.now() + MAX_CALMING_MS;
  while (Date.now() < giveUpAt) {
    const { mailsMs } = await measureUntil(Date.now() + 1_000);
    if (Math.max(...mailsMs) < CALM_MAIL_MS) return;
  }
}

function noteMails(sent: Map<string, number>, { mailsMs }: Measured): void {
  for (const { to } of stack.sink.mails()) {
    const at = sent.get(to);
    if (at === undefined) continue;
    mailsMs.push(Date.now() - at);
    sent.delete(to);
  }
}

const quantile = (values: number[], share: number) =>
  values.toSorted((one, other) => one - other)[Math.floor((values.length - 1) * share)] ?? 0;

/** The most memory that a process ever held. */
const peakBytes = (pid: number): number =>
  Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;

const databaseBytes = async (): Promise<number> => {
  const { rows } = await sql<{ bytes: number }>`select pg_database_size(current_database()) as bytes`.execute(stack.db);
  return rows[0]?.bytes ?? 0;
};

describe('a bystander of an attack', () => {
  it.each(IS_LONG ? Object.keys(ATTACKS) : ATTACKS_OF_CHECK)(
    'is served as before, with the memory and disk of all: %s',
    async (name) => {
      const attack = ATTACKS[name] as (typeof ATTACKS)[string];
      const attacker = attackerOf(await stack.newOrg(), stack.url, sites);
      const bytesBefore = await databaseBytes();
      const deadline = Date.now() + ATTACK_MS;
      const [measured, { rounds, first }] = await Promise.all([
        measureUntil(deadline + AFTER_MS),
        attackUntil(attack, attacker, deadline),
      ]);
      await attacker.end();
      await calmDown();
      const grown = (await databaseBytes()) - bytesBefore;
      const { requestsMs, mailsMs, wrong } = measured;
      const memory = pids.map(peakBytes);
      process.stdout.write(
        `${name}: ${rounds} rounds, requests p50 ${Math.round(quantile(requestsMs, 0.5))} p95 ${Math.round(quantile(requestsMs, 0.95))} ms, mails p50 ${quantile(mailsMs, 0.5)} max ${Math.max(...mailsMs)} ms, memory ${memory.map((bytes) => bytes >> 20).join(' and ')} MB, database +${grown >> 20} MB\n`,
      );
      expect(first).toEqual(attack.first.toSorted());
      expect(wrong).toEqual([]);
      expect(quantile(requestsMs, 0.95)).toBeLessThan(MAX_REQUEST_MS);
      expect(Math.max(...mailsMs)).toBeLessThan(MAX_MAIL_MS);
      expect(processes.map((process) => process.pid())).toEqual(pids);
      expect(processes.every((process) => process.isRunning())).toBe(true);
      for (const bytes of memory) expect(bytes).toBeLessThan(MAX_MEMORY_BYTES);
      expect(grown).toBeLessThan(QUOTA * 2);
    },
    TEST_LIMIT_MS + ATTACK_MS,
  );
});
