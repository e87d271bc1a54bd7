import { z } from 'zod';
import { Cursor, Id, Time, Timestamp } from '../schemas/parts.ts';

/** What is audited, by the names that the triggers write. */
const AUDIT_KINDS = [
  'action',
  'ai_settings',
  'ai_tool',
  'api_key',
  'autopilot',
  'blocked_contact',
  'blocked_domain',
  'contact',
  'email_domain',
  'email_inbox',
  'export',
  'help_center',
  'help_center_article',
  'help_center_category',
  'integration',
  'mcp_server',
  'member',
  'office_hours',
  'org',
  'phone_agent',
  'phone_number',
  'redaction',
  'saved_reply',
  'sequence',
  'sign_in',
  'sla_policy',
  'suppression',
  'tag',
  'tag_category',
  'tag_settings',
  'team',
  'training',
  'training_directory',
  'view',
  'webhook',
  'website',
  'widget',
  'workflow',
] as const;

const AuditKind = z.enum(AUDIT_KINDS);
export type AuditKind = z.infer<typeof AuditKind>;

const ActorKind = z.enum(['member', 'key', 'partner', 'operator', 'workflow', 'ai', 'contact', 'system']);
export type AuditActorKind = z.infer<typeof ActorKind>;

const AuditAction = z.enum(['created', 'changed', 'deleted']);
export type AuditAction = z.infer<typeof AuditAction>;

const Ref = z.string().min(1).max(600);

export const ListAudit = z.object({
  actor: z.string().min(1).max(100).optional().describe('The `id` of an actor.'),
  kind: AuditKind.optional(),
  ref: Ref.optional(),
  from: Time.optional(),
  to: Time.optional(),
  cursor: Cursor.optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
});
export type ListAudit = z.infer<typeof ListAudit>;

const AuditEntry = z
  .object({
    id: Id,
    at: Timestamp,
    actor: z.object({
      kind: ActorKind,
      id: z.string().nullable(),
      name: z.string().nullable(),
    }),
    kind: AuditKind,
    ref: Ref.describe('The id of what was changed; of an integration its kind and name.'),
    name: z.string().nullable(),
    action: AuditAction,
    changes: z
      .array(z.object({ field: z.string(), old: z.unknown().optional(), new: z.unknown().optional() }))
      .describe('Without values where a field holds a secret, a text or more than 500 characters.'),
  })
  .meta({ id: 'AuditEntry' });

export const AuditPage = z.object({ items: z.array(AuditEntry), next: z.string().nullable() });
