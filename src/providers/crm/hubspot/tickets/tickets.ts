import { z } from 'zod';
import type { CrmError } from '../../errors.ts';
import type { HubspotApi, HubspotCall } from '../api.ts';
import { ObjectRef } from '../contacts.ts';
import { HubspotId } from '../ids.ts';
import type { TicketProperties } from './properties.ts';

/** The association type of a ticket with its contact. */
const TICKET_TO_CONTACT = 16;
/** Matches HubSpot's errors about properties changed since the schema was read. */
const CHANGED_SCHEMA = /PROPERTY_DOESNT_EXIST|INVALID_OPTION|READ_ONLY_VALUE/;
export const TICKETS_PATH = '/crm/v3/objects/tickets';

/** A ticket with the requested properties. */
export const Ticket = z.object({ id: HubspotId, properties: z.record(z.string(), z.string().nullish()) });
export type Ticket = z.infer<typeof Ticket>;

export interface NewTicket {
  /** Properties essential to the ticket: HubSpot's refusal of one is an error. */
  required: Record<string, string>;
  /** Properties written only if the schema of tickets has them. */
  optional: Record<string, string>;
  contactId: string | undefined;
}

/** Creates a ticket. If a property has changed since the schema was read, reads the schema again and retries once. */
export async function createTicket(api: HubspotApi, schema: TicketProperties, ticket: NewTicket): Promise<string> {
  const first = await tryToCreate(api, schema, ticket);
  if (first.id !== undefined) return first.id;
  schema.forget();
  const second = await tryToCreate(api, schema, ticket);
  if (second.id === undefined) throw second.failure;
  return second.id;
}

type CreationAttempt = { id: string } | { id: undefined; failure: CrmError };

/** Returns the failure if it was caused by a property. */
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

/** Finds a ticket, or undefined if it does not exist. */
export function findTicket(api: HubspotApi, ticketId: string, properties: string[]): Promise<Ticket | undefined> {
  const path = `${TICKETS_PATH}/${encodeURIComponent(ticketId)}?properties=${properties.join(',')}`;
  return api.find({ method: 'GET', path, what: 'a ticket' }, Ticket);
}
