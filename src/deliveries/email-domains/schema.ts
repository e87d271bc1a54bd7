import { z } from 'zod';
import { Cursor, DomainName, Timestamp } from '../../schemas/parts.ts';

/** The names of a domain's DNS records have at most 253 characters, prefix included (RFC 1035, 2.3.4). */
const MAX_DOMAIN_LENGTH = 229;

const SendingDomainName = DomainName.refine(
  (name) => name.length <= MAX_DOMAIN_LENGTH,
  `must have at most ${MAX_DOMAIN_LENGTH} characters in ASCII: the names of its DNS records are longer`,
);

export const PutCustomDomain = z
  .object({ domainName: SendingDomainName.describe('In any spelling. Stored in lower case and ASCII.') })
  .meta({ id: 'PutCustomDomain', examples: [{ domainName: 'mail.example.com' }] });

export const DomainPath = z.object({ domainName: SendingDomainName });

export const ListDomains = z.object({
  cursor: Cursor.optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
});
export type ListDomains = z.infer<typeof ListDomains>;

export const DomainStatus = z
  .enum(['pending', 'verified', 'failed'])
  .describe('`pending`: DNS does not have the record yet. `failed`: DNS has a different record.');
export type DomainStatus = z.infer<typeof DomainStatus>;

const DomainRecord = z
  .object({
    type: z.literal('TXT'),
    name: z.string(),
    value: z.string(),
    ttl: z.int().describe('In seconds.'),
    status: DomainStatus,
    found: z
      .array(z.string())
      .nullable()
      .describe(
        'What DNS had at this name when it was last checked, at most 5 texts of 500 characters. null: never checked.',
      ),
  })
  .meta({ id: 'DomainRecord' });

const state = {
  domainRecords: z
    .array(DomainRecord)
    .describe(
      'The key of the DKIM signatures, which decides the status, and a DMARC policy, which is recommended: any policy is accepted.',
    ),
  domainStatus: DomainStatus.describe('That of the DKIM record. Mail is signed once it is `verified`.'),
};

export const CustomDomain = z.object(state).meta({ id: 'CustomDomain' });

export const CustomDomainPage = z.object({
  items: z.array(
    z.object({
      domainName: z.string(),
      ...state,
      checked_at: Timestamp.nullable().describe('When DNS last gave an answer.'),
      created_at: Timestamp,
    }),
  ),
  next: z.string().nullable(),
});
