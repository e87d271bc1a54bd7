import type { Db } from '../../db/connect.ts';
import type { SequenceRef } from '../contract.ts';
import { transitionSequence } from '../definitions/shared.queries.ts';
import { transitionsOf } from '../steps/rules.ts';
import { listAllSteps } from '../steps/shared.queries.ts';
import { findNextDue } from './due.queries.ts';

export { listActiveSequences } from '../definitions/shared.queries.ts';

/** Returns whether a step was due before a time: a database that was lost may have the send that this one has not. */
export async function isSequenceInDoubt(db: Db, { orgId, sequenceId }: SequenceRef, lostUntil: Date): Promise<boolean> {
  const moves = transitionsOf(await listAllSteps(db, orgId, sequenceId));
  const { ms } = await findNextDue(db, orgId, sequenceId, moves);
  return ms !== null && Date.now() + ms <= lostUntil.getTime();
}

/** Pauses a sequence with steps that may have been sent. A person decides whether to resume it. Returns what was done. */
export async function pauseInDoubt(
  db: Db,
  { orgId, sequenceId }: SequenceRef,
  lostUntil: Date,
): Promise<'paused' | undefined> {
  const paused_reason = `The database was restored from a backup: steps that were due before ${lostUntil.toISOString()} may have been sent, and would be sent again. Remove the contacts who have them, then resume it`;
  const isPaused = await transitionSequence(
    db,
    orgId,
    { id: sequenceId, from: ['active'] },
    { status: 'paused', paused_at: new Date(), paused_reason },
  );
  return isPaused ? 'paused' : undefined;
}
