import { z } from 'zod';
import { MemberRef } from '../../orgs/schema.ts';
import { Cursor, Id, Name, Timestamp } from '../../schemas/parts.ts';

const MAX_DESCRIPTION_LENGTH = 2000;
/** Our own ids have 36 characters. */
const MAX_ID_LENGTH = 64;

const AssignmentStrategy = z
  .enum(['least-busy', 'round-robin', 'unassigned'])
  .describe(
    'How a session is assigned within the team: to the member with the fewest open sessions, to each member in turn, or not automatically.',
  );
export type AssignmentStrategy = z.infer<typeof AssignmentStrategy>;

/** For changes as well. A change replaces everything: an absent field gets its default. */
export const SaveTeam = z
  .object({
    name: Name,
    description: z.string().max(MAX_DESCRIPTION_LENGTH).nullable().default(null),
    is_support_enabled: z.boolean().default(false).describe('Whether sessions can be handed to the team.'),
    support_office_hours_id: z
      .uuid('must be the id of office hours: GET /office-hours lists them')
      .nullable()
      .default(null)
      .describe('When the team works. null: always.'),
    support_assignment_strategy: AssignmentStrategy.default('unassigned'),
  })
  .meta({
    id: 'SaveTeam',
    examples: [
      { name: 'Billing', description: 'Invoices and refunds', support_assignment_strategy: 'round-robin' },
      { name: 'Support', is_support_enabled: true, support_office_hours_id: null },
    ],
  });
export type SaveTeam = z.infer<typeof SaveTeam>;

export const AddUserToTeam = z
  .object({
    userId: z.int().min(1).describe('The id of a member of the org.'),
    groupId: z.string().max(MAX_ID_LENGTH).optional().describe('The team of the path, if given.'),
  })
  .meta({ id: 'AddUserToTeam', examples: [{ userId: 1 }] });

export const TeamPath = z.object({ id: Id });
export const TeamMemberPath = z.object({ id: Id, userId: MemberRef.shape.id });

export const ListTeams = z.object({
  cursor: Cursor.optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
});
export type ListTeams = z.infer<typeof ListTeams>;

const TeamMember = z
  .object({
    id: z.int(),
    email: z.string(),
    name: z.string(),
    available: z.boolean().describe('Whether conversations may be assigned to the member.'),
  })
  .meta({ id: 'TeamMember' });

export const Team = z
  .object({
    id: Id,
    name: z.string(),
    description: z.string().nullable(),
    is_support_enabled: z.boolean(),
    support_office_hours_id: Id.nullable(),
    support_assignment_strategy: AssignmentStrategy,
    members: z.array(TeamMember).describe('By id.'),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'Team' });

export const TeamPage = z.object({ items: z.array(Team), next: z.string().nullable() });
