import type { Client } from '@temporalio/client';
import type { Db } from '../db/connect.ts';
import { inTransaction } from '../db/transaction.ts';
import { type Command, enqueue } from '../outbox/outbox.ts';
import { hasPendingCommand } from '../outbox/pending.queries.ts';
import { type ExecutionState, findExecutionStates } from '../temporal/executions.ts';
import { hasSchedule, listScheduleIds, type ScheduleRef } from '../temporal/schedules.ts';

export type MismatchKind =
  | 'workflow-run'
  | 'sequence'
  | 'crawl'
  | 'forecast'
  | 'message-request'
  | 'inbound-email'
  | 'inbound-files'
  | 'handoff'
  | 'handoff-hold'
  | 'ticket-close'
  | 'ticket-reopen'
  | 'crm-thread'
  | 'crm-account'
  | 'assignment'
  | 'embedding'
  | 'insight-extraction'
  | 'crm-ticket'
  | 'miaw-sync'
  | 'ai-turn'
  | 'eval-run'
  | 'sla'
  | 'snooze'
  | 'csat-survey'
  | 'run-job'
  | 'session-job'
  | 'delivery-job'
  | 'contact-import'
  | 'import'
  | 'export'
  | 'inactivity'
  | 'reconciliation'
  | 'datasource-deletion'
  | 'member-deletion'
  | 'team-deletion'
  | 'workflow-schedule'
  | 'crawl-schedule';

/** A row that waits for a workflow or a Schedule, without one in Temporal. */
export interface Mismatch {
  kind: MismatchKind;
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
export interface Subject<Ref extends { orgId: string }> {
  kind: MismatchKind;
  /** The types of the workflows that are started again from such a row. */
  starts: string[];
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
export const resumed = <Ref extends { orgId: string }>({ wake, ...subject }: Resumed<Ref>): Subject<Ref> => ({
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
export const scheduled = <Ref extends { orgId: string }>({
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
