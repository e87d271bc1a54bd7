import { z } from 'zod';
import { Id, Timestamp } from '../../schemas/parts.ts';
import { InboxFilters } from './schema.ts';

const MAX_NAME = 100;
const MAX_POSITION = 1_000_000;

const ViewName = z
  .string()
  .min(1)
  .max(MAX_NAME)
  .trim()
  .refine((name) => name !== '', 'must not be blank');

const fields = {
  name: ViewName,
  query: InboxFilters,
  shared: z.enum(['me', 'team', 'org']).describe('Who sees it: the member who is signed in, a team, or everybody.'),
  team_id: Id.nullable().describe('The team that it is shared with. null unless `shared` is team.'),
  position: z.int().min(0).max(MAX_POSITION).describe('Views are listed by it.'),
};

export const CreateView = z
  .object({ ...fields, team_id: fields.team_id.default(null), position: fields.position.default(0) })
  .refine(({ shared, team_id }) => (shared === 'team') === (team_id !== null), {
    path: ['team_id'],
    message: 'must be given where `shared` is team, and only there',
  })
  .meta({
    id: 'CreateInboxView',
    examples: [{ name: 'VIP, unassigned', query: { status: 'open', tag: 'vip', assignee: 'none' }, shared: 'org' }],
  });
export type CreateView = z.infer<typeof CreateView>;

export const UpdateView = z
  .object(fields)
  .partial()
  .meta({ id: 'UpdateInboxView', examples: [{ name: 'VIP', position: 3 }] });
export type UpdateView = z.infer<typeof UpdateView>;

export const ViewPath = z.object({ id: Id });

export const View = z
  .object({
    id: z.string().describe('The `view` of GET /inbox.'),
    name: z.string(),
    query: InboxFilters,
    shared: fields.shared,
    team_id: Id.nullable(),
    position: z.int(),
    is_built_in: z.boolean().describe('Whether every org has it. It cannot be changed.'),
    is_own: z.boolean().describe('Whether the calling member made it. false for an API key.'),
    can_edit: z.boolean().describe('Whether the caller may change and delete it.'),
    created_at: Timestamp.nullable(),
    updated_at: Timestamp.nullable(),
  })
  .meta({ id: 'InboxView' });

export const Views = z.object({ items: z.array(View), next: z.null() });
