import { z } from 'zod';
import { Actor } from '../../schemas/actor.ts';
import { Cursor, Id, SessionChannel, Timestamp } from '../../schemas/parts.ts';
import { SessionStatus } from '../sessions/schema.ts';

export const Sender = z.enum(['contact', 'ai', 'human_agent', 'system']);
export type Sender = z.infer<typeof Sender>;

const Attachment = z
  .object({
    name: z.string(),
    url: z.string().describe('Valid for at least seven days: request the history again for a new one.'),
    mime_type: z.string(),
    size: z.int().describe('In bytes.'),
  })
  .meta({ id: 'Attachment' });

const Text = z.string().nullable().describe('null once it is redacted.');
const Content = z.object({ type: z.literal('text'), text: Text }).meta({ id: 'TextContent' });

const MessageCitation = z
  .object({ item_id: z.string(), title: z.string(), url: z.string().nullable(), quote: z.string().nullable() })
  .meta({ id: 'MessageCitation' });
export type MessageCitation = z.infer<typeof MessageCitation>;

export const MessageCall = z
  .object({
    id: z.string().describe('GET /autopilot/calls lists it.'),
    operation_id: z.string(),
    state: z.string().describe('As it was when the message was written.'),
  })
  .meta({ id: 'MessageCall' });
export type MessageCall = z.infer<typeof MessageCall>;

export const MessageConfirmation = z
  .object({
    id: z.string(),
    text: z.string(),
    fields: z.array(
      z.object({
        name: z.string(),
        value: z.string(),
        in: z.string().optional().describe('Of a form: the group of the argument, such as body_params.'),
      }),
    ),
    expires_at: z.iso.datetime(),
    form_action_id: z
      .string()
      .optional()
      .describe('The action of a form: the values of the form can replace the arguments.'),
  })
  .meta({ id: 'MessageConfirmation' });
export type MessageConfirmation = z.infer<typeof MessageConfirmation>;

/** An event of one of the session's SLA clocks. Events recorded late carry their actual time as `at`. */
const SLA_EVENT = {
  metric: z.enum(['first_reply', 'next_reply', 'resolution']),
  cycle: z.int().describe('Counts the next replies of a session from 1.'),
  policy_id: Id,
  target_seconds: z.int(),
  at: z.iso.datetime(),
};
const SLA_EVENTS = [
  z.object({ type: z.literal('sla_started'), ...SLA_EVENT }),
  z.object({ type: z.literal('sla_fulfilled'), ...SLA_EVENT }),
  z.object({ type: z.literal('sla_breached'), ...SLA_EVENT }),
  z.object({ type: z.literal('sla_paused'), ...SLA_EVENT }),
  z.object({ type: z.literal('sla_resumed'), ...SLA_EVENT }),
] as const;

const HistoryEvent = z
  .discriminatedUnion('type', [
    z.object({
      type: z.literal('message'),
      sender: z.object({ type: Sender }),
      sender_id: z.number().nullable(),
      sender_name: z.string().nullable(),
      sender_avatar_url: z.string().nullable(),
      reply_to: z
        .string()
        .optional()
        .describe('Of an e-mail: the address that its sender wants answers at. Answers of people go there.'),
      subject: z.string().optional().describe('Of an e-mail. Not there once it is redacted.'),
      cc: z.array(z.string()).optional().describe('Of an e-mail: who else has it. Answers of people go to them too.'),
      content: Content,
      attachments: z.array(Attachment),
      agent: z.string().optional().describe('Of a message of the AI: `extractive-1`, or the model.'),
      turn_id: z
        .string()
        .optional()
        .describe('Of a message of the AI: GET /autopilot/turns/{id} shows how it came about.'),
      citations: z
        .array(MessageCitation)
        .optional()
        .describe('Of a message of the AI: the sources it quotes, or points at.'),
      action_calls: z
        .array(MessageCall)
        .optional()
        .describe('Of a message of the AI: the calls of actions that it made, or tells about.'),
      confirmation: MessageConfirmation.optional().describe(
        'Of a message of the AI that asks for a confirmation of a call. Not there once it is redacted.',
      ),
      edited_at: z.iso
        .datetime()
        .optional()
        .describe('Of a contact’s message: when the contact last edited it. The text is the new one.'),
      deleted_at: z.iso
        .datetime()
        .optional()
        .describe('Of a contact’s message: when the contact deleted it. Agents still see the text, the AI does not.'),
      client_context: z
        .record(z.string(), z.unknown())
        .optional()
        .describe('What the contact’s client said about the visit. Not there once it is redacted.'),
    }),
    z.object({
      type: z.literal('workflow_message'),
      content: Content,
      workflow_run_id: z.string().nullable().describe('The run of the workflow that sent it. null: sent by the API.'),
    }),
    z.object({
      type: z.literal('sequence_message'),
      content: Content,
      sequence_id: z.string(),
    }),
    z.object({ type: z.literal('ai_resolved_issue'), closure: z.enum(['resolved', 'assumed_resolved']) }),
    z.object({ type: z.literal('handoff'), reason: z.string().nullable() }),
    z.object({
      type: z.literal('human_agent_comment'),
      content: Content,
      human_agent_id: z.number().nullable().describe('null for a note by an API key, or from another system.'),
      sender_name: z.string().optional().describe('The author, if it was written in another system, or by the AI.'),
      mentions: z.array(z.int()).optional().describe('The ids of the members that it mentions.'),
      is_draft: z.literal(true).optional().describe('A reply that the AI proposes, in Assist Mode.'),
      sent_as: Id.optional().describe('Of a draft that was sent to the contact: the message, or the draft’s own id.'),
    }),
    z.object({ type: z.literal('returned_to_ai') }),
    z.object({
      type: z.literal('ai_turn').describe('Only in live events: a turn of the AI began, continues, or has ended.'),
      id: z.string().describe('GET /autopilot/turns/{id} shows the turn.'),
      state: z.string().describe('`running`, or how it ended, as the turn’s own `state`.'),
      label: z.string().describe('What it does, for people who wait.'),
    }),
    z.object({
      type: z.literal('session_created').describe('Only in the live events of the org: a session was opened.'),
      channel: z.object({ type: SessionChannel }),
      ticket_number: z.int(),
    }),
    z.object({ type: z.literal('human_agent_joined'), assignee_id: z.number() }),
    z.object({ type: z.literal('human_agent_takeover'), sender_id: z.number().nullable() }),
    z.object({
      type: z.literal('assigned'),
      assignee_id: z.number().nullable(),
      team_id: z.string().nullable(),
    }),
    z.object({
      type: z.literal('status_changed'),
      from: SessionStatus,
      to: SessionStatus,
      custom_status_id: z.number().nullable(),
    }),
    z.object({
      type: z.literal('tag_added'),
      tag_name: z.string(),
      by: z.literal('ai').optional().describe('Of a tag that auto-tagging applied.'),
    }),
    z.object({ type: z.literal('tag_removed'), tag_name: z.string() }),
    ...SLA_EVENTS,
    z.object({ type: z.literal('redacted'), message_id: z.string().nullable().describe('null: the whole session.') }),
    z.object({
      type: z.literal('message_edited').describe('The contact edited a message: the history shows its new text.'),
      message_id: Id,
    }),
    z.object({ type: z.literal('message_deleted').describe('The contact deleted a message.'), message_id: Id }),
    z.object({
      type: z.literal('snoozed'),
      until: z.iso.datetime().nullable().describe('null: until the contact writes.'),
    }),
    z.object({ type: z.literal('snooze_ended'), because: z.enum(['due', 'reply', 'closed', 'canceled']) }),
    z.object({ type: z.literal('custom_data_changed'), keys: z.array(z.string()) }),
    z.object({ type: z.literal('csat_requested') }),
    z.object({ type: z.literal('csat_submitted'), score: z.int(), content: Text }),
    z.object({ type: z.literal('state_checkpoint'), payload: z.unknown().describe('As the widget gave it.') }),
  ])
  .meta({ id: 'HistoryEvent' });
export type EventType = z.infer<typeof HistoryEvent>['type'];
/** The types of all events of histories. */
export const EVENT_TYPES: ReadonlySet<string> = new Set(
  HistoryEvent.options.flatMap(({ shape }) => [...shape.type.values]),
);

export const HistoryItem = z
  .object({
    id: Id.describe('Of a message: the message’s id.'),
    created_at: Timestamp,
    actor: Actor.nullable().describe('Who caused it. null for items of earlier versions.'),
    redacted: z.literal(true).optional().describe('Its text or files were redacted.'),
    event: HistoryEvent,
  })
  .meta({ id: 'HistoryItem' });
export type HistoryItem = z.infer<typeof HistoryItem>;

export const ListHistory = z
  .object({
    order: z.enum(['asc', 'desc']).default('asc').describe('asc: oldest first. desc: newest first.'),
    cursor: Cursor.pipe(z.string().regex(/^[0-9]{1,9}$/, 'must be the `next` of an earlier page')).optional(),
    around: Id.optional().describe('The id of an item: the page has the items on both sides of it.'),
    limit: z.coerce.number().int().min(1).max(200).default(100),
  })
  .refine(({ cursor, around }) => cursor === undefined || around === undefined, {
    path: ['around'],
    message: 'cannot be given with cursor: continue from the page around an item with its `next` or `previous`',
  });
export type ListHistory = z.infer<typeof ListHistory>;

export const HistoryPage = z.object({
  items: z.array(HistoryItem),
  next: z.string().nullable(),
  previous: z
    .string()
    .nullable()
    .optional()
    .describe('Only of a page around an item: the `cursor` of the page on the other side, in the other order.'),
});
