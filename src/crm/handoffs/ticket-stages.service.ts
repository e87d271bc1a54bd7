import type { Db } from '../../db/connect.ts';
import { CrmError } from '../../providers/crm/errors.ts';
import type { SessionRef } from '../contract.ts';
import type { TicketStage } from './table.ts';
import { deleteDueStage, findDueSince } from './ticket-stages.queries.ts';

/**
 * Moves the ticket of a session to a stage by `move`, which returns undefined if a later change of the session decides.
 * The stage is due until then, also if Temporal loses the workflow. A refusal by the CRM ends it: it would be refused again.
 */
export async function whileDue<Outcome>(
  db: Db,
  session: SessionRef,
  stage: TicketStage,
  move: () => Promise<{ outcome: Outcome; isLeftToLater?: boolean }>,
): Promise<Outcome> {
  const since = await findDueSince(db, session, stage);
  const settle = async () => (since === undefined ? undefined : deleteDueStage(db, session, { stage, since }));
  try {
    const { outcome, isLeftToLater = false } = await move();
    if (!isLeftToLater) await settle();
    return outcome;
  } catch (error) {
    if (error instanceof CrmError && !error.transient) await settle();
    throw error;
  }
}
