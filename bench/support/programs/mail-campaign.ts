import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db } from '../../../src/db/connect.ts';
import { startSequence } from '../../../src/sequences/definitions/service.ts';
import { type Program, serve } from '../processes.ts';
import { seedOrg, seedSequence } from '../seed.ts';
import { type Stack, withStack } from '../stack.ts';

/** The processor time of a mail by program, in ms, and the mails a second. */
export interface CampaignRound {
  rate: number;
  worker: number;
  temporal: number;
  postgres: number;
  /** What Postgres committed a mail. */
  commits: number;
}

/** Ticks of proc_pid_stat(5) are 10 ms. */
const TICK_MS = 10;

/** Returns the processor time used so far by the descendants of this process with a name, in ms, with ended children. */
function cpuMsOf(name: string): number {
  const stats = readdirSync('/proc').flatMap((pid) => (/^\d+$/.test(pid) ? statOf(pid) : []));
  const parents = new Map(stats.map(({ pid, parent }) => [pid, parent]));
  const isOurs = (pid: number): boolean => pid === process.pid || (parents.has(pid) && isOurs(parents.get(pid) ?? 0));
  return stats
    .filter((stat) => stat.name === name && isOurs(stat.pid))
    .reduce((sum, { ticks }) => sum + ticks * TICK_MS, 0);
}

function statOf(id: string) {
  try {
    const stat = readFileSync(`/proc/${id}/stat`, 'utf8');
    const values = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = values.slice(11, 15).reduce((sum, value) => sum + Number(value), 0);
    const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
    return [{ pid: Number(id), parent: Number(values[1]), name, ticks }];
  } catch {
    return []; // it has ended
  }
}

async function runCampaign(db: Db, worker: Program, contacts: number): Promise<CampaignRound> {
  const orgId = await seedOrg(db, contacts);
  const sequenceId = await seedSequence(db, orgId);
  const used = async () => ({
    worker: worker.cpuMs(),
    temporal: cpuMsOf('temporal'),
    postgres: cpuMsOf('postgres'),
    commits: await commitsOf(db),
  });
  const before = await used();
  const begun = performance.now();
  await startSequence(db, orgId, sequenceId);
  while (!(await isComplete(db, sequenceId))) await sleep(20);
  const rate = (contacts / (performance.now() - begun)) * 1000;
  await sleep(1_500); // what follows a campaign, and Postgres' counters
  const after = await used();
  await assertAllAccepted(db, sequenceId, contacts);
  const spent = (name: keyof typeof before) => (after[name] - before[name]) / contacts;
  return {
    rate,
    worker: spent('worker'),
    temporal: spent('temporal'),
    postgres: spent('postgres'),
    commits: spent('commits'),
  };
}

async function commitsOf(db: Db): Promise<number> {
  const { rows } = await sql<{ commits: number }>`
    select xact_commit::float8 as commits from pg_stat_database where datname = current_database()
  `.execute(db);
  return rows[0]?.commits ?? 0;
}

async function isComplete(db: Db, sequenceId: string): Promise<boolean> {
  const { rows } = await sql`select from sequences where id = ${sequenceId} and status = 'complete'`.execute(db);
  return rows.length > 0;
}

async function assertAllAccepted(db: Db, sequenceId: string, contacts: number): Promise<void> {
  const { rows } = await sql<{ accepted: number }>`
    select count(*)::int as accepted from deliveries where sequence_id = ${sequenceId} and status = 'accepted'
  `.execute(db);
  if (rows[0]?.accepted !== contacts) throw new Error(`${rows[0]?.accepted} of ${contacts} were accepted`);
}

/** Runs campaigns on servers of this build until it is told to stop. */
async function serveCampaigns(stack: Stack, stopped: Promise<void>): Promise<void> {
  const sink = await stack.start(import.meta.resolve('./smtp-sink.ts'));
  const SMTP_URL = await sink.ask<string>('url');
  const worker = await stack.start('worker', { SMTP_URL, DEVELOPMENT: 'true' });
  let sent = 0;
  serve({
    async run({ contacts }: { contacts: number }): Promise<CampaignRound> {
      const round = await runCampaign(stack.db, worker, contacts);
      const taken = await sink.ask<number>('taken');
      sent += contacts;
      if (taken !== sent) throw new Error(`the sink received ${taken} mails, not ${sent}`);
      return round;
    },
    where: async () => ({ worker: worker.pid, databaseUrl: stack.databaseUrl }),
    async stop() {
      stopping.resolve();
    },
  });
  await stopped;
}

const stopping = Promise.withResolvers<void>();
await withStack({ hasTemporal: true }, (stack) => serveCampaigns(stack, stopping.promise));
process.disconnect?.();
