import type { Db } from '../../db/connect.ts';
import { conflict } from '../../errors.ts';
import type { HandoffPart } from '../../providers/crm/port.ts';
import type { SessionRef } from '../contract.ts';
import { findLinkOfSession } from './links.shared.queries.ts';
import { insertParts, listParts, reopenRefusedParts } from './queries.ts';
import { createPart, type HandoffDeps, updateAndReportParts } from './service.ts';

/** Every handoff goes on with a ticket made before it, and tries again what was refused. */
const NO_HANDOFF = 0;
const PARTS: HandoffPart[] = ['contact', 'ticket'];

/**
 * Creates the ticket of a session in the org's CRM, with values for the CRM's ticket properties, and returns its id. An
 * existing ticket stays unchanged, and one that was refused before is tried again. A later handoff continues with the
 * ticket. Throws conflict if it cannot be created, and the CRM's error if another attempt may succeed.
 */
export async function createTicket(
  db: Db,
  deps: HandoffDeps,
  { orgId, sessionId }: SessionRef,
  properties: Record<string, string>,
): Promise<string> {
  const hubspot = await deps.crms.hubspot(orgId);
  if (hubspot === undefined) throw conflict('No CRM is connected that has tickets: see PUT /integrations/crm');
  if (hubspot.settings.ticketing_enabled === false)
    throw conflict('Ticketing is disabled: see ticketing_enabled in PUT /integrations/crm');
  const link = (await findLinkOfSession(db, orgId, sessionId))?.ticket_id;
  if (link !== undefined && link !== null) return link;
  await updateAndReportParts(db, orgId, sessionId, async (trx) => {
    await insertParts(trx, orgId, { sessionId, n: NO_HANDOFF }, PARTS);
    await reopenRefusedParts(trx, orgId, sessionId, PARTS);
  });
  for (const part of PARTS) await createPart(db, deps, { orgId, sessionId, part }, properties);
  const made = (await findLinkOfSession(db, orgId, sessionId))?.ticket_id;
  if (made !== undefined && made !== null) return made;
  const ticket = (await listParts(db, orgId, sessionId)).find(({ part }) => part === 'ticket');
  throw conflict(`The CRM did not create the ticket: ${ticket?.error ?? 'it is settled by hand'}`);
}
