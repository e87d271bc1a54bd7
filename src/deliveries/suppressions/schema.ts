import { z } from 'zod';
import { PhoneNumber } from '../../contacts/phone-number.schema.ts';
import { Email } from '../../contacts/schema.ts';
import { Cursor, Id, Order, Timestamp } from '../../schemas/parts.ts';

const SuppressedChannel = z.enum(['email', 'sms', 'whatsapp', 'voice']);

const ADDRESS_ON = { email: Email, sms: PhoneNumber, whatsapp: PhoneNumber, voice: PhoneNumber };

export const AddSuppression = z
  .object({
    channel: SuppressedChannel.default('email'),
    address: z
      .string()
      .min(1)
      .max(254)
      .describe('An e-mail address, or for the other channels a phone number.')
      .meta({ examples: ['ada@example.com'] }),
  })
  .superRefine(({ channel, address }, context) => {
    for (const { message } of ADDRESS_ON[channel].safeParse(address).error?.issues ?? []) {
      context.addIssue({ code: 'custom', path: ['address'], message });
    }
  })
  .meta({
    id: 'AddSuppression',
    examples: [{ address: 'ada@example.com' }, { channel: 'sms', address: '+442079460958' }],
  });
export type AddSuppression = z.infer<typeof AddSuppression>;

/** Returns a valid address as stored: e-mail in lower case, phone numbers in E.164. */
export const storedAddress = ({ channel, address }: AddSuppression): string => ADDRESS_ON[channel].parse(address);

export const ListSuppressions = z.object({
  cursor: Cursor.optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
  order: Order,
  channel: SuppressedChannel.optional(),
  address: z.string().min(1).max(254).optional().describe('In any spelling. The + of a phone number is %2B in a URL.'),
});
export type ListSuppressions = z.infer<typeof ListSuppressions>;

export const SuppressionPath = z.object({ id: Id });

export const Suppression = z
  .object({
    id: Id,
    channel: SuppressedChannel,
    address: z.string(),
    reason: z
      .string()
      .describe(
        '`unsubscribed` or `manual`: transactional messages are still sent. `bounced`: nothing is sent any more.',
      ),
    created_at: Timestamp,
  })
  .meta({ id: 'Suppression' });

export const SuppressionPage = z.object({ items: z.array(Suppression), next: z.string().nullable() });
