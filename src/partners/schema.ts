import { z } from 'zod';
import { FareHarborConnection, MAX_CONNECTIONS } from '../actions/fareharbor/schema.ts';
import { AiInstructions, Website } from '../orgs/schema.ts';
import { EmailAddress, Id, Language, Name, Timestamp, wholeNumber } from '../schemas/parts.ts';

const Connections = z
  .union([FareHarborConnection, z.array(FareHarborConnection).min(1).max(MAX_CONNECTIONS)])
  .describe('A `FareHarborConnection`, or a list of them.');

const Integrations = z.strictObject(
  { fareharbor: Connections.optional() },
  {
    error: ({ code, keys }) =>
      code === 'unrecognized_keys'
        ? `Only fareharbor can be connected here, not ${(keys as string[]).join(', ')}`
        : undefined,
  },
);

export const CreateOrg = z
  .object({
    name: Name,
    external_id: z.string().min(1).max(255).optional().describe('The partner’s own id of the org, unique per partner.'),
    website: Website.optional(),
    language: Language.default('en'),
    ai_instructions: AiInstructions.optional().describe('AI profile. The partner’s default when absent.'),
    integrations: Integrations.optional(),
  })
  .meta({
    id: 'CreatePartnerOrg',
    examples: [
      { name: 'Acme Tours', external_id: 'acme-1', website: 'https://acme.example', language: 'en' },
      { name: 'Sea Tours', integrations: { fareharbor: { app_key: 'app', user_key: 'user', name: 'Boats' } } },
    ],
  });
export type CreateOrg = z.infer<typeof CreateOrg>;

export const CreatedOrg = z
  .object({ id: Id, name: z.string(), widget_token: z.string(), external_id: z.string().nullable() })
  .meta({ id: 'PartnerOrgCreated' });

export const PartnerOrg = z
  .object({
    id: Id,
    name: z.string(),
    widget_token: z.string(),
    external_id: z.string().nullable(),
    created_at: Timestamp,
  })
  .meta({ id: 'PartnerOrg' });

export const OrgPage = z.object({
  limit: z.coerce.number().int().min(1).max(100).default(50),
  offset: wholeNumber(2_147_483_647).default(0),
});

export const PartnerOrgPage = z.object({ data: z.array(PartnerOrg), total: z.int() });

export const ExternalRef = z.object({ externalId: z.string().min(1).max(255) });

/** Any text: an org outside the partner is refused with 403, regardless of the format. */
export const OrgRef = z.object({ orgId: z.string().min(1).max(255).describe('The org’s UUID.') });

export const CreateOrgKey = z
  .object({ name: Name.default('Default') })
  .meta({ id: 'CreatePartnerOrgKey', examples: [{ name: 'Back end' }] });

export const CreateLoginLink = z
  .object({
    email: EmailAddress.toLowerCase(),
    name: Name.optional().describe('Used for a new member only; the part of the e-mail before @ when absent.'),
    role_ids: z
      .array(Id)
      .max(20)
      .optional()
      .describe('Roles of a new member (GET /roles lists them); agent when absent.'),
    opens: z
      .enum(['once', 'page'])
      .default('once')
      .describe(
        '`once`: the first visit signs in. `page`: shows a page whose button signs in, for links in mails, which scanners visit too.',
      ),
  })
  .meta({ id: 'CreateLoginLink', examples: [{ email: 'ann@acme.example', name: 'Ann' }] });
export type CreateLoginLink = z.infer<typeof CreateLoginLink>;

export const LoginLink = z.object({ url: z.string(), expires_at: Timestamp }).meta({ id: 'LoginLink' });
