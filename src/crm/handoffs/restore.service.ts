import { isWithoutParts, lockHandoff, updateHandoff } from '../../conversations/handoff/status.service.ts';
import { getSession } from '../../conversations/sessions/service.ts';
import type { Db } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { findHandoffTarget } from '../../orgs/settings/handoff-target.service.ts';
import type { HandoffPart } from '../../providers/crm/port.ts';
import type { SessionRun } from '../contract.ts';
import { insertParts, reopenForHandoff } from './queries.ts';
import { failPartsInDoubt } from './restore.queries.ts';
import type { TicketingTarget } from './rules.ts';
import { listPartsIn, progressOf } from './service.ts';
import { scheduleReopeningsOf } from './ticket-reopening.service.ts';

export { listHandoffsInDoubt } from './restore.queries.ts';

const IN_DOUBT =
  'The database was restored from a backup: it may have been created since. Look, then settle it, or retry it';

/** What a handoff creates in each system. */
const PARTS: Record<TicketingTarget, HandoffPart[]> = { crm: ['contact', 'ticket', 'comment'], miaw: ['conversation'] };

/**
 * Fails the parts of a handoff that a database that was lost may have created, also those that this one had not planned: a
 * person decides whether to retry them. A command or event that is still to start it does not matter, as its workflow
 * finds nothing to create. Returns what was done, or undefined if nothing is left of it, or its org hands over to no
 * system.
 */
export function failHandoffInDoubt(db: Db, run: SessionRun): Promise<'failed' | undefined> {
  return inTransaction(db, async (trx) => {
    const { orgId, sessionId, n } = run;
    const { handoff } = await getSession(trx, orgId, sessionId);
    if (handoff === null || isWithoutParts(handoff)) return undefined;
    const target = handoff.target ?? (await findHandoffTarget(trx, orgId)).target;
    if (target === undefined) return undefined;
    if ((handoff.parts ?? []).length === 0) {
      const isAnother = await reopenForHandoff(trx, orgId, run, PARTS[target]);
      await insertParts(trx, orgId, run, PARTS[target]);
      if (target === 'crm' && isAnother && n > 1) await scheduleReopeningsOf(trx, orgId, [sessionId]);
    }
    const failed = await failPartsInDoubt(trx, run, { error: IN_DOUBT, since: handoff.at });
    const locked = await lockHandoff(trx, orgId, sessionId, n);
    if (failed === 0 || locked === undefined) return undefined;
    const { waits_for: _, ...begun } = locked;
    const progress = progressOf(await listPartsIn(trx, orgId, sessionId, target));
    await updateHandoff(trx, orgId, sessionId, { ...begun, target, ...progress });
    return 'failed';
  });
}
