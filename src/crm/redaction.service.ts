import { redactionsOf } from '../conversations/redaction/service.ts';
import { applySessionUpdate } from '../conversations/sessions/actions.service.ts';
import { UpdateSession } from '../conversations/sessions/schema.ts';
import { lockSession } from '../conversations/sessions/service.ts';
import type { Trx } from '../db/connect.ts';
import { cutErrorsToStatus } from '../orgs/integrations/connection-status.service.ts';
import { announce } from '../outbox/announcing.ts';
import type { Reaction } from '../outbox/reactions.ts';
import { findLinkOfSession } from './handoffs/links.shared.queries.ts';
import { updateAndReportParts } from './handoffs/service.ts';
import { compressBody, decompressBody, elementsOf, withoutTicketTexts } from './inbound/batch-parsing.service.ts';
import { listBatchBodies, type StoredBatch } from './inbound/event-log.queries.ts';
import {
  findTextTimes,
  listRedactedTickets,
  redactEventTexts,
  redactMessageErrors,
  redactPartErrors,
  TEXT_PROPERTIES,
  updateBatchBodies,
} from './redaction.queries.ts';

const BATCHES_PER_STEP = 200;
/** The largest difference between the clocks used for batches and for events. */
const MAX_CLOCK_SKEW_MS = 60 * 60_000;
/** Deliveries without an acknowledgement are repeated for a day. */
const REDELIVERY_WINDOW_MS = 24 * 60 * 60_000 + MAX_CLOCK_SKEW_MS;

/**
 * A reaction to `session-redacted`: removes quotations of the redacted texts. These are the CRM's errors about messages
 * and handoff parts, the last errors of connections, and the CRM's events about texts of the ticket, written by us.
 * Other values of a ticket are data of the session and stay with it.
 */
export const redactCrmCopies: Reaction<'session-redacted'> = async (trx, orgId, events) => {
  await cutErrorsToStatus(trx, orgId);
  for (const { subject_id: sessionId, payload } of events) {
    await redactMessageErrors(trx, orgId, sessionId, payload.message_id);
    await updateAndReportParts(trx, orgId, sessionId, (changing) => redactPartErrors(changing, orgId, sessionId));
    const link = await findLinkOfSession(trx, orgId, sessionId);
    if (link === undefined || link.ticket_id === null) continue;
    const told = TEXT_PROPERTIES.filter((name) => Object.hasOwn(link.property_times, name));
    const custom_data = Object.fromEntries(told.map((name) => [name, null]));
    if (told.length > 0) await applySessionUpdate(trx, orgId, sessionId, UpdateSession.parse({ custom_data }));
    await redactTicketTexts(trx, orgId, { sessionId, ticketId: link.ticket_id });
  }
};

async function redactTicketTexts(
  trx: Trx,
  orgId: string,
  { sessionId, ticketId }: { sessionId: string; ticketId: string },
): Promise<void> {
  await redactEventTexts(trx, orgId, ticketId);
  await announce(trx, orgId, [{ type: 'ticket-texts-redacted', subject_id: sessionId, payload: { after: null } }]);
}

/**
 * Removes the texts of a ticket from its events once more if one is reported after a redaction of the session: it may be the
 * redacted one. Returns whether it is.
 */
export async function redactLateText(
  trx: Trx,
  orgId: string,
  { sessionId, ticketId, name }: { sessionId: string; ticketId: string; name: string },
): Promise<boolean> {
  if (!TEXT_PROPERTIES.includes(name)) return false;
  await lockSession(trx, orgId, sessionId);
  if (!(await listRedactedTickets(trx, orgId, [ticketId], redactionsOf)).has(ticketId)) return false;
  await redactTicketTexts(trx, orgId, { sessionId, ticketId });
  return true;
}

/**
 * A reaction to `ticket-texts-redacted`: removes the texts of a ticket from the batches in their time range, some
 * batches at a time.
 */
export const redactBatchBodies: Reaction<'ticket-texts-redacted'> = async (trx, orgId, events) => {
  for (const { subject_id: sessionId, payload } of events) {
    const ticketId = (await findLinkOfSession(trx, orgId, sessionId))?.ticket_id ?? undefined;
    const times = ticketId === undefined ? undefined : await findTextTimes(trx, orgId, ticketId);
    if (ticketId === undefined || times === undefined) continue;
    const { after } = payload;
    const last = await redactNextBatches(trx, orgId, ticketId, {
      from: new Date(times.first.getTime() - MAX_CLOCK_SKEW_MS),
      to: new Date(times.last.getTime() + REDELIVERY_WINDOW_MS),
      after: after === null ? undefined : { at: new Date(after.at), id: after.id },
    });
    if (last === undefined) continue;
    const next = { at: last.received_at.toISOString(), id: last.id };
    await announce(trx, orgId, [{ type: 'ticket-texts-redacted', subject_id: sessionId, payload: { after: next } }]);
  }
};

/** Returns the last batch of this step, or undefined if none are left. */
async function redactNextBatches(
  trx: Trx,
  orgId: string,
  ticketId: string,
  page: { from: Date; to: Date; after: { at: Date; id: string } | undefined },
): Promise<Omit<StoredBatch, 'body'> | undefined> {
  const kept = await listBatchBodies(trx, orgId, {
    ...page,
    limit: BATCHES_PER_STEP,
    mostEvents: Number.MAX_SAFE_INTEGER,
  });
  const changed = kept.flatMap(({ id, body }) => {
    const elements = body === null ? [] : elementsOf(decompressBody(body));
    const without = withoutTicketTexts(elements, new Set([ticketId]));
    return without === undefined ? [] : [{ id, body: compressBody(without) }];
  });
  await updateBatchBodies(trx, orgId, changed);
  return kept.length < BATCHES_PER_STEP ? undefined : kept.at(-1);
}
