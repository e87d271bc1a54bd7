import { z } from 'zod';
import { Id, Timestamp } from '../../schemas/parts.ts';
import { Email } from '../schema.ts';

const Reason = z.string().max(1000);

export const BlockContact = z
  .object({ email: Email, reason: Reason.optional() })
  .meta({ id: 'BlockContact', examples: [{ email: 'spammer@example.com', reason: 'Spam' }] });
export type BlockContact = z.infer<typeof BlockContact>;

export const BlockDomains = z
  .object({
    domains: z.string().min(1).max(50_000).describe('Domains, separated by commas. Each includes its subdomains.'),
    reason: Reason.optional(),
  })
  .meta({ id: 'BlockDomains', examples: [{ domains: 'spam.example, junk.example', reason: 'Spam' }] });
export type BlockDomains = z.infer<typeof BlockDomains>;

export const BlocklistPath = z.object({ id: Id });

export const BlocklistQuery = z.object({
  page: z.coerce.number().int().min(1).max(1_000_000).default(1),
  limit: z.coerce.number().int().min(1).max(100).default(20),
  email: Email.optional().describe('Only what blocks this e-mail.'),
});
export type BlocklistQuery = z.infer<typeof BlocklistQuery>;

const totals = { total: z.int(), page: z.int(), total_pages: z.int() };

export const BlockedContactPage = z
  .object({
    data: z.array(
      z.object({
        id: Id,
        contact_id: Id.nullable().describe('The contact that has the e-mail, where there is one.'),
        email: z.string(),
        name: z.string().nullable(),
        phone_number: z.string().nullable(),
        reason: z.string().nullable(),
        created_at: Timestamp,
      }),
    ),
    ...totals,
  })
  .meta({ id: 'BlockedContactPage' });

const BlockedDomain = z
  .object({ id: Id, domain: z.string(), reason: z.string().nullable(), created_at: Timestamp })
  .meta({ id: 'BlockedDomain' });

export const BlockedDomains = z
  .object({
    blocked: z.array(BlockedDomain),
    skipped: z.array(z.string()).describe('Domains that were blocked before.'),
    summary: z.object({ total: z.int(), blocked: z.int(), skipped: z.int() }),
  })
  .meta({ id: 'BlockedDomains' });

export const BlockedDomainPage = z
  .object({ data: z.array(BlockedDomain), ...totals })
  .meta({ id: 'BlockedDomainPage' });
