import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db } from '../src/db/connect.ts';
import { startSequence } from '../src/sequences/definitions/service.ts';
import { findNextDue, listDue } from '../src/sequences/sending/due.queries.ts';
import { transitionsOf } from '../src/sequences/steps/rules.ts';
import { listAllSteps } from '../src/sequences/steps/shared.queries.ts';
import { type Finding, limitFinding, median, note, report, timeFinding } from './support/report.ts';
import { seedOrg, seedSequence } from './support/seed.ts';
import { type Stack, withStack } from './support/stack.ts';

const TO_ENROLL = 100_000;
const ENROLL_LIMIT_S = 60;
const MEMORY_LIMIT_MB = 500;
const FEW = 1_000;
const MANY = 1_000_000;
const DUE = 100;
const LOOKS = 50;
const SEEDED_AT_ONCE = 100_000;
const TWO_DAYS_IN_MINUTES = 2_880;

/** Starts a sequence for 100,000 contacts, with the first step due in two days. */
async function enrolling(stack: Stack, db: Db): Promise<Finding[]> {
  const worker = await stack.start(import.meta.resolve('./support/programs/costless-worker.ts'), {}, 'worker');
  await worker.ask('ready');
  const orgId = await seedOrg(db, TO_ENROLL);
  const sequenceId = await seedSequence(db, orgId, [TWO_DAYS_IN_MINUTES]);
  const begun = performance.now();
  await startSequence(db, orgId, sequenceId);
  while (!(await isEnrolled(db, sequenceId))) await sleep(50);
  const seconds = (performance.now() - begun) / 1000;
  const peakMb = worker.peakMemoryMb();
  await worker.stop();
  const bound = (name: string, value: number, limit: number, unit: string): Finding =>
    limitFinding(name, { subject: `${value.toFixed(1)} ${unit}`, target: `< ${limit} ${unit}`, isMet: value < limit });
  return [
    bound('scale, enrolling 100,000 contacts', seconds, ENROLL_LIMIT_S, 's'),
    bound('scale, memory of the worker meanwhile', peakMb, MEMORY_LIMIT_MB, 'MB'),
  ];
}

async function isEnrolled(db: Db, sequenceId: string): Promise<boolean> {
  const { rows } = await sql<{ enrolled: number }>`
    select count(*) as enrolled from enrollments where sequence_id = ${sequenceId}
  `.execute(db);
  return rows[0]?.enrolled === TO_ENROLL;
}

/** Measures finding due sends and the next due time, with few enrollments and with a thousand times as many. */
async function deciding(db: Db): Promise<Finding> {
  const small = await seedEnrollments(db, FEW);
  const large = await seedEnrollments(db, MANY);
  const times = { few: [] as number[], many: [] as number[] };
  for (let look = -10; look < LOOKS; look++) {
    const few = await timeDecision(db, small);
    const many = await timeDecision(db, large);
    if (look < 0) continue;
    times.few.push(few);
    times.many.push(many);
  }
  return timeFinding('scale, what is due of 1,000,000 / of 1,000', median(times.many), median(times.few), 2);
}

interface Seeded {
  orgId: string;
  sequenceId: string;
}

/** Seeds enrollments spread over three steps, with a few of them due. */
async function seedEnrollments(db: Db, count: number): Promise<Seeded> {
  const orgId = await seedOrg(db, count);
  const sequenceId = await seedSequence(db, orgId, [TWO_DAYS_IN_MINUTES, TWO_DAYS_IN_MINUTES, TWO_DAYS_IN_MINUTES]);
  await sql`update sequences set status = 'active' where id = ${sequenceId}`.execute(db);
  for (let from = 0; from < count; from += SEEDED_AT_ONCE) {
    await sql`
    insert into enrollments (org_id, id, sequence_id, contact_id, last_step_id, anchor_at)
    select org_id, uuidv7(), ${sequenceId}::uuid, id,
      (select step.id from sequence_steps as step where step.sequence_id = ${sequenceId} and step.position = n % 3 - 1),
      now() - case when n <= ${DUE} then interval '3 days' else random() * interval '1 day' end
    from (select org_id, id, row_number() over (order by id) as n from contacts where org_id = ${orgId}) as contact
    where n > ${from} and n <= ${from + SEEDED_AT_ONCE}
  `.execute(db);
  }
  await sql`vacuum analyze enrollments`.execute(db);
  note(`${count} enrollments seeded`);
  return { orgId, sequenceId };
}

async function timeDecision(db: Db, { orgId, sequenceId }: Seeded): Promise<number> {
  const moves = transitionsOf(await listAllSteps(db, orgId, sequenceId));
  const begun = performance.now();
  const due = await listDue(db, orgId, sequenceId, { transitions: moves, limit: 500 });
  await findNextDue(db, orgId, sequenceId, moves);
  const ms = performance.now() - begun;
  if (due.length !== DUE) throw new Error(`${due.length} were due, not ${DUE}`);
  return ms;
}

await report(() =>
  withStack({ hasTemporal: true }, async (stack) => {
    const { db } = stack;
    return [...(await enrolling(stack, db)), await deciding(db)];
  }),
);
