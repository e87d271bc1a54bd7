import type { Trx } from '../../db/connect.ts';
import { idOf } from '../../ids.ts';
import type { MediaLinks } from '../../media/links.ts';
import type { ClaimedEvent } from '../../outbox/claim.ts';
import type { EventType } from '../../outbox/events.ts';
import type { FullData, ThinData, WebhookEventType } from './schema.ts';

/** What rendering needs. */
export interface RenderingDeps {
  /** The public address of the API. */
  publicUrl: string;
  mediaLinks: MediaLinks;
}

/** A webhook of one type, in both forms. */
export interface RenderedOf<Type extends WebhookEventType> {
  type: Type;
  /** The same for the same event, whatever is rendered again. */
  eventId: string;
  occurredAt: Date;
  /** Where the event is among those of its time. */
  place: number;
  sessionId: string | null;
  full: FullData<Type>;
  thin: ThinData<Type>;
}
export type Rendered = { [Type in WebhookEventType]: RenderedOf<Type> }[WebhookEventType];

/** Where things of an org are read while its events are rendered. */
export interface Place extends RenderingDeps {
  trx: Trx;
  orgId: string;
}

/** Renders events of one type. Those without a webhook, or of deleted subjects, are left out. */
export interface Renderer<Type extends EventType> {
  /** The types of webhooks it can make. */
  makes: readonly WebhookEventType[];
  render: (place: Place, events: ClaimedEvent<Type>[]) => Promise<Rendered[]>;
}

/** Returns the id of an event for receivers. `part` tells several webhooks of one event apart. */
const eventIdOf = ({ org_id, id }: Pick<ClaimedEvent<EventType>, 'org_id' | 'id'>, part = ''): string =>
  idOf(org_id, 'webhook event', String(id), part);

/** Returns the parts that all webhooks of an event have. */
export const headOf = (event: ClaimedEvent<EventType>, part?: string) => ({
  eventId: eventIdOf(event, part),
  occurredAt: event.created_at,
  place: event.id,
});
