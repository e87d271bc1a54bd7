import { z } from 'zod';
import { Cursor, EmailAddress, Id, RANGE, Timestamp } from '../schemas/parts.ts';
import { PublicFilter } from './filters/schema.ts';
import { PhoneNumber } from './phone-number.schema.ts';

const MAX_KEYS = 100;
const MAX_BATCH = 1000;

/** An address in lower case, the form identifying contacts. */
export const Email = EmailAddress.toLowerCase();

const hasFewKeys = (map: object) => Object.keys(map).length <= MAX_KEYS;
const tooManyKeys = `must have at most ${MAX_KEYS} keys`;
const Key = z.string().min(1).max(255);

/** Values merged by key into the stored ones: null removes a key. */
export const CustomDataChange = z
  .record(Key, z.string().max(5000).nullable())
  .refine(hasFewKeys, tooManyKeys)
  .meta({ maxProperties: MAX_KEYS })
  .describe('Merged by key into what is stored; null removes a key.');

const StringMap = z.record(Key, z.string().max(5000)).refine(hasFewKeys, tooManyKeys).meta({ maxProperties: MAX_KEYS });

/** The most hosts that values can name: as many as an org's actions can have. */
const MAX_HOSTS = 500;

const ActionHost = z
  .url({ protocol: /^https?$/, error: 'must be a scheme, a host and a port, such as https://api.example.com' })
  .max(2_048)
  .refine((url) => url.replace(/\/$/, '') === hostOf(url), 'must be a scheme, a host and a port, with nothing else');

/** Returns the address without the rest, in its own letter case. */
const hostOf = (url: string): string => /^[^/]*\/\/[^/?#@]*/.exec(url)?.[0] ?? '';

export const HttpActionOverrides = z
  .object({
    hosts: z
      .array(ActionHost)
      .max(MAX_HOSTS)
      .optional()
      .describe('Only actions of these schemes, hosts and ports get the values, such as https://api.example.com.'),
    query_params: StringMap.optional(),
    path_params: StringMap.optional(),
    body_params: StringMap.optional(),
    headers: StringMap.optional(),
  })
  .meta({ id: 'HttpActionOverrides', description: 'Values replacing those in HTTP actions.' });

/** The contact's id in another system, such as a CRM. */
const ExternalId = z.string().min(1).max(255);

/** The fields of a contact. Absent fields stay unchanged, null removes a value. */
export const ContactFields = z
  .object({
    email: Email.nullable().optional(),
    phone: PhoneNumber.nullable().optional(),
    phone_number: PhoneNumber.nullable().optional().describe('The same as `phone`.'),
    external_id: ExternalId.nullable().optional().describe('Its id in another system, unique in the organization.'),
    name: z.string().max(1000).nullable().optional(),
    custom_data: CustomDataChange.optional(),
    http_action_overrides: HttpActionOverrides.optional(),
  })
  .refine(({ phone, phone_number }) => phone === undefined || phone_number === undefined || phone === phone_number, {
    path: ['phone_number'],
    error: 'differs from phone: give one of them, or the same number in both',
  })
  .meta({
    id: 'ContactFields',
    examples: [
      {
        email: 'ada@example.com',
        phone: '+442079460958',
        external_id: 'crm-4711',
        name: 'Ada Lovelace',
        custom_data: { plan: 'pro', city: 'London' },
      },
    ],
  });
export type ContactFields = z.infer<typeof ContactFields>;

export const SaveContact = z.object({ contact: ContactFields }).meta({
  id: 'SaveContact',
  examples: [{ contact: { email: 'ada@example.com', name: 'Ada Lovelace', custom_data: { plan: 'pro' } } }],
});
export type SaveContact = z.infer<typeof SaveContact>;

export const SavedContact = z.object({ id: Id }).meta({ id: 'SavedContact' });

export const SaveContacts = z
  .object({
    contacts: z
      .array(z.unknown().describe('A contact: the fields of ContactFields.'))
      .min(1)
      .max(MAX_BATCH)
      .describe('Each is checked and answered by itself, in order.'),
  })
  .meta({
    id: 'SaveContacts',
    examples: [
      {
        contacts: [
          { email: 'ada@example.com', name: 'Ada' },
          { phone: '+442079460958', name: 'Grace' },
        ],
      },
    ],
  });

export const SavedContacts = z
  .object({
    results: z
      .array(z.union([z.object({ id: Id, created: z.boolean() }), z.object({ error: z.string() })]))
      .describe('One for each contact of the request, in its order.'),
  })
  .meta({ id: 'SavedContacts' });

export const Contact = z
  .object({
    id: Id,
    email: z.string().nullable(),
    phone_number: z.string().nullable(),
    phone: z.string().nullable().describe('The same as `phone_number`.'),
    external_id: z.string().nullable().describe('Its id in another system.'),
    name: z.string().nullable(),
    custom_data: z.record(z.string(), z.string()),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'Contact' });

export const ContactPage = z.object({ items: z.array(Contact), next: z.string().nullable() });

export const ContactPath = z.object({ id: Id });

export const ListContacts = z
  .object({
    ...RANGE,
    q: z
      .string()
      .trim()
      .min(1)
      .max(200)
      .optional()
      .describe(
        'A part of the name, e-mail or phone number: the most alike first, in one page. Only `limit` goes with it.',
      ),
    email: Email.optional().describe('Only the contact with this address.'),
    phone_number: PhoneNumber.optional().describe('Only the contact with this number.'),
    external_id: ExternalId.optional().describe('Only the contact with this id in another system.'),
  })
  .refine(
    ({ q, limit: _, ...others }) => q === undefined || Object.values(others).every((value) => value === undefined),
    {
      path: ['q'],
      error: 'goes with limit alone: leave out the other filters and the cursor',
    },
  );
export type ListContacts = z.infer<typeof ListContacts>;

export const SearchContacts = z.object({ filter: PublicFilter, cursor: Cursor.optional() }).meta({
  id: 'SearchContacts',
  examples: [{ filter: { or: [{ and: [{ type: 'contacts_attributes_in', attributes: [{ plan: 'pro' }] }] }] } }],
});
export type SearchContacts = z.infer<typeof SearchContacts>;

/** A contact by its id, e-mail or phone number. An unknown e-mail or phone number creates a contact. */
export const ContactRef = z
  .union([z.object({ id: Id }), z.object({ email: Email }), z.object({ phone_number: PhoneNumber })], {
    error: 'must be one of {"id": …}, {"email": …} or {"phone_number": …}',
  })
  .meta({ id: 'ContactRef', examples: [{ email: 'ada@example.com' }] });
export type ContactRef = z.infer<typeof ContactRef>;
