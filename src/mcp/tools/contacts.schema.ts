import { z } from 'zod';
import { Id } from '../../schemas/parts.ts';
import { Limit, NextCursor, type Tool } from './tool.schema.ts';

const CustomData = z
  .record(z.string().max(255), z.string().max(5000).nullable())
  .describe('Merged by key into what is stored; null removes a key.');

/** Tools about the people who write and are written to. */
export const CONTACT_TOOLS: Tool[] = [
  {
    name: 'search_contacts',
    title: 'Find contacts',
    description:
      'Lists contacts in the order of creation, or the one with an e-mail address or a phone number. To find a contact by a name, use search_messages.',
    kind: 'read',
    scope: 'contacts:read',
    method: 'GET',
    path: '/contacts',
    input: z.strictObject({
      email: z.string().max(254).optional().describe('The whole address.'),
      phone_number: z.string().max(50).optional().describe('The whole number, with + and the country code.'),
      limit: Limit,
      cursor: NextCursor,
    }),
  },
  {
    name: 'get_contact',
    title: 'Get a contact',
    description: 'Returns a contact with its custom data.',
    kind: 'read',
    scope: 'contacts:read',
    method: 'GET',
    path: '/contacts/{id}',
    input: z.strictObject({ id: Id.describe('The id of a contact.') }),
  },
  {
    name: 'save_contact',
    title: 'Save a contact',
    description:
      'Creates a contact, or updates the one that has the e-mail address or phone number. Fields that are not given stay.',
    kind: 'write',
    scope: 'contacts:write',
    method: 'POST',
    path: '/contacts',
    input: z.strictObject({
      email: z.string().max(254).optional(),
      phone: z.string().max(50).optional().describe('With + and the country code.'),
      name: z.string().max(1000).optional(),
      custom_data: CustomData.optional(),
    }),
    bodyOf: (contact) => ({ contact }),
  },
];
