import type { Client } from '@temporalio/client';
import { listRunsInProgress as listEvalRuns, mendEvalRun, workflowIdOfEvalRun } from './ai/evals/reconcile.service.ts';
import { listOpenTurns, mendTurn, workflowIdOfTurn } from './ai/turns/reconcile.service.ts';
import { IS_HELD, listHeldHandoffs } from './automations/handoff-hold/service.ts';
import { wakeHandoffHold } from './automations/runs/finish-run.service.ts';
import { findableWorkflowOf, listRunsInProgress, mendRun } from './automations/runs/reconcile.service.ts';
import {
  listOrgsWatchingInactivity,
  listScheduledWorkflows,
  scheduleOfWorkflow,
  syncWorkflowSchedule,
  watchInactivity,
} from './automations/triggers/schedules.service.ts';
import { listUnfinishedHandoffs, mendHandoff, workflowIdOfHandoff } from './crm/handoffs/workflow-reconcile.service.ts';
import type { Db } from './db/connect.ts';
import { inTransaction } from './db/transaction.ts';
import {
  listMessagesWithFiles,
  listUnprocessedEmails,
  wakeInboundEmail,
  wakeInboundFiles,
} from './deliveries/inbound/workflow-reconcile.service.ts';
import { listOrgsWithUnknownSends, wakeReconciliation } from './deliveries/sending/reconciliation.service.ts';
import {
  listUnsettledRequests,
  mendRequest,
  workflowIdOfRequest,
} from './deliveries/sending/workflow-reconcile.service.ts';
import { continueTeamDeletion, listDeletedTeams } from './desk/teams/reconcile.service.ts';
import { messageOf } from './errors.ts';
import {
  continueDatasourceDeletion,
  listDeletedDatasources,
  listScheduledDatasources,
  scheduleOfDatasource,
  syncCrawlSchedule,
} from './knowledge/crawl/datasources/reconcile.service.ts';
import { listActiveCrawls, mendCrawl, workflowIdOfCrawl } from './knowledge/crawl/jobs/reconcile.service.ts';
import { continueMemberDeletion, listDeletedMembers } from './orgs/members/reconcile.service.ts';
import { type Command, enqueue } from './outbox/outbox.ts';
import { hasPendingCommand, listPendingWorkflows } from './outbox/pending.queries.ts';
import { listForecastsInProgress, mendForecast, workflowIdOfForecast } from './sequences/forecast/jobs.service.ts';
import { listActiveSequences, mendSequence, workflowIdOfSequence } from './sequences/workflow-reconcile.service.ts';
import { listOverdueSlas, wakeSla } from './sla/waking.service.ts';
import { type ExecutionState, findExecutionStates } from './temporal/executions.ts';
import { hasSchedule, listScheduleIds, type ScheduleRef } from './temporal/schedules.ts';

const ROWS_PER_QUERY = 100;

/** A row that waits for a workflow or a Schedule, without one in Temporal. */
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
    | 'eval-run'
    | 'sla'
    | 'inactivity'
    | 'reconciliation'
    | 'datasource-deletion'
    | 'member-deletion'
    | 'team-deletion'
    | 'workflow-schedule'
    | 'crawl-schedule';
  org_id: string;
  id: string;
  /** What Temporal knows of the workflow, or of the Schedule. */
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
  /** Returns the states by workflow ids. Absent: those of the workflows. */
  findStates?: (client: Client, refs: Ref[]) => Promise<Map<string, ExecutionState>>;
  idOf: (ref: Ref) => string;
  mend: (db: Db, ref: Ref, state: Mismatch['temporal']) => Promise<string | undefined>;
}

type Resumed<Ref extends { orgId: string }> = Omit<Subject<Ref>, 'workflowIdOf' | 'mend'> & {
  wake: (ref: Ref) => Command;
};

/** A subject whose workflow finds in the database what is left to do: it is started again, however it has ended. */
const resumed = <Ref extends { orgId: string }>({ wake, ...subject }: Resumed<Ref>): Subject<Ref> => ({
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

/** A subject with a Schedule, which a workflow puts again if it is gone. */
const scheduled = <Ref extends { orgId: string }>({
  scheduleOf,
  ...subject
}: Resumed<Ref> & { scheduleOf: (ref: Ref) => ScheduleRef }): Subject<Ref> =>
  resumed({
    ...subject,
    async findStates(client, refs) {
      const idOf = (ref: Ref) => subject.wake(ref).workflow_id;
      const listed = await listScheduleIds(client, refs.map(scheduleOf));
      const unlisted = refs.filter((ref) => !listed.has(scheduleOf(ref).scheduleId));
      const syncs = await findExecutionStates(client, unlisted.map(idOf));
      const states = new Map(refs.map((ref): [string, ExecutionState] => [idOf(ref), 'running']));
      await Promise.all(
        unlisted.map(async (ref) => {
          if (syncs.get(idOf(ref)) !== 'running' && !(await hasSchedule(client, scheduleOf(ref).scheduleId)))
            states.set(idOf(ref), 'absent');
        }),
      );
      return states;
    },
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
    list: (db, after, limit) => listUnfinishedHandoffs(db, after, limit, IS_HELD),
    workflowIdOf: workflowIdOfHandoff,
    idOf: ({ sessionId }) => sessionId,
    mend: (db, run, state) => mendHandoff(db, run, state, IS_HELD),
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
  reconciling(resumed({ kind: 'sla', list: listOverdueSlas, wake: wakeSla, idOf: ({ sessionId }) => sessionId })),
  reconciling(
    resumed({
      kind: 'inactivity',
      list: listOrgsWatchingInactivity,
      wake: watchInactivity,
      idOf: ({ orgId }) => orgId,
    }),
  ),
  reconciling(
    resumed({
      kind: 'reconciliation',
      list: listOrgsWithUnknownSends,
      wake: wakeReconciliation,
      idOf: ({ orgId }) => orgId,
    }),
  ),
  reconciling(
    resumed({
      kind: 'datasource-deletion',
      list: listDeletedDatasources,
      wake: continueDatasourceDeletion,
      idOf: ({ datasourceId }) => datasourceId,
    }),
  ),
  reconciling(
    resumed({
      kind: 'member-deletion',
      list: listDeletedMembers,
      wake: continueMemberDeletion,
      idOf: ({ userId }) => String(userId),
    }),
  ),
  reconciling(
    resumed({
      kind: 'team-deletion',
      list: listDeletedTeams,
      wake: continueTeamDeletion,
      idOf: ({ teamId }) => teamId,
    }),
  ),
  reconciling(
    scheduled({
      kind: 'workflow-schedule',
      list: listScheduledWorkflows,
      wake: syncWorkflowSchedule,
      scheduleOf: scheduleOfWorkflow,
      idOf: ({ automationId }) => automationId,
    }),
  ),
  reconciling(
    scheduled({
      kind: 'crawl-schedule',
      list: listScheduledDatasources,
      wake: syncCrawlSchedule,
      scheduleOf: scheduleOfDatasource,
      idOf: ({ datasourceId }) => datasourceId,
    }),
  ),
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

const statesOfWorkflows =
  <Ref>(workflowIdOf: (ref: Ref) => string) =>
  (client: Client, refs: Ref[]) =>
    findExecutionStates(client, [...new Set(refs.map(workflowIdOf))]);

async function reconcileSubject<Ref extends { orgId: string }>(
  db: Db,
  client: Client,
  isDryRun: boolean,
  { kind, list, workflowIdOf, findStates = statesOfWorkflows(workflowIdOf), idOf, mend }: Subject<Ref>,
): Promise<Mismatch[]> {
  const found: Mismatch[] = [];
  let page: Ref[] = [];
  do {
    const after = page.at(-1);
    page = await list(db, after, ROWS_PER_QUERY);
    // Read before Temporal is asked: a command sent in between has an effect there.
    const pending = await listPendingWorkflows(db, page.map(workflowIdOf));
    const states = await findStates(client, page);
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
