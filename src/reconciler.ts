import type { Client } from '@temporalio/client';
import { listRunsInProgress as listEvalRuns, mendEvalRun, workflowIdOfEvalRun } from './ai/evals/reconcile.service.ts';
import { listOpenTurns, mendTurn, workflowIdOfTurn } from './ai/turns/reconcile.service.ts';
import { listHeldHandoffs } from './automations/handoff-hold/service.ts';
import { wakeHandoffHold } from './automations/runs/finish-run.service.ts';
import { findableWorkflowOf, listRunsInProgress, mendRun } from './automations/runs/reconcile.service.ts';
import { listUnfinishedHandoffs, mendHandoff, workflowIdOfHandoff } from './crm/handoffs/workflow-reconcile.service.ts';
import type { Db } from './db/connect.ts';
import { inTransaction } from './db/transaction.ts';
import {
  listMessagesWithFiles,
  listUnprocessedEmails,
  wakeInboundEmail,
  wakeInboundFiles,
} from './deliveries/inbound/workflow-reconcile.service.ts';
import {
  listUnsettledRequests,
  mendRequest,
  workflowIdOfRequest,
} from './deliveries/sending/workflow-reconcile.service.ts';
import { messageOf } from './errors.ts';
import { listActiveCrawls, mendCrawl, workflowIdOfCrawl } from './knowledge/crawl/jobs/reconcile.service.ts';
import { type Command, enqueue } from './outbox/outbox.ts';
import { hasPendingCommand, listPendingWorkflows } from './outbox/pending.queries.ts';
import { listForecastsInProgress, mendForecast, workflowIdOfForecast } from './sequences/forecast/jobs.service.ts';
import { listActiveSequences, mendSequence, workflowIdOfSequence } from './sequences/workflow-reconcile.service.ts';
import { type ExecutionState, findExecutionStates } from './temporal/executions.ts';

const ROWS_PER_QUERY = 100;

/** A row that waits for a workflow, without one in Temporal. */
export interface Mismatch {
  kind:
    | 'workflow-run'
    | 'sequence'
    | 'crawl'
    | 'forecast'
    | 'message-request'
    | 'inbound-email'
    | 'inbound-files'
    | 'handoff'
    | 'handoff-hold'
    | 'ai-turn'
    | 'eval-run';
  org_id: string;
  id: string;
  /** What Temporal knows of the workflow. */
  temporal: Exclude<ExecutionState, 'running'>;
  /** What was done: `none` in a dry run, `failed` if it could not be done. */
  mended: string;
  /** Why it could not be done. The row is compared again the next time. */
  error?: string;
}

/** One kind of rows with workflows. */
interface Subject<Ref extends { orgId: string }> {
  kind: Mismatch['kind'];
  list: (db: Db, after: Ref | undefined, limit: number) => Promise<Ref[]>;
  workflowIdOf: (ref: Ref) => string;
  idOf: (ref: Ref) => string;
  mend: (db: Db, ref: Ref, state: Mismatch['temporal']) => Promise<string | undefined>;
}

/** A subject whose workflow finds in the database what is left to do: it is started again, however it has ended. */
const resumed = <Ref extends { orgId: string }>({
  wake,
  ...subject
}: Omit<Subject<Ref>, 'workflowIdOf' | 'mend'> & { wake: (ref: Ref) => Command }): Subject<Ref> => ({
  ...subject,
  workflowIdOf: (ref) => wake(ref).workflow_id,
  mend: (db, ref) =>
    inTransaction(db, async (trx) => {
      const command = wake(ref);
      if (await hasPendingCommand(trx, command.workflow_id)) return undefined;
      await enqueue(trx, ref.orgId, command);
      return 'resumed';
    }),
});

type Reconciliation = (db: Db, client: Client, isDryRun: boolean) => Promise<Mismatch[]>;

const reconciling =
  <Ref extends { orgId: string }>(subject: Subject<Ref>): Reconciliation =>
  (db, client, isDryRun) =>
    reconcileSubject(db, client, isDryRun, subject);

const RECONCILIATIONS = [
  reconciling({
    kind: 'workflow-run',
    list: listRunsInProgress,
    workflowIdOf: findableWorkflowOf,
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
    kind: 'message-request',
    list: listUnsettledRequests,
    workflowIdOf: workflowIdOfRequest,
    idOf: ({ id }) => id,
    mend: mendRequest,
  }),
  reconciling({
    kind: 'handoff',
    list: listUnfinishedHandoffs,
    workflowIdOf: workflowIdOfHandoff,
    idOf: ({ sessionId }) => sessionId,
    mend: mendHandoff,
  }),
  reconciling(
    resumed({
      kind: 'inbound-email',
      list: listUnprocessedEmails,
      wake: wakeInboundEmail,
      idOf: ({ inboundEmailId }) => inboundEmailId,
    }),
  ),
  reconciling(
    resumed({
      kind: 'inbound-files',
      list: listMessagesWithFiles,
      wake: wakeInboundFiles,
      idOf: ({ inboundMessageId }) => inboundMessageId,
    }),
  ),
  reconciling(
    resumed({
      kind: 'handoff-hold',
      list: listHeldHandoffs,
      wake: wakeHandoffHold,
      idOf: ({ sessionId }) => sessionId,
    }),
  ),
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
 * Compares what waits for a workflow of its own with Temporal, some at a time, and mends what has none. A dry run changes
 * nothing. Returns the mismatches, with those that could not be mended: one of them keeps no other from it.
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
    const after = page.at(-1);
    page = await list(db, after, ROWS_PER_QUERY);
    // Read before Temporal is asked: a command sent in between has an effect there.
    const pending = await listPendingWorkflows(db, page.map(workflowIdOf));
    const states = await findExecutionStates(client, [...new Set(page.map(workflowIdOf))]);
    const stateOf = (ref: Ref) => states.get(workflowIdOf(ref)) ?? 'absent';
    const suspects = page.filter((ref) => stateOf(ref) !== 'running' && !pending.has(workflowIdOf(ref)));
    if (suspects.length === 0) continue;
    // A workflow that ends has changed its rows before.
    const waiting = new Set((await list(db, after, ROWS_PER_QUERY)).map(workflowIdOf));
    for (const ref of suspects) {
      const temporal = stateOf(ref);
      if (temporal === 'running' || !waiting.has(workflowIdOf(ref))) continue;
      const outcome = isDryRun ? { mended: 'none' } : await outcomeOf(mend(db, ref, temporal));
      if (outcome !== undefined) found.push({ kind, org_id: ref.orgId, id: idOf(ref), temporal, ...outcome });
    }
  } while (page.length === ROWS_PER_QUERY);
  return found;
}

const outcomeOf = (mending: Promise<string | undefined>): Promise<Pick<Mismatch, 'mended' | 'error'> | undefined> =>
  mending.then(
    (mended) => (mended === undefined ? undefined : { mended }),
    (error: unknown) => ({ mended: 'failed', error: messageOf(error) }),
  );
