import { z } from 'zod';
import type { CrmError } from '../../errors.ts';
import type { HubspotApi, HubspotCall } from '../api.ts';
import { ObjectRef } from '../contacts.ts';
import { HubspotId } from '../ids.ts';
import type { TicketProperties } from './properties.ts';

/** Of a ticket to its contact. */
const TICKET_TO_CONTACT = 16;
/** By what HubSpot says that properties are not what they were when the schema was read. */
const CHANGED_SCHEMA = /PROPERTY_DOESNT_EXIST|INVALID_OPTION|READ_ONLY_VALUE/;
export const TICKETS_PATH = '/crm/v3/objects/tickets';

/** A ticket with the properties that were asked for. */
export const Ticket = z.object({ id: HubspotId, properties: z.record(z.string(), z.string().nullish()) });
export type Ticket = z.infer<typeof Ticket>;

export interface NewTicket {
  /** Without these it makes no sense: where HubSpot does not take one, it says so. */
  required: Record<string, string>;
  /** Written where tickets have such a property. */
  optional: Record<string, string>;
  contactId: string | undefined;
}

/** Makes a ticket. Where a property has changed since the schema was read, that is read anew, and the ticket tried once more. */
export async function createTicket(api: HubspotApi, schema: TicketProperties, ticket: NewTicket): Promise<string> {
  const first = await tryToCreate(api, schema, ticket);
  if (first.id !== undefined) return first.id;
  schema.forget();
  const second = await tryToCreate(api, schema, ticket);
  if (second.id === undefined) throw second.failure;
  return second.id;
}

type CreationAttempt = { id: string } | { id: undefined; failure: CrmError };

/** Gives the failure where that is by a property. */
async function tryToCreate(
  api: HubspotApi,
  schema: TicketProperties,
  { required, optional, contactId }: NewTicket,
): Promise<CreationAttempt> {
  const call: HubspotCall = {
    method: 'POST',
    path: TICKETS_PATH,
    body: {
      properties: { ...(await schema.writable(optional)), ...required },
      associations: contactId === undefined ? [] : [toContact(contactId)],
    },
    what: 'a ticket',
  };
  const exchange = await api.exchange(call);
  const { failure, status, content } = exchange;
  if (failure !== undefined && status === 400 && CHANGED_SCHEMA.test(JSON.stringify(content ?? '')))
    return { id: undefined, failure };
  return { id: api.read(call, exchange, ObjectRef).id };
}

const toContact = (id: string) => ({
  to: { id },
  types: [{ associationCategory: 'HUBSPOT_DEFINED', associationTypeId: TICKET_TO_CONTACT }],
});

/** Undefined where there is no such ticket. */
export function findTicket(api: HubspotApi, ticketId: string, properties: string[]): Promise<Ticket | undefined> {
  const path = `${TICKETS_PATH}/${encodeURIComponent(ticketId)}?properties=${properties.join(',')}`;
  return api.find({ method: 'GET', path, what: 'a ticket' }, Ticket);
}
