import { z } from 'zod';
import { Id, Language, Name, Timestamp } from '../schemas/parts.ts';
import { ROLE_NAMES } from '../schemas/roles.ts';

const MAX_INSTRUCTIONS = 100_000;
const WEBSITE = /^(https?:\/\/[^\s/?#]+|[^\s/?#:]+\.[^\s/?#]+)([/?#]\S*)?$/i;

/** The address of an org's website. */
export const Website = z
  .string()
  .max(2048, { abort: true })
  .regex(WEBSITE, 'must be a web address such as https://example.com');
/** How an org wants its AI to be. */
export const AiInstructions = z.string().max(MAX_INSTRUCTIONS);

export const UpdateOrg = z
  .object({
    name: Name.optional(),
    website: Website.nullable().optional(),
    language: Language.optional().describe(
      'The language of the AI where a contact’s is not known or has no sentences.',
    ),
    ai_instructions: AiInstructions.nullable().optional().describe('How the AI is to be. null: as the partner says.'),
  })
  .meta({
    id: 'UpdateOrganization',
    examples: [{ name: 'Acme Tours', language: 'en', ai_instructions: 'We sell boat tours. Be brief and kind.' }],
  });

export const Org = z
  .object({
    id: Id,
    name: z.string(),
    website: z.string().nullable(),
    language: z.string().describe('ISO 639-1.'),
    ai_instructions: z.string().nullable().describe('null: as the partner says.'),
    widget_token: z.string().describe('What the chat widget’s script on a page names.'),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'Organization' });

export const RoleName = z.enum(ROLE_NAMES);

export const RoleList = z.object({
  items: z.array(z.object({ id: Id, name: RoleName }).meta({ id: 'Role' })),
  next: z.null(),
});

export const Member = z
  .object({
    id: z.int(),
    email: z.string(),
    name: z.string(),
    role: RoleName.describe('The strongest of the member’s roles.'),
    available: z.boolean().describe('Whether conversations may be assigned to the member.'),
    created_at: Timestamp,
  })
  .meta({ id: 'Member' });

export const MemberRef = z.object({
  id: z
    .string()
    .regex(/^[1-9][0-9]{0,14}$/, 'must be a member’s numeric id')
    .transform(Number),
});

export const UpdateMember = z
  .object({
    name: Name.optional(),
    role: RoleName.optional().describe('Replaces all roles of the member.'),
    available: z.boolean().optional(),
  })
  .meta({ id: 'UpdateMember', examples: [{ role: 'admin' }, { available: false }] });
export type UpdateMember = z.infer<typeof UpdateMember>;
