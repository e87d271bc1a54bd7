import type { PreviewedTurn } from '../ai/preview/schema.ts';
import { getStoredConfig } from '../ai/settings/service.ts';
import { listOrgsWithAutopilot } from '../autopilot/service.ts';
import type { Db, Trx } from '../db/connect.ts';
import { pageOf } from '../db/cursor.ts';
import { inTransaction } from '../db/transaction.ts';
import { conflict, notFound } from '../errors.ts';
import { newId } from '../ids.ts';
import { enqueue, start } from '../outbox/outbox.ts';
import { lockCases } from './cases.queries.ts';
import { RUN_EVALS } from './contract.ts';
import {
  deleteOldRuns,
  endRun,
  findResult,
  findRun,
  findRunBefore,
  insertRun,
  listChanged,
  listDueOrgs,
  listResults,
  listRuns,
  lockRun,
  type RunRow,
} from './runs.queries.ts';
import type { Drift, ListRuns } from './schema.ts';

const ORGS_PER_BATCH = 100;
const RETENTION_DAYS = 90;
const RUNS_PER_SWEEP = 20;

/** Returns a page of an org's runs. */
export async function pageOfRuns(db: Db, orgId: string, page: ListRuns) {
  const { items, next } = await pageOf(db, page, (page) => listRuns(db, orgId, page));
  return { items: items.map(shownRun), next };
}

/** Returns a run with the results of its cases. Throws notFound. */
export async function getRun(db: Db, orgId: string, id: string) {
  const run = await findRun(db, orgId, id);
  if (run === undefined) throw notFound('run');
  const results = await listResults(db, orgId, id);
  return { ...shownRun(run), results: results.map(withNumber) };
}

/** Returns the result of a case in a run, with what the turn did. Throws notFound. */
export async function getResult(db: Db, orgId: string, runId: string, caseId: string) {
  const result = await findResult(db, orgId, runId, caseId);
  if (result === undefined) throw notFound('result');
  return { ...withNumber(result), turn: result.turn === null ? null : withDates(result.turn) };
}

const withNumber = <Row extends { cost: string | null }>({ cost, ...row }: Row) => ({
  ...row,
  cost: cost === null ? null : Number(cost),
});

/** Returns a stored turn with its times. */
const withDates = ({ due_at, started_at, ended_at, created_at, ...turn }: PreviewedTurn): PreviewedTurn => ({
  ...turn,
  due_at: new Date(due_at),
  started_at: started_at && new Date(started_at),
  ended_at: ended_at && new Date(ended_at),
  created_at: new Date(created_at),
});

const shownRun = ({ config: _, cost, ...run }: RunRow) => ({
  ...run,
  cost: Number(cost),
  pass_share: run.state === 'done' ? shareOf(run) : null,
});

/** Returns the share of a run's cases that have passed. */
export const shareOf = ({ passed, cases }: Pick<RunRow, 'passed' | 'cases'>): number => passed / Math.max(1, cases);

/**
 * Starts a run of all cases of an org over its draft, or over what is published. Throws conflict without any case, and
 * while another run is under way.
 */
export function startRun(db: Db, orgId: string, settings: 'draft' | 'published') {
  return inTransaction(db, async (trx) => {
    const run = await insertAndStart(trx, orgId, { settings, started_by: 'api' });
    if (run === undefined) throw conflict('A run is in progress: wait until it has ended, or cancel it');
    if (run.cases === 0) throw conflict('There is no case to run: POST /autopilot/evals adds one');
    return shownRun(run);
  });
}

async function insertAndStart(
  trx: Trx,
  orgId: string,
  { settings, started_by }: Pick<RunRow, 'settings' | 'started_by'>,
): Promise<RunRow | undefined> {
  await lockCases(trx, orgId);
  const { draft, published, version } = await getStoredConfig(trx, orgId);
  const isDraft = settings === 'draft';
  const run = await insertRun(trx, {
    org_id: orgId,
    id: newId(),
    settings,
    started_by,
    config: isDraft ? draft : published,
    config_version: isDraft ? null : version,
  });
  if (run !== undefined) await enqueue(trx, orgId, startOf(run));
  return run;
}

/** Returns the command that starts the workflow of a run. */
export const startOf = ({ org_id: orgId, id, cases }: RunRow) =>
  start(RUN_EVALS, { orgId, runId: id }, { subjectId: id, summary: `Run ${cases} eval cases` });

/** Starts the nightly runs of some orgs with cases and autopilot. Returns their number, 0 once all have one. */
export async function startNightlyRuns(db: Db): Promise<number> {
  const due = await listDueOrgs(db, await listOrgsWithAutopilot(db), ORGS_PER_BATCH);
  const started = await Promise.all(
    due.map((orgId) =>
      inTransaction(db, (trx) => insertAndStart(trx, orgId, { settings: 'published', started_by: 'nightly' })),
    ),
  );
  return started.filter((run) => run !== undefined).length;
}

/** Cancels a run: the cases under way end, and no further one begins. Throws notFound, and conflict for an ended run. */
export function cancelRun(db: Db, orgId: string, id: string) {
  return inTransaction(db, async (trx) => {
    const run = await lockRun(trx, orgId, id);
    if (run === undefined) throw notFound('run');
    if (run.ended_at !== null) throw conflict(`The run is ${run.state} already`);
    await endRun(trx, orgId, id, { state: 'canceled', drift: null });
    return shownRun({ ...run, state: 'canceled', ended_at: new Date() });
  });
}

/** Ends a run whose cases were all run, and notes what has changed since the run before. Repeated, it does nothing. */
export function finishRun(db: Db, orgId: string, id: string): Promise<void> {
  return inTransaction(db, async (trx) => {
    const run = await lockRun(trx, orgId, id);
    if (run === undefined || run.ended_at !== null) return;
    await endRun(trx, orgId, id, { state: 'done', drift: await driftOf(trx, orgId, run) });
  });
}

/** Ends a run that was canceled in Temporal. Repeated, it does nothing. */
export const abandonRun = (db: Db, orgId: string, id: string): Promise<void> =>
  inTransaction(db, (trx) => endRun(trx, orgId, id, { state: 'canceled', drift: null }));

async function driftOf(trx: Trx, orgId: string, run: RunRow): Promise<Drift | null> {
  const before = await findRunBefore(trx, orgId, run);
  if (before === undefined) return null;
  const changed = await listChanged(trx, orgId, { from: before.id, to: run.id });
  const having = (state: 'passed' | 'failed') =>
    changed.filter((one) => one.state === state).map(({ case_id }) => case_id);
  return { compared_to: before.id, newly_failing: having('failed'), newly_passing: having('passed') };
}

/** Deletes some runs after 90 days, and returns their number. */
export const deleteOldEvalRuns = (db: Db): Promise<number> =>
  deleteOldRuns(db, { olderThanDays: RETENTION_DAYS, limit: RUNS_PER_SWEEP });
