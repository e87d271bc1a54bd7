import { z } from 'zod';
import { Call } from '../../ai/calls/schema.ts';
import { RunSummary } from '../../automations/runs/schema.ts';
import { keysOf } from '../../collections/checked-access.ts';
import { Contact } from '../../contacts/schema.ts';
import { HistoryItem } from '../../conversations/history/events.schema.ts';
import { HandoffAnswer, Session } from '../../conversations/sessions/schema.ts';
import { CrawlJob } from '../../crawl/jobs/schema.ts';
import { CsatScore } from '../../csat/schema.ts';
import { Delivery } from '../../deliveries/ledger/schema.ts';
import { Insight } from '../../insights/schema.ts';
import { Id } from '../../schemas/parts.ts';
import { Sequence } from '../../sequences/schema.ts';
import { SlaPolicy } from '../../sla/policies/schema.ts';

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

const aboutRun = (title: string) => define(title, { run: RunSummary }, { run_id: Id, workflow_id: Id });
const aboutDelivery = (title: string) =>
  define(title, { delivery: Delivery }, { delivery_id: Id, contact_id: Id.nullable() });

const clockFields = {
  metric: z.enum(['first_reply', 'next_reply', 'resolution']),
  cycle: z.int().describe('Counts the next replies of a session from 1.'),
  due_at: z.iso.datetime().nullable(),
};
const aboutClock = (title: string) =>
  aboutSession(
    title,
    { ...clockFields, policy: SlaPolicy.nullable().describe('null if it was deleted.') },
    { ...clockFields, policy_id: Id },
  );
const aboutCall = (title: string) => aboutSession(title, { call: Call }, { call_id: Id });

const aboutOccurrence = (title: string) => {
  const session_id = Id.describe('The session in which it occurred.');
  return define(title, { insight: Insight, session_id }, { insight_id: Id, session_id });
};

const amounts = z.object({ tokens: z.number(), cost: z.number() });
const budgetFields = {
  budget: z.enum(['day', 'month']),
  period: z.iso.date().describe('Its first day, by UTC.'),
  spent: amounts,
  allowance: z.object({ tokens: z.number().nullable(), cost: z.number().nullable() }),
};
const aboutBudget = (title: string) => define(title, budgetFields, budgetFields);
const DisabledBecause = z.enum(['gone', 'failing']);

/** All types of webhooks: they type what is rendered, and describe it in the OpenAPI document. */
export const WEBHOOK_EVENTS = {
  'conversation.started': aboutSession('A session was opened', {}, {}),
  'conversation.contact_response': aboutMessage('The contact wrote a message'),
  'conversation.ai_response': aboutMessage('The AI wrote a message'),
  'conversation.agent_response': aboutMessage('An agent wrote a message'),
  'conversation.message_edited': aboutMessage('The contact edited a message: it has the new text'),
  'conversation.message_deleted': aboutMessage('The contact deleted a message: agents still see its text'),
  'conversation.handoff_to_human': aboutSession(
    'A session was handed off to people',
    { handoff: HandoffAnswer.nullable() },
    {},
  ),
  'conversation.closed': aboutSession('A session was closed', {}, {}),
  'workflow.run.succeeded': aboutRun('A run of a workflow has completed'),
  'workflow.run.failed': aboutRun('A run of a workflow has failed'),
  'csat.requested': aboutSession('The contact was asked for a score', {}, {}),
  'csat.score_submitted': aboutSession(
    'The contact has given a score',
    { score: CsatScore.nullable() },
    { score_id: Id },
  ),
  'contact.created': define('A contact was saved for the first time', { contact: Contact }, { contact_id: Id }),
  'contact.updated': define('A contact was changed', { contact: Contact }, { contact_id: Id }),
  'contact.deleted': define('A contact was deleted', { contact_id: Id }, { contact_id: Id }),
  'contact.merged': define(
    'A contact was merged into another one',
    { contact: Contact, absorbed_id: Id },
    { contact_id: Id, absorbed_id: Id },
  ),
  'delivery.sent': aboutDelivery('A message was sent'),
  'delivery.delivered': aboutDelivery('A message has reached its recipient'),
  'delivery.failed': aboutDelivery('A message could not be sent, or came back'),
  'delivery.unknown': aboutDelivery('It is not known whether a message was sent'),
  'sequence.completed': define(
    'A contact’s last step of a sequence is done',
    { sequence: Sequence, contact: Contact },
    { sequence_id: Id, contact_id: Id },
  ),
  'sla.warning': aboutClock('80 % of the time of an SLA target have passed'),
  'sla.breached': aboutClock('The time of an SLA target is over'),
  'insight.created': aboutOccurrence('Something was said that no insight is like'),
  'insight.reopened': aboutOccurrence('A resolved insight has occurred again'),
  'insight.resolved': define('Somebody has resolved an insight', { insight: Insight }, { insight_id: Id }),
  'ai.confirmation_requested': aboutCall('A call of the AI waits for a confirmation'),
  'ai.action_called': aboutCall('The AI has called an action: it is done, or has failed'),
  'ai.action_unknown': aboutCall('It is not known whether a call of the AI was done'),
  'ai.budget_warning': aboutBudget('The AI’s models have used 80 % of a budget'),
  'ai.budget_exhausted': aboutBudget('A call of a model did not fit a budget any more'),
  'knowledge.cited_page_changed': define(
    'A page that answers of the AI cite has changed, or is gone',
    {
      item_id: z.string(),
      page_url: z.string().nullable(),
      turns: z.int().describe('The number of answers that cite it.'),
    },
    { item_id: z.string() },
  ),
  'crawl.finished': define('A crawl of a website has ended', { crawl: CrawlJob }, { crawl_id: Id, datasource_id: Id }),
  'webhook.disabled': define(
    'Another webhook endpoint was disabled because of its answers',
    { endpoint_id: Id, because: DisabledBecause },
    { endpoint_id: Id, because: DisabledBecause },
  ),
  'webhook.test': define('POST /webhooks/{id}/test was called', { endpoint_id: Id }, { endpoint_id: Id }),
} as const satisfies Record<string, WebhookEvent>;

export type WebhookEventType = keyof typeof WEBHOOK_EVENTS;
export const WEBHOOK_EVENT_TYPES = keysOf(WEBHOOK_EVENTS);

/** The types that an endpoint can ask for. A test goes to its endpoint in any case. */
export const EndpointEventType = z
  .enum(WEBHOOK_EVENT_TYPES.filter((type) => type !== 'webhook.test'))
  .meta({ id: 'WebhookEventType' });

/** The `data` of a webhook, as JSON has it. */
export type FullData<Type extends WebhookEventType> = z.input<(typeof WEBHOOK_EVENTS)[Type]['full']>;
export type ThinData<Type extends WebhookEventType> = z.input<(typeof WEBHOOK_EVENTS)[Type]['thin']>;

/** Returns the name of a body in the OpenAPI document, such as WebhookContactCreated. */
export const bodyNameOf = (type: WebhookEventType): string =>
  `Webhook${type.replace(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase())}`;

const bodySchemaOf = (type: WebhookEventType) => {
  const { full, thin } = WEBHOOK_EVENTS[type];
  const name = bodyNameOf(type);
  return z
    .object({
      type: z.literal(type),
      timestamp: z.iso.datetime().describe('When it happened.'),
      organization_id: Id,
      sequence: z
        .int()
        .optional()
        .describe('Counts the webhooks of a session to this endpoint, from 1. Only of webhooks about a session.'),
      data: z.union([full.meta({ id: `${name}Full` }), thin.meta({ id: `${name}Thin` })]),
    })
    .meta({ id: name });
};

/** The whole bodies by type. */
export const WEBHOOK_BODIES = new Map(WEBHOOK_EVENT_TYPES.map((type) => [type, bodySchemaOf(type)]));
