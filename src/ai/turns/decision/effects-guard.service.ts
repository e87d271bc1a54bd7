import type { Trx } from '../../../db/connect.ts';
import { loadContext } from '../context.service.ts';
import type { TurnRef } from '../contract.ts';
import { isSuperseded } from '../states.rules.ts';

/** Thrown if a turn may no longer change anything, and the session is to be reviewed. */
export class TurnOutdated extends Error {
  constructor() {
    super('The turn has ended, people have the session, or a newer message is to be answered');
    this.name = 'TurnOutdated';
  }
}

/**
 * Locks the session of a turn before an effect, as takeovers and messages do. Until the end of the transaction none of
 * them comes between. Throws TurnOutdated if one has come already, or the turn has ended.
 */
export async function lockForEffect(trx: Trx, ref: TurnRef): Promise<void> {
  const { open, refusal, unanswered } = await loadContext(trx, ref);
  const mayGoOn = open?.id === ref.turnId && refusal === undefined;
  if (!mayGoOn || isSuperseded(open, unanswered.at(-1)?.seq ?? 0)) throw new TurnOutdated();
}
