import { z } from 'zod';
import { Timestamp } from '../../schemas/parts.ts';
import type { KeyScope } from '../../schemas/scopes.ts';
import { ItemRef } from '../parts.schema.ts';

/** What needs a person, the most urgent first, with the scope that may read it. */
export const ATTENTION_SCOPES = {
  confirmation_waiting: 'autopilot:read',
  assistant_call_waiting: 'autopilot:read',
  handoff_partial: 'chat-sessions:read',
  integration_failing: 'org:read',
  domain_broken: 'email:read',
  webhook_disabled: 'webhooks:read',
  sequence_paused: 'sequences:read',
  unknown_delivery: 'sequences:read',
  run_failed: 'workflows:read',
  workflow_constraint_error: 'workflows:read',
  workflow_schedule_error: 'workflows:read',
  held_removals: 'crawl:read',
  article_unhelpful: 'help-center:read',
  parked_event: 'org:read',
} as const satisfies Record<string, KeyScope>;

export type AttentionKind = keyof typeof ATTENTION_SCOPES;
const KINDS = Object.keys(ATTENTION_SCOPES) as [AttentionKind, ...AttentionKind[]];

const AttentionItem = z
  .object({
    kind: z.enum(KINDS),
    title: z.string().describe('The name of what it is about.'),
    detail: z.string().nullable().describe('Why, as far as it is known.'),
    since: Timestamp,
    count: z.int().describe('Counted to 1,000.'),
    ref: ItemRef.nullable().describe('null: several; the list of their kind has them.'),
  })
  .meta({ id: 'AttentionItem' });

export const Attention = z.object({ items: z.array(AttentionItem) });
