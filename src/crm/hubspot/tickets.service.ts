import { addExternalNote, isReopenedAfter } from '../../conversations/messages/external-messages.service.ts';
import { applySessionUpdate } from '../../conversations/sessions/actions.service.ts';
import { UpdateSession } from '../../conversations/sessions/schema.ts';
import type { Db, Trx } from '../../db/connect.ts';
import { DomainError } from '../../errors.ts';
import { idOf } from '../../ids.ts';
import type { MediaLinks } from '../../media/links.ts';
import type { CrmClients } from '../connection/clients.ts';
import type { TicketRef } from '../contract.ts';
import { findLinkOfTicket, listSessionsOfTickets, updatePropertyTime } from '../handoffs/links.shared.queries.ts';
import { type EventDecision, processQueue, type QueueProgress } from '../inbound/event-queue.service.ts';
import { deferToNext, type QueuedEvent, type Settlement } from '../inbound/event-queue.shared.queries.ts';
import { isOfHandoff } from '../outgoing/own-texts.rules.ts';
import { addNextTicketNote } from '../outgoing/service.ts';
import { isOwnMessage, listUnconfirmed } from '../outgoing/shared.queries.ts';
import { redactLateText } from '../redaction.service.ts';

const STAGE_PROPERTY = 'hs_pipeline_stage';
/** When a note without a ticket is read again, counted from its arrival. */
const LATER_LOOKS_MS = [5_000, 30_000];
/** The largest expected lead of HubSpot's clock over ours. */
const MAX_CLOCK_SKEW_MS = 5_000;
/** A change that came from the CRM is not sent back there. */
const CLOSE_CHANGE = { status: 'closed_resolved', reflect_status_change_for_integration: false } as const;

export interface TicketDeps {
  crms: CrmClients;
  sending: { mediaLinks: MediaLinks };
  isStopped: () => boolean;
}

type ConnectedHubspot = NonNullable<Awaited<ReturnType<CrmClients['hubspot']>>>;

/**
 * Processes the events of a ticket, or the notes of all tickets. A ticket's properties become data of its session, and
 * the session closes with the ticket, unless it was opened again since: the ticket may be closed by us, and HubSpot
 * reports that late. Then adds the oldest note that is still to be added to the ticket.
 */
export async function syncTicket(db: Db, deps: TicketDeps, { orgId, ticketId }: TicketRef): Promise<QueueProgress> {
  const crm = await deps.crms.hubspot(orgId);
  const progress = await processQueue(db, orgId, ticketId === 'notes' ? 'notes' : `ticket/${ticketId}`, {
    isStopped: deps.isStopped,
    isOrdered: ticketId !== 'notes',
    handle: async (event) => {
      if (crm === undefined) return { state: 'failed', reason: 'HubSpot is not connected' };
      if (crm.settings.ticketing_enabled === false) return { state: 'skipped', reason: 'ticketing is disabled' };
      if (ticketId === 'notes') return handleNote(db, orgId, crm, event);
      if (event.type === 'ticket.propertyChange') return handleProperty(db, orgId, crm, event);
      return { state: 'skipped', reason: 'of no interest' };
    },
  });
  if (ticketId === 'notes') return progress;
  const remaining = await addNextTicketNote(db, deps, { orgId, ticketId });
  return { ...progress, hasMore: progress.hasMore || remaining > 0 };
}

async function handleProperty(
  db: Db,
  orgId: string,
  { client }: ConnectedHubspot,
  { object_id: ticketId, occurred_at, payload: { property_name: name, property_value: value } }: QueuedEvent,
): Promise<EventDecision> {
  if (!name || !value) return { state: 'skipped', reason: 'without a value' };
  if ((await findLinkOfTicket(db, orgId, ticketId)) === undefined)
    return { state: 'skipped', reason: 'no session has the ticket' };
  const isClosed = name === STAGE_PROPERTY && (await client.isClosedStage(ticketId, value));
  const change = UpdateSession.safeParse({ custom_data: { [name]: value } });
  if (!change.success) return { state: 'failed', reason: `${name} cannot be kept: ${change.error.issues[0]?.message}` };
  return {
    async effect(trx) {
      const link = await findLinkOfTicket(trx, orgId, ticketId);
      if (link !== undefined && (await redactLateText(trx, orgId, { sessionId: link.session_id, ticketId, name })))
        return { state: 'skipped', reason: 'redacted' };
      if (link === undefined || !(await updatePropertyTime(trx, orgId, ticketId, { name, changedAt: occurred_at })))
        return { state: 'skipped', reason: 'older than what is known' };
      const isCurrent = isClosed && !(await isReopenedAfter(trx, orgId, link.session_id, leewayBefore(occurred_at)));
      if (isCurrent) await applySessionUpdate(trx, orgId, link.session_id, CLOSE_CHANGE);
      return saveProperty(trx, orgId, link.session_id, change.data);
    },
  };
}

/** A customer who writes while the ticket is closed, by us or by people, finds the session open. */
const leewayBefore = (time: Date) => new Date(time.getTime() - MAX_CLOCK_SKEW_MS);

/** Saves the property, or reports failure if the session has no room for more data. The session closes all the same. */
async function saveProperty(trx: Trx, orgId: string, sessionId: string, change: UpdateSession): Promise<Settlement> {
  try {
    await applySessionUpdate(trx, orgId, sessionId, change);
    return { state: 'done' };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return { state: 'failed', reason: error.message };
  }
}

/** Whether a note is of a handoff of a session, or names a message whose note HubSpot has not confirmed yet. */
async function isOwnNote(db: Db, orgId: string, text: string, sessionIds: string[]): Promise<boolean> {
  for (const sessionId of sessionIds) {
    if (isOfHandoff(text, sessionId)) return true;
    const unconfirmed = await listUnconfirmed(db, orgId, { sessionId, target: 'ticket' });
    if (unconfirmed.some((id) => text.includes(id))) return true;
  }
  return false;
}

/** HubSpot creates a note first and associates it with its ticket a little later, so that it can take several looks. */
async function handleNote(
  db: Db,
  orgId: string,
  { client }: ConnectedHubspot,
  { object_id: noteId, dedupe_key }: QueuedEvent,
): Promise<EventDecision> {
  const note = await client.findNote(noteId);
  if (note === undefined) return { state: 'skipped', reason: 'deleted' };
  if (await isOwnMessage(db, orgId, note.id)) return { state: 'skipped', reason: 'ours' };
  const waitMs = note.ticketIds.length > 0 ? undefined : await deferToNext(db, orgId, dedupe_key, LATER_LOOKS_MS);
  if (waitMs !== undefined) return { waitMs };
  return {
    async effect(trx) {
      const sessionIds = await listSessionsOfTickets(trx, orgId, note.ticketIds);
      if (sessionIds.length === 0) return { state: 'skipped', reason: 'no session has its ticket' };
      if (await isOwnNote(trx, orgId, note.text, sessionIds)) return { state: 'skipped', reason: 'ours' };
      for (const sessionId of sessionIds) {
        const id = idOf(orgId, 'hubspot note', note.id, sessionId);
        await addExternalNote(trx, orgId, sessionId, { id, text: note.text, name: note.authorName });
      }
      return { state: 'done' };
    },
  };
}
