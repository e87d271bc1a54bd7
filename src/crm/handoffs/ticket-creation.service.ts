import type { Db } from '../../db/connect.ts';
import { conflict } from '../../errors.ts';
import type { SessionRef } from '../contract.ts';
import { findLinkOfSession } from '../links.queries.ts';
import { insertParts, listParts } from './queries.ts';
import { createPart, type HandoffDeps, updateAndReportParts } from './service.ts';

/** The handoff that goes on with a ticket made before. */
const FIRST_HANDOFF = 1;

/**
 * Creates the ticket of a session in the org's CRM, with values for the CRM's ticket properties, and returns its id. An
 * existing ticket stays unchanged. A later handoff continues with the ticket. Throws conflict if it cannot be created,
 * and the CRM's error if another attempt may succeed.
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
  const pending = (['contact', 'ticket'] as const).map((part) => ({ part, state: 'pending' as const, error: null }));
  await updateAndReportParts(db, orgId, sessionId, (trx) =>
    insertParts(trx, orgId, { sessionId, n: FIRST_HANDOFF }, pending),
  );
  const known = (await findLinkOfSession(db, orgId, sessionId))?.ticket_id;
  if (known !== undefined && known !== null) return known;
  for (const { part } of pending) await createPart(db, deps, { orgId, sessionId, part }, properties);
  const made = (await findLinkOfSession(db, orgId, sessionId))?.ticket_id;
  if (made !== undefined && made !== null) return made;
  const ticket = (await listParts(db, orgId, sessionId)).find(({ part }) => part === 'ticket');
  throw conflict(`The CRM did not make the ticket: ${ticket?.error ?? 'it is settled by hand'}`);
}
