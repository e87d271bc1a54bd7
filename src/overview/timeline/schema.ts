import { z } from 'zod';
import { Cursor, Id, Timestamp } from '../../schemas/parts.ts';
import type { KeyScope } from '../../schemas/scopes.ts';
import { ItemRef, kindsOf } from '../parts.schema.ts';

/** The kinds of a timeline, each with the scope that may read it. */
export const TIMELINE_SCOPES = {
  session: 'chat-sessions:read',
  delivery: 'sequences:read',
  enrollment: 'sequences:read',
  run: 'workflows:read',
  csat: 'csat:read',
  suppression: 'contacts:read',
} as const satisfies Record<string, KeyScope>;

export type TimelineKind = keyof typeof TIMELINE_SCOPES;
const KINDS = Object.keys(TIMELINE_SCOPES) as [TimelineKind, ...TimelineKind[]];

export const ListTimeline = z.object({
  kinds: kindsOf(KINDS),
  cursor: Cursor.optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
});
export type ListTimeline = z.infer<typeof ListTimeline>;

const TimelineItem = z
  .object({
    id: Id,
    at: Timestamp,
    kind: z.enum(KINDS),
    title: z.string(),
    status: z.string().nullable().describe('The status of its kind, the reason of a suppression, or the score.'),
    ref: ItemRef.describe('An enrollment leads to its sequence, a score to its session.'),
  })
  .meta({ id: 'TimelineItem' });

export const Timeline = z.object({ items: z.array(TimelineItem), next: z.string().nullable() });
