import { inTransaction } from '../../../db/transaction.ts';
import { commitTurn } from '../commit.service.ts';
import { loadContext } from '../context.service.ts';
import type { TurnEnd, TurnRef } from '../contract.ts';
import { reportEffects } from '../decision/reporting.service.ts';
import type { DecisionLimits } from '../decision/stage.ts';
import type { TurnDeps } from '../deps.ts';
import { endTurn } from '../ending.service.ts';
import { findTurn } from '../queries.ts';
import { sentencesFor } from '../sentences.service.ts';

/**
 * Ends a turn after the removal of a text it has read. A turn with a call reports its outcome, in our own words:
 * another turn might call it again. Any other is superseded, and the next one answers the remaining messages. Returns
 * how the turn ended. Throws StepNeeded if a call has to be settled and none may be made.
 */
export async function endRedacted(deps: TurnDeps, ref: TurnRef, limits: DecisionLimits): Promise<TurnEnd> {
  const turn = await findTurn(deps.db, ref.orgId, ref.turnId);
  const terms = { ...limits, say: await sentencesFor(deps.db, ref) };
  const report = turn?.has_effects === true ? await reportEffects(deps, ref, terms) : undefined;
  if (report !== undefined) return commitTurn(deps, ref, report);
  return inTransaction(deps.db, async (trx): Promise<TurnEnd> => {
    const { open } = await loadContext(trx, ref);
    if (open?.id === ref.turnId) await endTurn(trx, ref, open, { state: 'superseded', reason: null });
    return 'superseded';
  });
}
