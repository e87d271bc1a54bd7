import { z } from 'zod';
import { Contact } from '../../contacts/schema.ts';
import { HistoryItem } from '../../conversations/history/events.schema.ts';
import { HandoffAnswer, Session } from '../../conversations/sessions/schema.ts';
import { Id } from '../../http/schemas.ts';

/** A type of webhook: what it tells, and the shapes of its `data`. */
export interface WebhookEvent {
  title: string;
  full: z.ZodObject;
  thin: z.ZodObject;
}

const url = z.string().describe('Where the API shows the object.');

const define = <Full extends z.ZodRawShape, Ids extends z.ZodRawShape>(title: string, full: Full, ids: Ids) => ({
  title,
  full: z.object(full),
  thin: z.object({ ...ids, url }),
});

/** Sessions of anonymous visitors have no contact. */
const sessionFields = { session: Session, contact: Contact.nullable() };
const sessionIds = { session_id: Id, contact_id: Id.nullable() };
const aboutSession = <Full extends z.ZodRawShape, Ids extends z.ZodRawShape>(title: string, full: Full, ids: Ids) =>
  define(title, { ...sessionFields, ...full }, { ...sessionIds, ...ids });
const aboutMessage = (title: string) =>
  aboutSession(title, { message: HistoryItem.nullable().describe('null if it was deleted.') }, { message_id: Id });

/** All types of webhooks: they type what is rendered, and describe it in the OpenAPI document. */
export const WEBHOOK_EVENTS = {
  'conversation.started': aboutSession('A session was opened', {}, {}),
  'conversation.contact_response': aboutMessage('The contact wrote a message'),
  'conversation.ai_response': aboutMessage('The AI wrote a message'),
  'conversation.agent_response': aboutMessage('An agent wrote a message'),
  'conversation.handoff_to_human': aboutSession(
    'A session was handed off to people',
    { handoff: HandoffAnswer.nullable() },
    {},
  ),
  'contact.created': define('A contact was saved for the first time', { contact: Contact }, { contact_id: Id }),
  'contact.updated': define('A contact was changed', { contact: Contact }, { contact_id: Id }),
  'contact.deleted': define('A contact was deleted', { contact_id: Id }, { contact_id: Id }),
  'webhook.test': define('POST /webhooks/{id}/test was called', { endpoint_id: Id }, { endpoint_id: Id }),
} as const satisfies Record<string, WebhookEvent>;

export type WebhookEventType = keyof typeof WEBHOOK_EVENTS;
export const WEBHOOK_EVENT_TYPES = Object.keys(WEBHOOK_EVENTS) as WebhookEventType[];

/** The types that an endpoint can ask for. A test goes to its endpoint in any case. */
export const EndpointEventType = z
  .enum(WEBHOOK_EVENT_TYPES.filter((type) => type !== 'webhook.test'))
  .meta({ id: 'WebhookEventType' });

/** The `data` of a webhook, as JSON has it. */
export type FullData<Type extends WebhookEventType> = z.input<(typeof WEBHOOK_EVENTS)[Type]['full']>;
export type ThinData<Type extends WebhookEventType> = z.input<(typeof WEBHOOK_EVENTS)[Type]['thin']>;

/** Returns the schema of a whole body. */
export const bodySchemaOf = (type: WebhookEventType) => {
  const { full, thin } = WEBHOOK_EVENTS[type];
  return z.object({
    type: z.literal(type),
    timestamp: z.iso.datetime().describe('When it happened.'),
    organization_id: Id,
    sequence: z
      .int()
      .optional()
      .describe('Counts the webhooks of a session to this endpoint, from 1. Only of webhooks about a session.'),
    data: z.union([full, thin]),
  });
};
