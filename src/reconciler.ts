import type { Client } from '@temporalio/client';
import { listRunsInProgress as listEvalRuns, mendEvalRun, workflowIdOfEvalRun } from './ai/evals/reconcile.service.ts';
import { listOpenTurns, mendTurn, workflowIdOfTurn } from './ai/turns/reconcile.service.ts';
import { listRunsInProgress, mendRun, workflowIdOfRun } from './automations/runs/reconcile.service.ts';
import type { Db } from './db/connect.ts';
import { listActiveCrawls, mendCrawl, workflowIdOfCrawl } from './knowledge/crawl/jobs/reconcile.service.ts';
import { listPendingWorkflows } from './outbox/pending.queries.ts';
import { listForecastsInProgress, mendForecast, workflowIdOfForecast } from './sequences/forecast/jobs.service.ts';
import { listActiveSequences, mendSequence, workflowIdOfSequence } from './sequences/workflow-reconcile.service.ts';
import { type ExecutionState, findExecutionStates } from './temporal/executions.ts';

const ROWS_PER_QUERY = 100;

/** A row that says to be in progress, without a workflow in Temporal. */
export interface Mismatch {
  kind: 'workflow-run' | 'sequence' | 'crawl' | 'forecast' | 'ai-turn' | 'eval-run';
  org_id: string;
  id: string;
  /** What Temporal knows of the workflow. */
  temporal: Exclude<ExecutionState, 'running'>;
  /** What was done: `none` in a dry run. */
  mended: string;
}

/** One kind of rows with workflows. */
interface Subject<Ref extends { orgId: string }> {
  kind: Mismatch['kind'];
  list: (db: Db, after: Ref | undefined, limit: number) => Promise<Ref[]>;
  workflowIdOf: (ref: Ref) => string;
  idOf: (ref: Ref) => string;
  mend: (db: Db, ref: Ref, state: Mismatch['temporal']) => Promise<string | undefined>;
}

type Reconciliation = (db: Db, client: Client, isDryRun: boolean) => Promise<Mismatch[]>;

const reconciling =
  <Ref extends { orgId: string }>(subject: Subject<Ref>): Reconciliation =>
  (db, client, isDryRun) =>
    reconcileSubject(db, client, isDryRun, subject);

const RECONCILIATIONS = [
  reconciling({
    kind: 'workflow-run',
    list: listRunsInProgress,
    workflowIdOf: workflowIdOfRun,
    idOf: ({ runId }) => runId,
    mend: mendRun,
  }),
  reconciling({
    kind: 'sequence',
    list: listActiveSequences,
    workflowIdOf: workflowIdOfSequence,
    idOf: ({ sequenceId }) => sequenceId,
    mend: mendSequence,
  }),
  reconciling({
    kind: 'crawl',
    list: listActiveCrawls,
    workflowIdOf: workflowIdOfCrawl,
    idOf: ({ jobId }) => jobId,
    mend: mendCrawl,
  }),
  reconciling({
    kind: 'forecast',
    list: listForecastsInProgress,
    workflowIdOf: workflowIdOfForecast,
    idOf: ({ forecastId }) => forecastId,
    mend: mendForecast,
  }),
  reconciling({
    kind: 'ai-turn',
    list: listOpenTurns,
    workflowIdOf: workflowIdOfTurn,
    idOf: ({ turnId }) => turnId,
    mend: mendTurn,
  }),
  reconciling({
    kind: 'eval-run',
    list: listEvalRuns,
    workflowIdOf: workflowIdOfEvalRun,
    idOf: ({ runId }) => runId,
    mend: mendEvalRun,
  }),
];

/**
 * Compares runs in progress, active sequences and crawls, forecasts and eval runs in progress, and turns of the AI with
 * Temporal, some at a time, and mends those without a workflow. A dry run changes nothing. Returns the mismatches.
 */
export async function reconcile(db: Db, client: Client, { isDryRun }: { isDryRun: boolean }): Promise<Mismatch[]> {
  const found: Mismatch[] = [];
  for (const reconcileRows of RECONCILIATIONS) found.push(...(await reconcileRows(db, client, isDryRun)));
  return found;
}

async function reconcileSubject<Ref extends { orgId: string }>(
  db: Db,
  client: Client,
  isDryRun: boolean,
  { kind, list, workflowIdOf, idOf, mend }: Subject<Ref>,
): Promise<Mismatch[]> {
  const found: Mismatch[] = [];
  let page: Ref[] = [];
  do {
    page = await list(db, page.at(-1), ROWS_PER_QUERY);
    // Read before Temporal is asked: a command sent in between has an effect there.
    const pending = await listPendingWorkflows(db, page.map(workflowIdOf));
    const states = await findExecutionStates(client, page.map(workflowIdOf));
    for (const ref of page) {
      const temporal = states.get(workflowIdOf(ref)) ?? 'absent';
      if (temporal === 'running' || pending.has(workflowIdOf(ref))) continue;
      const mended = isDryRun ? 'none' : await mend(db, ref, temporal);
      if (mended !== undefined) found.push({ kind, org_id: ref.orgId, id: idOf(ref), temporal, mended });
    }
  } while (page.length === ROWS_PER_QUERY);
  return found;
}
