import { sql } from 'kysely';
import type { Trx } from '../db/connect.ts';
import { CURRENT_REQUEST } from '../db/connections/preparing-client.ts';
import type { WorkflowContract } from '../temporal/contract.ts';
import type { DispatchedCommand } from '../temporal/dispatch.ts';
import { wakeForCommands } from './wake.ts';

/** A workflow to start or signal once the transaction has committed. */
export interface Command extends Omit<DispatchedCommand, 'org_id'> {
  /** Nobody waits for it: the org's other commands go first, and few such are sent at once. */
  is_deferrable?: true;
  /** The trace of its cause, if that is not the one of the transaction. */
  trace?: string | null;
}

export interface Subject {
  /** The subject of the workflow: the search attribute SubjectId. */
  subjectId: string;
  /** One line for the operator in the Temporal UI. Half a character at the end of a name cut short becomes U+FFFD. */
  summary?: string;
}

/** Returns a command to start a workflow. Its id stands for a single occurrence, so it runs at most once. */
export function start<Input extends object>(
  contract: WorkflowContract<Input>,
  input: Input,
  subject: Subject,
): Command {
  return { ...commandOf(contract, input, subject), kind: 'start', signal: null };
}

/**
 * Returns a command to signal the workflow of an entity, starting it if it is not running. The signal carries no data.
 */
export function signalWithStart<Input extends object>(
  contract: WorkflowContract<Input>,
  input: Input,
  signal: string,
  subject: Subject,
): Command {
  return { ...commandOf(contract, input, subject), kind: 'signal', signal };
}

/**
 * Writes commands for the relay to hand to Temporal after the commit. They are stored together with the change that
 * caused them, or not at all. Deferrable ones are left to the next pass.
 */
export async function enqueue(trx: Trx, orgId: string, ...commands: Command[]): Promise<void> {
  if (commands.length === 0) return;
  await insertOfCommands(orgId, commands).execute(trx);
  if (commands.some((command) => command.is_deferrable !== true)) wakeForCommands(trx);
}

/** SQL: inserts commands. A condition on each `command` can follow. */
export const insertOfCommands = (orgId: string, commands: Command[]) => sql`
  insert into outbox (org_id, kind, type, subject_id, workflow_id, task_queue, signal, summary, payload, is_deferrable, trace, request_id)
  select ${orgId}::uuid, kind, type, subject_id, workflow_id, task_queue, signal, summary, payload, coalesce(is_deferrable, false),
    coalesce(trace, nullif(current_setting('switchboard.trace', true), '')), ${CURRENT_REQUEST}::text
  from jsonb_to_recordset(${JSON.stringify(commands)}::jsonb) as command (kind text, type text, subject_id uuid, workflow_id text,
    task_queue text, signal text, summary text, payload jsonb, is_deferrable boolean, trace text)`;

function commandOf<Input extends object>(
  contract: WorkflowContract<Input>,
  input: Input,
  { subjectId, summary }: Subject,
) {
  return {
    type: contract.type,
    subject_id: subjectId,
    workflow_id: contract.workflowId(input),
    task_queue: contract.taskQueue,
    summary: summary?.toWellFormed() ?? null,
    payload: input,
  };
}
