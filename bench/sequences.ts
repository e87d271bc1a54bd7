import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db } from '../src/db/connect.ts';
import { startSequence } from '../src/sequences/definitions/service.ts';
import type { Program } from './support/processes.ts';
import { type Finding, memoryFinding, note, rateFinding, report } from './support/report.ts';
import { seedOrg, seedSequence } from './support/seed.ts';
import { type Stack, withStack } from './support/stack.ts';

const CONTACTS = 10_000;
const NAIVE_CONTACTS = 500;
const WARM_UP_CONTACTS = 500;
const COSTLESS_ROUNDS = 3;
const LOOP_ROUNDS = 3;
const MEMORY_LIMIT_MB = 500;

/** Compares one workflow for the sequence with one for each contact, using a sender without cost. */
async function againstNaive(stack: Stack, db: Db): Promise<{ findings: Finding[]; peakMb: number }> {
  const worker = await stack.start(import.meta.resolve('./support/programs/costless-worker.ts'), {}, 'worker');
  const naive = await stack.start(import.meta.resolve('./support/baselines/naive-worker.ts'));
  await worker.ask('ready');
  await runSequence(db, WARM_UP_CONTACTS);
  for (const type of ['sendToOne', 'sendToOneAtOnce']) await runNaive(db, naive, type, WARM_UP_CONTACTS);

  const rates = { subject: [] as number[], naive: [] as number[], least: [] as number[] };
  for (let round = 1; round <= COSTLESS_ROUNDS; round++) {
    rates.subject.push(await runSequence(db, CONTACTS));
    rates.naive.push(await runNaive(db, naive, 'sendToOne', NAIVE_CONTACTS));
    rates.least.push(await runNaive(db, naive, 'sendToOneAtOnce', NAIVE_CONTACTS));
    note(`costless round ${round}: ${describe(rates)}`);
  }
  const peakMb = worker.peakMemoryMb();
  note(`worker with a costless sender: ${peakMb.toFixed(0)} MB at most`);
  await Promise.all([worker.stop(), naive.stop()]);
  return {
    peakMb,
    findings: [rateFinding('sequence, costless sender / a workflow a contact', rates.subject, rates.naive, 100)],
  };
}

/** Compares the real worker with a bare loop, both sending by SMTP into a sink. */
async function overSmtp(stack: Stack, db: Db): Promise<{ findings: Finding[]; peakMb: number }> {
  const sink = await stack.start(import.meta.resolve('./support/programs/smtp-sink.ts'));
  const SMTP_URL = await sink.ask<string>('url');
  const worker = await stack.start('worker', { SMTP_URL, DEVELOPMENT: 'true' });
  const loop = await stack.start(import.meta.resolve('./support/baselines/bare-loop.ts'), { SMTP_URL });
  const found = await againstBareLoop(db, 'SMTP', 0.8, worker, loop);
  const taken = await sink.ask<number>('taken');
  const sent = 2 * (WARM_UP_CONTACTS + LOOP_ROUNDS * CONTACTS);
  if (taken !== sent) throw new Error(`the sink received ${taken} mails, not ${sent}`);
  await sink.stop();
  return found;
}

/** Compares the worker with a bare loop, both using a provider with a delay of 20 ms, 50 sends at a time. */
async function overQuickProvider(stack: Stack, db: Db): Promise<{ findings: Finding[]; peakMb: number }> {
  const OUTLET = 'quick';
  const worker = await stack.start(import.meta.resolve('./support/programs/costless-worker.ts'), { OUTLET }, 'worker');
  const loop = await stack.start(import.meta.resolve('./support/baselines/bare-loop.ts'), { OUTLET });
  await worker.ask('ready');
  return againstBareLoop(db, 'a 20 ms provider', 0.9, worker, loop);
}

/** Runs both alternately, then stops the two programs. */
async function againstBareLoop(
  db: Db,
  name: string,
  target: number,
  worker: Program,
  loop: Program,
): Promise<{ findings: Finding[]; peakMb: number }> {
  await runSequence(db, WARM_UP_CONTACTS);
  await runBareLoop(db, loop, WARM_UP_CONTACTS);
  const rates = { subject: [] as number[], loop: [] as number[] };
  for (let round = 1; round <= LOOP_ROUNDS; round++) {
    rates.subject.push(await runSequence(db, CONTACTS));
    rates.loop.push(await runBareLoop(db, loop, CONTACTS));
    note(`${name}, round ${round}: ${describe(rates)}`);
  }
  const peakMb = worker.peakMemoryMb();
  note(`worker with ${name}: ${peakMb.toFixed(0)} MB at most`);
  await Promise.all([worker.stop(), loop.stop()]);
  return {
    peakMb,
    findings: [rateFinding(`sequence, ${name} / a bare loop`, rates.subject, rates.loop, target)],
  };
}

/**
 * Returns the contacts a second of a sequence, from the commit of its start until it is complete. Enrolling is
 * included.
 */
async function runSequence(db: Db, contacts: number): Promise<number> {
  const orgId = await seedOrg(db, contacts);
  const sequenceId = await seedSequence(db, orgId);
  const begun = performance.now();
  await startSequence(db, orgId, sequenceId);
  while (!(await isComplete(db, sequenceId))) await sleep(20);
  const rate = (contacts / (performance.now() - begun)) * 1000;
  await assertAllAccepted(db, sequenceId, contacts);
  return rate;
}

async function runNaive(db: Db, naive: Program, type: string, contacts: number): Promise<number> {
  const orgId = await seedOrg(db, contacts);
  const sequenceId = await seedSequence(db, orgId);
  const rate = await naive.ask<number>('run', { orgId, sequenceId, type });
  await assertAllAccepted(db, sequenceId, contacts);
  return rate;
}

async function runBareLoop(db: Db, loop: Program, contacts: number): Promise<number> {
  const orgId = await seedOrg(db, contacts);
  const sequenceId = await seedSequence(db, orgId);
  const rate = await loop.ask<number>('run', { orgId, sequenceId });
  await assertAllAccepted(db, sequenceId, contacts);
  return rate;
}

async function isComplete(db: Db, sequenceId: string): Promise<boolean> {
  const { rows } = await sql`select from sequences where id = ${sequenceId} and status = 'complete'`.execute(db);
  return rows.length > 0;
}

/** Asserts that every write was done, so that rates are comparable. */
async function assertAllAccepted(db: Db, sequenceId: string, contacts: number): Promise<void> {
  const { rows } = await sql<{ accepted: number }>`
    select count(*) as accepted from deliveries join enrollments
      on enrollments.org_id = deliveries.org_id and enrollments.id = deliveries.enrollment_id
    where deliveries.sequence_id = ${sequenceId} and deliveries.status = 'accepted' and enrollments.status = 'complete'
  `.execute(db);
  if (rows[0]?.accepted !== contacts) throw new Error(`${rows[0]?.accepted} of ${contacts} were accepted`);
}

const describe = (rates: Record<string, number[]>) =>
  Object.entries(rates)
    .map(([name, values]) => `${name} ${values.at(-1)?.toFixed(0)}/s`)
    .join(', ');

await report(() =>
  withStack({ hasTemporal: true }, async (stack) => {
    const { db } = stack;
    const costless = await againstNaive(stack, db);
    const quick = await overQuickProvider(stack, db);
    const smtp = await overSmtp(stack, db);
    const peakMb = Math.max(costless.peakMb, quick.peakMb, smtp.peakMb);
    return [
      ...costless.findings,
      ...quick.findings,
      ...smtp.findings,
      memoryFinding('sequence, memory of the worker at its peak', peakMb, MEMORY_LIMIT_MB),
    ];
  }),
);
