import { z } from 'zod';
import type { PriorAttempts } from '../port.ts';
import type { HubspotApi } from './api.ts';
import { ObjectRef } from './contacts.ts';
import type { HtmlConversion } from './html.ts';
import { HubspotId } from './ids.ts';
import type { TicketNote } from './port.ts';

const PROPERTIES = ['hs_note_body', 'hs_timestamp', 'hubspot_owner_id', 'hs_created_by_user_id'];
const FORBIDDEN = 403;
const NOTES_PATH = '/crm/v3/objects/notes';
/** The association type of a note with its ticket. */
const NOTE_TO_TICKET = 228;
/** The number of notes per batch read, and the largest page of a ticket's notes. */
const [NOTES_PER_READ, PAGE_SIZE] = [100, 500];

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

const Notes = z.object({
  results: z.array(z.object({ id: HubspotId, properties: z.record(z.string(), z.string().nullish()) })),
});
const Associations = z.object({ results: z.array(z.object({ toObjectId: HubspotId })) });

/** Adds a note to a ticket, once. Its `marks` identify it among others. */
export async function addNote(
  api: HubspotApi,
  { textOfHtml }: HtmlConversion,
  ticketId: string,
  { richText, marks }: { richText: string; marks: string[] },
  { mayExist }: PriorAttempts,
): Promise<string> {
  const isIt = (body: string) => marks.every((mark) => textOfHtml(body).includes(mark));
  const earlier = mayExist ? (await latestNotesOf(api, ticketId)).find(({ body }) => isIt(body)) : undefined;
  if (earlier !== undefined) return earlier.id;
  const body = {
    properties: { hs_timestamp: new Date().toISOString(), hs_note_body: richText },
    associations: [
      {
        to: { id: ticketId },
        types: [{ associationCategory: 'HUBSPOT_DEFINED', associationTypeId: NOTE_TO_TICKET }],
      },
    ],
  };
  return (await api.request({ method: 'POST', path: NOTES_PATH, body, what: 'a note' }, ObjectRef)).id;
}

/** Lists the latest notes of a ticket. They are created with their association, which is visible at once. */
async function latestNotesOf(api: HubspotApi, ticketId: string): Promise<{ id: string; body: string }[]> {
  const listing = `/crm/v4/objects/tickets/${encodeURIComponent(ticketId)}/associations/notes?limit=${PAGE_SIZE}`;
  const page = await api.find({ method: 'GET', path: listing, what: "a ticket's notes" }, Associations);
  const ids = (page?.results ?? []).map(({ toObjectId }) => toObjectId);
  const latest = ids.sort((one, other) => Number(other) - Number(one)).slice(0, NOTES_PER_READ);
  if (latest.length === 0) return [];
  const body = { properties: ['hs_note_body'], propertiesWithHistory: [], inputs: latest.map((id) => ({ id })) };
  const path = `${NOTES_PATH}/batch/read`;
  const found = await api.find({ method: 'POST', path, body, what: 'notes', isRead: true }, Notes);
  return (found?.results ?? []).map(({ id, properties }) => ({ id, body: properties.hs_note_body ?? '' }));
}

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
