import { showTurn } from '../../conversations/ai/service.ts';
import type { Trx } from '../../db/connect.ts';
import { expireUnsentCalls } from '../calls/service.ts';
import type { OpenTurn, TurnContext } from './context.service.ts';
import type { SessionRef, TurnRef } from './contract.ts';
import { finishTurn } from './ending.queries.ts';
import { newsOf } from './news.rules.ts';
import { notifyTurn } from './queries.ts';
import { isWithAi } from './review/rules.ts';
import type { TurnState } from './states.rules.ts';

/**
 * Ends unsent calls if the AI may no longer act: they would be sent once it may again, however much later. A person's
 * reply ends none if the session still belongs to the AI.
 */
export async function dropUnsentCalls(
  trx: Trx,
  { orgId, sessionId }: SessionRef,
  { session, refusal }: Pick<TurnContext, 'session' | 'refusal'>,
): Promise<void> {
  if (refusal === undefined || (refusal === 'people_have_it' && isWithAi(session))) return;
  await expireUnsentCalls(trx, orgId, sessionId, refusal);
}

/** Ends a turn, and notifies its waiters. */
export async function endTurn(
  trx: Trx,
  { orgId, sessionId }: SessionRef,
  turn: Pick<OpenTurn, 'id'>,
  end: Parameters<typeof finishTurn>[3] & { state: TurnState },
): Promise<void> {
  await finishTurn(trx, orgId, turn.id, end);
  await showState(trx, { orgId, sessionId, turnId: turn.id }, end.state);
  notifyTurn(trx, sessionId);
}

/** Shows the state of a turn live. The session is locked. */
export const showState = (trx: Trx, { orgId, sessionId, turnId }: TurnRef, state: TurnState): Promise<void> =>
  showTurn(trx, orgId, sessionId, newsOf(turnId, state));
