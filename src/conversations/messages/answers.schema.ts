import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { waitMsOf } from '../../http/prefer.ts';
import { Id } from '../../http/schemas.ts';

/** What the AI says in reply to a contact's message. */
export const AutopilotResponse = z
  .object({
    type: z.literal('text'),
    value: z.object({ error: z.literal(false), content: z.string().describe('As Markdown.') }),
    id: Id.describe('The id of the AI’s message.'),
    mightSolveUserIssue: z.boolean(),
    completelyAndFullyCoveredUserIssue: z.boolean(),
    citations: z.array(
      z.object({
        item_id: Id,
        title: z.string(),
        url: z.string().nullable(),
        quote: z.string().nullable().describe('Unchanged from the item. null: the item is only pointed at.'),
      }),
    ),
  })
  .meta({ id: 'AutopilotResponse' });

const DEFAULT_WAIT_MS = 15_000;
const MAX_WAIT_MS = 25_000;

/**
 * Returns how long a contact's message waits for the AI's answer: at most `maxWaitMs`, or as the client prefers by
 * `Prefer: wait=n`, at most 25 s.
 */
export const answerWaitMs = (headers: IncomingHttpHeaders, maxWaitMs: number): number =>
  waitMsOf(headers, { defaultMs: Math.min(DEFAULT_WAIT_MS, maxWaitMs), mostMs: MAX_WAIT_MS });
