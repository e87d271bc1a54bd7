import type { EventType } from '../../outbox/events.ts';
import { contactCreated, contactDeleted, contactUpdated } from './contacts.ts';
import { messageCreated, ticketCreated, ticketHandoff } from './conversations.ts';
import type { Renderer } from './rendering.ts';
import type { WebhookEventType } from './schema.ts';

/** How each of our events becomes webhooks. Other events have none. */
export const RENDERERS = {
  'contact-created': contactCreated,
  'contact-updated': contactUpdated,
  'contact-deleted': contactDeleted,
  'ticket-created': ticketCreated,
  'ticket-handoff': ticketHandoff,
  'message-created': messageCreated,
} satisfies { [Type in EventType]?: Renderer<Type> };

export type RenderedEventType = keyof typeof RENDERERS;
export const RENDERED_EVENT_TYPES = Object.keys(RENDERERS) as RenderedEventType[];

/** Returns our events that become some of these webhooks. */
export const eventTypesFor = (types: readonly WebhookEventType[]): EventType[] =>
  RENDERED_EVENT_TYPES.filter((type) => RENDERERS[type].makes.some((made) => types.includes(made)));
