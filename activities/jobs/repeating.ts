import { Context } from '@temporalio/activity';
import { repeatForSeconds } from '../../src/db/deletion.ts';

/**
 * Repeats a step of a long job for some seconds, with a heartbeat before each, until it returns true, the activity is canceled
 * or the worker shuts down.
 */
export async function repeatWithHeartbeats(stopping: AbortSignal, step: () => Promise<boolean>): Promise<void> {
  const isStopped = () => stopping.aborted || Context.current().cancellationSignal.aborted;
  await repeatForSeconds(isStopped, () => {
    Context.current().heartbeat();
    return step();
  });
}
