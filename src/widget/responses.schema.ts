import { z } from 'zod';
import { CALL_STATES } from '../ai/calls/states.rules.ts';
import { MessageConfirmation } from '../conversations/history/events.schema.ts';
import { AutopilotResponse } from '../conversations/messages/answers.schema.ts';
import { Id, SessionChannel, Timestamp } from '../schemas/parts.ts';
import { WidgetAi, WidgetAppearance, WidgetCollect } from './settings.schema.ts';

/** The body of successful responses without further content. */
export const Success = z.object({ success: z.literal(true) });

export const WidgetConfig = z.object({
  org: z.object({ id: Id, name: z.string() }),
  sessionsPollingIntervalSeconds: z.number(),
  sessionPollingIntervalSeconds: z.number(),
  modes: z.array(z.unknown()),
  appearance: WidgetAppearance,
  collect: WidgetCollect,
  hours: z.object({ open: z.boolean(), next_open_at: Timestamp.nullable() }).nullable(),
  csat: z.boolean(),
  ai: WidgetAi.nullable(),
  files: z.object({ types: z.array(z.string()), max_bytes: z.int() }).nullable(),
  quick_replies: z.array(z.string()),
  languages: z.array(z.string()).nullable(),
});

export const VisitorToken = z.object({ token: z.string() });

export const WidgetSession = z.object({
  id: Id,
  ticketNumber: z.int(),
  title: z.string().nullable(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  isHandedOff: z.boolean(),
  isOpened: z.boolean(),
  assignee: z.object({
    kind: z.enum(['human', 'ai', 'none']),
    name: z.string().nullable(),
    avatarUrl: z.string().nullable(),
  }),
  channel: SessionChannel,
  isVerified: z.boolean(),
  lastMessage: z.string().nullable(),
  modeId: z.string().nullable(),
  latestStateCheckpointPayload: z.unknown(),
  sessionAttributes: z.record(z.string(), z.string()),
  unread: z.int().describe('Messages for the visitor behind the last one that they have read or written, 100 at most.'),
});

export const WidgetSessionPage = z.object({ items: z.array(WidgetSession), next: z.string().nullable() });

const WidgetAttachment = z.object({
  id: Id,
  name: z.string(),
  type: z.string(),
  size: z.number(),
  url: z.string(),
});

export const WidgetHistory = z.object({
  publicId: Id,
  type: z.enum(['message', 'system']),
  content: z.object({ text: z.string() }),
  sender: z.object({
    kind: z.enum(['user', 'agent', 'ai', 'system', 'unknown']),
    name: z.string().optional(),
    avatar: z.string().optional(),
  }),
  sentAt: Timestamp,
  attachments: z.array(WidgetAttachment).optional(),
  actionCalls: z
    .array(
      z.object({
        operationId: z.string(),
        state: z.string(),
        actionName: z.string().describe('As clients of the original call the operation: they fail without it.'),
        args: z.null().describe('Internal: not shown to visitors.'),
        result: z.null().describe('Internal: not shown to visitors.'),
      }),
    )
    .optional()
    .describe('Of a message of the AI: the calls of actions that it made, or tells about.'),
  citations: z
    .array(z.object({ title: z.string(), url: z.string().nullable(), quote: z.string().nullable() }))
    .optional()
    .describe('Of a message of the AI: the sources it quotes, or points at.'),
  confirmation: MessageConfirmation.optional(),
  systemMessagePayload: z.object({
    type: z.enum(['none', 'csat_requested', 'csat_submitted', 'state_checkpoint']),
    payload: z.unknown().optional(),
  }),
});
export type WidgetHistory = z.output<typeof WidgetHistory>;

export const PolledWidgetSession = z.object({
  session: WidgetSession,
  history: z.array(WidgetHistory),
  activity: z.object({
    agent_typing: z.boolean().describe('Whether a person types an answer.'),
    ai_label: z.string().nullable(),
  }),
  state: z.string().describe('Of the session and the activity: another one means that something changed.'),
});

export const SentWidgetMessage = z.object({
  success: z.literal(true),
  code: z.string().optional(),
  autopilotResponse: AutopilotResponse.optional(),
  sessionIsHandedOff: z.boolean(),
  session: WidgetSession,
});

export const UploadedWidgetFile = z.object({ fileName: z.string(), fileUrl: z.string() });

export const VoteResult = z.object({ messagePublicId: Id, success: z.literal(true) });

/** `needs_confirmation` with `needs: agent`: the changed arguments are beyond what a customer may confirm. */
export const DecidedConfirmation = z.object({
  success: z.literal(true),
  state: z.enum(CALL_STATES),
  needs: z.enum(['customer', 'agent']).nullable(),
});

/** What the action of a form has answered: JSON, or text. */
export const ExecutedAction = z.object({ action: z.object({ response: z.unknown() }) });
