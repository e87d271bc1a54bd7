import { z } from 'zod';
import { Id, Name, Timestamp } from '../http/schemas.ts';

/** The built-in roles of every org, strongest first. */
export const ROLE_NAMES = ['admin', 'agent', 'viewer'] as const;
export type RoleName = (typeof ROLE_NAMES)[number];

export const UpdateOrg = z
  .object({ name: Name.optional() })
  .meta({ id: 'UpdateOrganization', examples: [{ name: 'Acme Tours' }] });

export const Org = z
  .object({ id: Id, name: z.string(), created_at: Timestamp, updated_at: Timestamp })
  .meta({ id: 'Organization' });

const RoleName = z.enum(ROLE_NAMES);

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
