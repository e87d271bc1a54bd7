import { z } from 'zod';
import { FullFilter } from '../../contacts/filters/schema.ts';
import { Cursor, Id, Name, SessionChannel, Timestamp } from '../../schemas/parts.ts';

const MIN_REPLY_SECONDS = 60;
const MIN_RESOLUTION_SECONDS = 300;
/** Some 68 years, the largest value of the column. */
const MAX_TARGET_SECONDS = 2_147_483_647;
const MAX_LIST_LENGTH = 100;

const target = (least: number, what: string) =>
  z.int().min(least).max(MAX_TARGET_SECONDS).nullable().describe(`${what} null: no target.`);

const POLICY = {
  office_hours_id: z
    .uuid('must be the id of office hours: GET /office-hours lists them')
    .nullable()
    .describe('Only time within them counts. null: all time counts.'),
  first_reply_target_seconds: target(
    MIN_REPLY_SECONDS,
    'From the contact’s first message, or the handoff if that is earlier, to the first message of a human agent.',
  ),
  next_reply_target_seconds: target(
    MIN_REPLY_SECONDS,
    'From a contact’s first message after one of a human agent to the next message of a human agent.',
  ),
  resolution_target_seconds: target(
    MIN_RESOLUTION_SECONDS,
    'From the session’s creation until it is closed, without the time in which it waits on the customer. A reopened one continues; what came before a closing counts only under a policy that it had then.',
  ),
};

export const CreateSlaPolicy = z
  .object({
    name: Name,
    office_hours_id: POLICY.office_hours_id.default(null),
    first_reply_target_seconds: POLICY.first_reply_target_seconds.default(null),
    next_reply_target_seconds: POLICY.next_reply_target_seconds.default(null),
    resolution_target_seconds: POLICY.resolution_target_seconds.default(null),
  })
  .describe('Without a target, sessions under the policy have no clocks.')
  .meta({
    id: 'CreateSlaPolicy',
    examples: [
      { name: 'Standard', first_reply_target_seconds: 3_600, next_reply_target_seconds: 14_400 },
      { name: 'Gold', office_hours_id: null, first_reply_target_seconds: 300, resolution_target_seconds: 86_400 },
    ],
  });
export type CreateSlaPolicy = z.infer<typeof CreateSlaPolicy>;

export const UpdateSlaPolicy = z
  .object({
    name: Name.optional(),
    office_hours_id: POLICY.office_hours_id.optional(),
    first_reply_target_seconds: POLICY.first_reply_target_seconds.optional(),
    next_reply_target_seconds: POLICY.next_reply_target_seconds.optional(),
    resolution_target_seconds: POLICY.resolution_target_seconds.optional(),
  })
  .describe('An absent field stays unchanged. The clocks of open sessions are computed again.')
  .meta({ id: 'UpdateSlaPolicy', examples: [{ first_reply_target_seconds: 1_800 }, { name: 'Silver' }] });
export type UpdateSlaPolicy = z.infer<typeof UpdateSlaPolicy>;

const anyOf = <Item extends z.ZodType>(item: Item, what: string) =>
  z.array(item).max(MAX_LIST_LENGTH).nullable().default(null).describe(`${what} null or empty: any.`);

export const SlaAssignment = z
  .object({
    teams: anyOf(
      z.uuid('must be the id of a team: GET /teams lists them').toLowerCase(),
      'Sessions of one of these teams, by id.',
    ),
    channels: anyOf(SessionChannel, 'Sessions on one of these channels.'),
    tags: anyOf(z.string().min(1).max(100), 'Sessions with at least one of these tags, by name.'),
    filter: FullFilter.nullable()
      .default(null)
      .describe(
        'Sessions with a matching contact. null: any contact, or none. It is evaluated when a session is opened, reopened, assigned or tagged, and when data of the session or its contact, or a segment, changes. What sequences, messages and the time change counts from the next of these on.',
      ),
  })
  .describe(
    'The sessions covered by the policy: those that meet every given condition, or all if none is given. If several policies cover a ' +
      'session, the oldest one applies. Policies without an assignment apply to no session.',
  )
  .meta({
    id: 'SlaAssignment',
    examples: [{ teams: null, channels: ['web', 'api'], tags: null, filter: null }, { tags: ['refund'] }, {}],
  });
export type SlaAssignment = z.infer<typeof SlaAssignment>;

export const SlaPolicyPath = z.object({ id: Id });

export const ListSlaPolicies = z.object({
  cursor: Cursor.optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
});
export type ListSlaPolicies = z.infer<typeof ListSlaPolicies>;

export const SlaPolicy = z
  .object({
    id: Id,
    name: z.string(),
    office_hours_id: Id.nullable(),
    first_reply_target_seconds: z.int().nullable(),
    next_reply_target_seconds: z.int().nullable(),
    resolution_target_seconds: z.int().nullable(),
    assignment: SlaAssignment.nullable().describe('null: none was ever set. The policy applies to no session.'),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'SlaPolicy' });

export const SlaPolicyPage = z.object({ items: z.array(SlaPolicy), next: z.string().nullable() });
