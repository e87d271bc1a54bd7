import type { Schemas } from '../../../api/client';

type ChipTone = 'plain' | 'warn' | 'bad' | 'good';

export const ENDPOINT_STATES: Record<Schemas['WebhookEndpoint']['state'], { name: string; tone: ChipTone }> = {
  healthy: { name: 'Healthy', tone: 'good' },
  failing: { name: 'Failing', tone: 'bad' },
  disabled: { name: 'Disabled', tone: 'warn' },
};

export const DISABLED_BECAUSE: Record<NonNullable<Schemas['WebhookEndpoint']['disabled_because']>, string> = {
  by_hand: 'It was switched off by hand.',
  gone: 'The endpoint answered that it is gone (410).',
  failing: 'It had failed for days.',
};

export const DELIVERY_STATES: Record<Schemas['WebhookDelivery']['status'], { name: string; tone: ChipTone }> = {
  pending: { name: 'Waits', tone: 'plain' },
  retrying: { name: 'Retrying', tone: 'warn' },
  delivered: { name: 'Delivered', tone: 'good' },
  failed: { name: 'Failed', tone: 'bad' },
  held: { name: 'Held', tone: 'warn' },
};

/** All events of webhooks. The type refuses an incomplete list. */
const EVENTS: Record<Schemas['WebhookEventType'], true> = {
  'conversation.started': true,
  'conversation.contact_response': true,
  'conversation.ai_response': true,
  'conversation.agent_response': true,
  'conversation.message_edited': true,
  'conversation.message_deleted': true,
  'conversation.handoff_to_human': true,
  'conversation.closed': true,
  'workflow.run.succeeded': true,
  'workflow.run.failed': true,
  'csat.requested': true,
  'csat.score_submitted': true,
  'contact.created': true,
  'contact.updated': true,
  'contact.deleted': true,
  'contact.merged': true,
  'delivery.sent': true,
  'delivery.delivered': true,
  'delivery.failed': true,
  'delivery.unknown': true,
  'sequence.completed': true,
  'sla.warning': true,
  'sla.breached': true,
  'insight.created': true,
  'insight.reopened': true,
  'insight.resolved': true,
  'ai.confirmation_requested': true,
  'ai.action_called': true,
  'ai.action_unknown': true,
  'ai.budget_warning': true,
  'ai.budget_exhausted': true,
  'knowledge.cited_page_changed': true,
  'crawl.finished': true,
  'webhook.disabled': true,
};
export const EVENT_TYPES = Object.keys(EVENTS) as Schemas['WebhookEventType'][];
