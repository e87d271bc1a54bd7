import { z } from 'zod';
import { Id, Language, Name, Timestamp } from '../../schemas/parts.ts';
import { ROLE_NAMES } from '../../schemas/roles.ts';
import { KeyScope } from '../../schemas/scopes.ts';

const MAX_SIGNATURE = 5_000;
const NOTICES = ['mention', 'assigned', 'breach', 'confirmation', 'ended'] as const;

const settings = {
  signature: z.string().max(MAX_SIGNATURE).nullable().describe('Put below replies by e-mail. null: none.'),
  read_on: z.enum(['open', 'reply']).describe('When a session counts as read: once opened, or once answered.'),
  notify: z.partialRecord(z.enum(NOTICES), z.boolean()).describe('What the member hears of. Absent: true.'),
  theme: z.enum(['system', 'light', 'dark']),
  send_key: z.enum(['enter', 'ctrl_enter']).describe('The key that sends a message.'),
};
const MemberSettings = z.object(settings).meta({ id: 'MemberSettings' });
export type MemberSettings = z.infer<typeof MemberSettings>;

export const DEFAULT_SETTINGS: MemberSettings = {
  signature: null,
  read_on: 'open',
  notify: {},
  theme: 'system',
  send_key: 'ctrl_enter',
};

export const UpdateMe = z
  .object({
    name: Name.optional(),
    available: z.boolean().optional().describe('Whether sessions are assigned to the member.'),
    language: Language.nullable().optional().describe('Of the member’s pages. null: the org’s.'),
    settings: z.object(settings).partial().optional().describe('Absent ones stay.'),
  })
  .meta({ id: 'UpdateMe', examples: [{ available: false, settings: { theme: 'dark' } }] });
export type UpdateMe = z.infer<typeof UpdateMe>;

const MEMBER = {
  id: 7,
  email: 'ann@acme.example',
  name: 'Ann',
  role: 'agent' as const,
  available: true,
  teams: [{ id: '01900000-0000-7000-8000-000000000001', name: 'Support' }],
  language: null,
  settings: DEFAULT_SETTINGS,
};

export const Me = z
  .object({
    member: z
      .object({
        id: z.int(),
        email: z.string(),
        name: z.string(),
        role: z.enum(ROLE_NAMES),
        available: z.boolean(),
        teams: z.array(z.object({ id: Id, name: z.string() })),
        language: z.string().nullable(),
        settings: MemberSettings,
      })
      .nullable()
      .describe('null for an API key.'),
    org: z.object({ id: Id, name: z.string(), language: z.string(), timezone: z.string().nullable() }),
    orgs: z.int().describe('The number of orgs that the member belongs to; 1 for an API key.'),
    scopes: z.array(KeyScope).describe('What the caller may do.'),
    expires_at: Timestamp.nullable().describe('When the sign-in ends without use. null for an API key.'),
    links: z.object({
      help_center: z.string(),
      temporal_ui: z.string().optional().describe('For callers with full access, where the operator has set it.'),
    }),
  })
  .meta({
    id: 'Me',
    examples: [
      {
        member: MEMBER,
        org: {
          id: '01900000-0000-7000-8000-000000000002',
          name: 'Acme',
          language: 'en',
          timezone: 'Europe/Berlin',
        },
        orgs: 1,
        scopes: ['chat-sessions:read', 'chat-sessions:write'],
        expires_at: '2026-03-01T21:00:00.000Z',
        links: { help_center: 'https://api.example.com/help/01900000-0000-7000-8000-000000000002' },
      },
    ],
  });

export const OwnOrgs = z.object({
  items: z.array(
    z.object({ id: Id, name: z.string(), role: z.enum(ROLE_NAMES), is_current: z.boolean() }).meta({ id: 'OwnOrg' }),
  ),
  next: z.null(),
});

export const SwitchOrg = z
  .object({ org_id: Id })
  .meta({ id: 'SwitchOrg', examples: [{ org_id: '01900000-0000-7000-8000-000000000003' }] });

export const OwnSessionPath = z.object({ id: Id });
export const OwnSessions = z.object({
  items: z.array(
    z
      .object({
        id: Id,
        created_at: Timestamp,
        expires_at: Timestamp.describe('Moves away with each use, up to 30 days after the sign-in.'),
        is_current: z.boolean().describe('Whether the request came by it.'),
      })
      .meta({ id: 'OwnSession' }),
  ),
  next: z.null(),
});
