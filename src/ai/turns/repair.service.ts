import { handOff } from '../../conversations/sessions/actions.service.ts';
import type { Db, Trx } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { hasPendingCommand } from '../../outbox/pending.queries.ts';
import type { ExecutionState } from '../../temporal/executions.ts';
import { loadContext } from './context.service.ts';
import { ANSWER_SESSION, type TurnRef } from './contract.ts';
import { endTurn } from './ending.service.ts';
import { wakeTurns } from './requests.service.ts';
import type { TurnState } from './states.rules.ts';

export { listOpenTurns } from './queries.ts';

export const workflowIdOfTurn = (ref: TurnRef): string => ANSWER_SESSION.workflowId(ref);

/**
 * Mends a turn without a workflow: people get the session if the workflow was stopped, as its contact must not wait for
 * ever. Otherwise the turn continues, or ends at once if people have the session already. Returns the repair, or
 * undefined if the turn has ended meanwhile.
 */
export function mendTurn(
  db: Db,
  ref: TurnRef,
  state: Exclude<ExecutionState, 'running'>,
): Promise<TurnState | 'resumed' | undefined> {
  return inTransaction(db, async (trx) => {
    const { orgId, sessionId, turnId } = ref;
    const { open, session, refusal } = await loadContext(trx, ref);
    if (open?.id !== turnId || (await hasPendingCommand(trx, workflowIdOfTurn(ref)))) return undefined;
    if (state !== 'stopped' || refusal !== undefined) {
      await wakeTurns(trx, orgId, [sessionId]);
      return 'resumed';
    }
    return giveToPeople(trx, ref, { open, session });
  });
}

/**
 * Ends a turn possibly answered by a lost database: people get the session. Returns the new state, or undefined if the
 * turn has ended meanwhile.
 */
export function endTurnInDoubt(db: Db, ref: TurnRef): Promise<TurnState | undefined> {
  return inTransaction(db, async (trx) => {
    const { open, session } = await loadContext(trx, ref);
    return open?.id === ref.turnId ? giveToPeople(trx, ref, { open, session }) : undefined;
  });
}

type LoadedTurn = Awaited<ReturnType<typeof loadContext>>;

/** Ends a turn without an answer, and hands its session off unless people have it. */
async function giveToPeople(
  trx: Trx,
  ref: TurnRef,
  { open, session }: { open: NonNullable<LoadedTurn['open']>; session: LoadedTurn['session'] },
): Promise<TurnState> {
  const end: { state: TurnState; reason: string } = session.assist_mode
    ? { state: 'skipped', reason: 'people_have_it' }
    : { state: 'handed_off', reason: 'ai_failed' };
  if (!session.assist_mode) await handOff(trx, ref.orgId, ref.sessionId, { reason: end.reason });
  await endTurn(trx, ref, open, end);
  return end.state;
}
