import { z } from 'zod';
import { CrmError } from '../../errors.ts';
import type { HandoffFacts, PriorAttempts } from '../../port.ts';
import type { HubspotApi } from '../api.ts';
import { HubspotId } from '../ids.ts';
import type { TicketProperties } from './properties.ts';
import { Ticket } from './tickets.ts';

/** A ticket property for the id of the ticket's session, written if the schema of tickets has it. */
export const SESSION_PROPERTY = 'switchboard_session_id';

/** The longest time for a write to appear in searches. */
const SEARCH_LAG_MS = 30_000;
/** The largest expected lag of HubSpot's clock behind ours. */
const MAX_CLOCK_SKEW_MS = 5_000;
const PAGE_SIZE = 500;
const MAX_PAGES = 20;
/** The number of tickets per batch read. */
const TICKETS_PER_READ = 100;

const Tickets = z.object({ results: z.array(Ticket) });
const Associations = z.object({
  results: z.array(z.object({ toObjectId: HubspotId })),
  paging: z.object({ next: z.object({ after: z.string() }).nullish() }).nullish(),
});

/** Delays the retry of an attempt with a possibly created ticket until a search can find this ticket. */
export function retryAfterSearchLag(error: unknown): unknown {
  if (!(error instanceof CrmError) || !error.transient || !error.mayHaveArrived) return error;
  const { message, status, retryAfterMs = 0 } = error;
  return new CrmError(message, {
    transient: true,
    status,
    mayHaveArrived: true,
    retryAfterMs: Math.max(retryAfterMs, SEARCH_LAG_MS),
    cause: error,
  });
}

/**
 * Finds a ticket possibly created by an earlier attempt. Throws a transient error while this cannot be decided yet: a
 * late ticket is better than a duplicate.
 */
export async function findEarlierTicket(
  api: HubspotApi,
  schema: TicketProperties,
  facts: HandoffFacts,
  attempt: PriorAttempts,
): Promise<string | undefined> {
  const isOurs = ({ properties }: Ticket) =>
    properties[SESSION_PROPERTY] === facts.sessionId || properties.content?.includes(facts.sessionUrl) === true;
  const { contact } = facts.externalIds;
  // A ticket is created together with its association, and associations are visible at once: if the contact was known
  // then, no search is needed.
  if (contact !== undefined) {
    const ofContact = (await latestTicketsOf(api, contact)).find(isOurs);
    if (ofContact !== undefined || attempt.hasNewContact !== true) return ofContact?.id;
  }

  const found = (await searchTickets(api, await filtersFor(schema, facts, attempt))).find(isOurs);
  if (found !== undefined) return found.id;
  const settledAt = (attempt.latest ?? attempt.since).getTime() + SEARCH_LAG_MS;
  if (Date.now() >= settledAt) return undefined;
  throw new CrmError('An earlier attempt may have created the ticket, and HubSpot does not list it yet', {
    transient: true,
    mayHaveArrived: true,
    retryAfterMs: settledAt - Date.now(),
  });
}

async function latestTicketsOf(api: HubspotApi, contactId: string): Promise<Ticket[]> {
  const ids: string[] = [];
  let after: string | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const query = new URLSearchParams({ limit: String(PAGE_SIZE), ...(after === undefined ? {} : { after }) });
    const path = `/crm/v4/objects/contacts/${encodeURIComponent(contactId)}/associations/tickets?${query}`;
    const page = await api.find({ method: 'GET', path, what: "a contact's tickets" }, Associations);
    ids.push(...(page?.results ?? []).map(({ toObjectId }) => toObjectId));
    after = page?.paging?.next?.after;
    if (after === undefined) break;
  }
  const latest = ids.sort((one, other) => Number(other) - Number(one)).slice(0, TICKETS_PER_READ);
  return latest.length === 0 ? [] : getTickets(api, latest);
}

async function getTickets(api: HubspotApi, ids: string[]): Promise<Ticket[]> {
  const inputs = ids.map((id) => ({ id }));
  const body = { properties: ['content', SESSION_PROPERTY], propertiesWithHistory: [], inputs };
  const path = '/crm/v3/objects/tickets/batch/read';
  const found = await api.find({ method: 'POST', path, body, what: 'tickets', isRead: true }, Tickets);
  return found?.results ?? [];
}

async function filtersFor(schema: TicketProperties, { sessionId, subject }: HandoffFacts, { since }: PriorAttempts) {
  if (await schema.has(SESSION_PROPERTY)) return [{ propertyName: SESSION_PROPERTY, operator: 'EQ', value: sessionId }];
  return [
    { propertyName: 'subject', operator: 'EQ', value: subject },
    { propertyName: 'createdate', operator: 'GTE', value: String(since.getTime() - MAX_CLOCK_SKEW_MS) },
  ];
}

async function searchTickets(api: HubspotApi, filters: object[]): Promise<Ticket[]> {
  const body = {
    filterGroups: [{ filters }],
    sorts: [],
    properties: ['content', SESSION_PROPERTY],
    limit: TICKETS_PER_READ,
    after: '0',
  };
  const path = '/crm/v3/objects/tickets/search';
  const found = await api.find({ method: 'POST', path, body, what: 'tickets', isRead: true, kind: 'search' }, Tickets);
  return found?.results ?? [];
}
