import { z } from 'zod';
import type { HubspotApi } from './api.ts';
import type { HtmlConversion } from './html.ts';
import { HubspotId } from './ids.ts';
import type { TicketNote } from './port.ts';

const PROPERTIES = ['hs_note_body', 'hs_timestamp', 'hubspot_owner_id', 'hs_created_by_user_id'];
const FORBIDDEN = 403;

const Note = z.object({
  id: HubspotId,
  properties: z.record(z.string(), z.string().nullish()),
  associations: z.object({ tickets: z.object({ results: z.array(z.object({ id: HubspotId })) }).nullish() }).nullish(),
});

const Owner = z.object({
  firstName: z.string().nullish(),
  lastName: z.string().nullish(),
  email: z.string().nullish(),
});

/** Finds a note and its tickets. Returns undefined if the note was deleted. */
export async function findNote(
  api: HubspotApi,
  markup: HtmlConversion,
  noteId: string,
): Promise<TicketNote | undefined> {
  const query = new URLSearchParams({ properties: PROPERTIES.join(','), associations: 'tickets' });
  const path = `/crm/v3/objects/notes/${encodeURIComponent(noteId)}?${query}`;
  const note = await api.find({ method: 'GET', path, what: 'a note' }, Note);
  if (note === undefined) return undefined;
  const { hs_note_body: body, hs_timestamp: time, hubspot_owner_id, hs_created_by_user_id } = note.properties;
  return {
    id: note.id,
    text: markup.textOfHtml(body ?? ''),
    authorName: await findOwnerName(api, hubspot_owner_id, hs_created_by_user_id),
    ticketIds: [...new Set((note.associations?.tickets?.results ?? []).map(({ id }) => id))],
    createdAt: timeOf(time),
  };
}

/**
 * Finds the name of a note's owner. Returns null if the app may not read owners: a missing name must not prevent
 * reading the note.
 */
async function findOwnerName(
  api: HubspotApi,
  ownerId: string | null | undefined,
  userId: string | null | undefined,
): Promise<string | null> {
  const path = ownerId
    ? `/crm/v3/owners/${encodeURIComponent(ownerId)}`
    : userId
      ? `/crm/v3/owners/${encodeURIComponent(userId)}?idProperty=userId`
      : undefined;
  if (path === undefined) return null;
  const call = { method: 'GET', path, what: 'an owner' } as const;
  const exchange = await api.exchange(call);
  if (exchange.status === FORBIDDEN || exchange.status === 404) return null;
  const { firstName, lastName, email } = api.read(call, exchange, Owner);
  return [firstName, lastName].filter(Boolean).join(' ') || email || null;
}

/** Parses ISO 8601, or milliseconds since 1970. */
function timeOf(value: string | null | undefined): Date | null {
  const time = new Date(/^\d+$/.test(value ?? '') ? Number(value) : (value ?? ''));
  return Number.isNaN(time.getTime()) ? null : time;
}
