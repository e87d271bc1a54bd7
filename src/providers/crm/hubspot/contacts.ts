import { z } from 'zod';
import type { HandoffFacts, PartOutcome } from '../port.ts';
import type { HubspotApi, HubspotCall } from './api.ts';
import { HubspotId } from './ids.ts';
import type { Person } from './port.ts';

const EXISTING_ID = /Existing ID:\s*(\d+)\s*$/;

export const ObjectRef = z.object({ id: HubspotId });
const PERSON = ['email', 'firstname', 'lastname', 'phone', 'mobilephone'];
const Contact = z.object({ properties: z.record(z.string(), z.string().nullish()) });
const Found = z.object({ results: z.array(ObjectRef) });

/**
 * Finds the contact by its e-mail address or creates it. Search lags behind writes, so a contact may be found only by
 * the conflict on creating it again: a repeated call creates no second contact.
 */
export async function findOrCreateContact(
  api: HubspotApi,
  { name, email, phone }: HandoffFacts['contact'],
): Promise<PartOutcome> {
  if (email === null) return { state: 'skipped', reason: 'The contact has no e-mail address to be found by' };
  const address = email.toLowerCase();
  const id = (await searchContact(api, address)) ?? (await createContact(api, { ...namesOf(name), phone }, address));
  return { state: 'done', externalId: id };
}

async function searchContact(api: HubspotApi, email: string): Promise<string | undefined> {
  const found = await api.find(
    {
      method: 'POST',
      path: '/crm/v3/objects/contacts/search',
      body: {
        filterGroups: [{ filters: [{ propertyName: 'email', operator: 'EQ', value: email }] }],
        sorts: [],
        properties: ['email'],
        limit: 1,
        after: '0',
      },
      what: 'contacts',
      isRead: true,
      kind: 'search',
    },
    Found,
  );
  return found?.results[0]?.id;
}

async function createContact(
  api: HubspotApi,
  facts: { firstname?: string; lastname?: string; phone: string | null },
  email: string,
): Promise<string> {
  const properties = Object.fromEntries(Object.entries({ email, ...facts }).filter(([, value]) => value));
  const call: HubspotCall = {
    method: 'POST',
    path: '/crm/v3/objects/contacts',
    body: { properties, associations: [] },
    what: 'a contact',
  };
  const exchange = await api.exchange(call);
  const existing = exchange.status === 409 ? EXISTING_ID.exec(messageOf(exchange.content))?.[1] : undefined;
  return existing ?? api.read(call, exchange, ObjectRef).id;
}

const messageOf = (content: unknown) => z.object({ message: z.string() }).safeParse(content).data?.message ?? '';

function namesOf(name: string | null): { firstname?: string; lastname?: string } {
  const [firstname, ...others] = (name ?? '').trim().split(/\s+/);
  return { firstname, lastname: others.join(' ') };
}

/** Returns a contact's personal data, or undefined if the contact was deleted. */
export async function getPerson(api: HubspotApi, contactId: string): Promise<Person | undefined> {
  const path = `/crm/v3/objects/contacts/${encodeURIComponent(contactId)}?properties=${PERSON.join(',')}`;
  const contact = await api.find({ method: 'GET', path, what: 'a contact' }, Contact);
  if (contact === undefined) return undefined;
  const { email, firstname, lastname, phone, mobilephone } = contact.properties;
  const name = [firstname, lastname].filter(Boolean).join(' ');
  return { name: name || null, email: email || null, phone: phone || mobilephone || null };
}
