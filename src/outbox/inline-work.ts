import type { FastifyBaseLogger } from 'fastify';
import type { WorkflowContract } from '../temporal/contract.ts';
import type { ClaimedCommand } from './claim.ts';

/** A signal whose work takes longer goes to its workflow. */
const MAX_WORK_MS = 2_000;

/**
 * Does what the workflow of a signal would do, as far as it needs no wait and no third party. Resolves to whether nothing
 * is left for the workflow, which may be under way. It can run twice, and beside the workflow.
 */
type Work<Input> = (input: Input, signal: AbortSignal) => Promise<boolean>;

/** The work that is done inline, so without its workflow, where that is possible: by the type of the workflow. */
export type InlineWork = ReadonlyMap<string, Work<object>>;

/** Returns the entry of a workflow in InlineWork. */
export const inlineWorkOf = <Input extends object>(
  { type }: WorkflowContract<Input>,
  work: Work<Input>,
): [string, Work<object>] => [type, (input, signal) => work(input as Input, signal)];

/**
 * Does the work of a command without its workflow, if possible. Resolves to whether nothing is left for the workflow: false
 * also if the work fails or takes too long, as the workflow tries again.
 */
export async function runInline(
  work: Work<object>,
  { id, workflow_id, payload }: ClaimedCommand,
  log: Pick<FastifyBaseLogger, 'warn'>,
): Promise<boolean> {
  const signal = AbortSignal.timeout(MAX_WORK_MS);
  const aborted = Promise.withResolvers<false>();
  signal.addEventListener('abort', () => aborted.resolve(false));
  const done = work(payload, signal).catch((error: unknown) => {
    log.warn(
      { err: error, workflow_id, command: id },
      'the work of a workflow failed without it; the workflow does it',
    );
    return false;
  });
  return Promise.race([done, aborted.promise]);
}
