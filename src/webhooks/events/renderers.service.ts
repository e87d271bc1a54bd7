import { keysOf } from '../../collections/checked-access.ts';
import type { EventType } from '../../outbox/events.ts';
import { contactCreated, contactDeleted, contactMerged, contactUpdated } from './contacts.ts';
import { messageChanged, messageCreated, ticketCreated, ticketHandoff } from './conversations.ts';
import { insightCreated, insightReopened, insightResolved } from './insights.ts';
import type { Renderer } from './rendering.ts';
import type { WebhookEventType } from './schema.ts';
import { callChanged, clockReached, csatRequested, scoreSubmitted, ticketClosed } from './sessions.ts';
import {
  budgetReached,
  citedPageChanged,
  crawlFinished,
  deliveryChanged,
  runEnded,
  sequenceCompleted,
  webhookDisabled,
} from './work.ts';

/** How each of our events becomes webhooks. Other events have none. */
export const RENDERERS = {
  'contact-created': contactCreated,
  'contact-updated': contactUpdated,
  'contact-deleted': contactDeleted,
  'contact-merged': contactMerged,
  'ticket-created': ticketCreated,
  'ticket-handoff': ticketHandoff,
  'ticket-closed': ticketClosed,
  'message-created': messageCreated,
  'message-changed': messageChanged,
  'csat-requested': csatRequested,
  'csat-score-submit': scoreSubmitted,
  'sla-first-reply-warning': clockReached('sla.warning', 'first_reply'),
  'sla-next-reply-warning': clockReached('sla.warning', 'next_reply'),
  'sla-resolution-warning': clockReached('sla.warning', 'resolution'),
  'sla-first-reply-breached': clockReached('sla.breached', 'first_reply'),
  'sla-next-reply-breached': clockReached('sla.breached', 'next_reply'),
  'sla-resolution-breached': clockReached('sla.breached', 'resolution'),
  'insight-created': insightCreated,
  'insight-reopened': insightReopened,
  'insight-resolved': insightResolved,
  'ai-call-changed': callChanged,
  'ai-budget-reached': budgetReached,
  'cited-page-changed': citedPageChanged,
  'workflow-run-ended': runEnded,
  'delivery-changed': deliveryChanged,
  'sequence-completed': sequenceCompleted,
  'crawl-finished': crawlFinished,
  'webhook-disabled': webhookDisabled,
} satisfies { [Type in EventType]?: Renderer<Type> };

export type RenderedEventType = keyof typeof RENDERERS;
export const RENDERED_EVENT_TYPES = keysOf(RENDERERS);

/** Returns our events that become some of these webhooks. */
export const eventTypesFor = (types: readonly WebhookEventType[]): EventType[] =>
  RENDERED_EVENT_TYPES.filter((type) => RENDERERS[type].makes.some((made) => types.includes(made)));
