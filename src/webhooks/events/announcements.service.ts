import type { Trx } from '../../db/connect.ts';
import { idOfPair } from '../../ids.ts';
import type { ClaimedEvent } from '../../outbox/claim.ts';
import type { EventType } from '../../outbox/events.ts';
import type { Reactions, ReadingReaction } from '../../outbox/reactions.ts';
import type { NewDelivery } from '../deliveries/shared.queries.ts';
import { lockTargets, type Target } from '../endpoints/shared.queries.ts';
import type { SenderRegistry } from '../sending/sender-registry.ts';
import { sendDeliveries } from '../waking.service.ts';
import { RENDERED_EVENT_TYPES, RENDERERS, type RenderedEventType } from './renderers.service.ts';
import type { Rendered, Renderer, RenderingDeps } from './rendering.ts';

/** A whole body has at most 20 kB. What would be larger is sent thin. */
const MAX_DATA_BYTES = 19_500;
const EVENTS_PER_BATCH = 100;

/** What turns events into deliveries. */
export interface AnnouncingDeps extends RenderingDeps {
  webhookSenders: Pick<SenderRegistry, 'handOver'>;
}

/** Returns the reactions that turn events into deliveries. In an org without endpoints, each costs one read. */
export function createWebhookReactions(deps: AnnouncingDeps): Reactions {
  return Object.fromEntries(RENDERED_EVENT_TYPES.map((type) => [type, [reactionOf(deps, type)]]));
}

/**
 * Events of orgs that had endpoints for them the last time are rendered while the endpoints are read: it saves a round
 * trip, and is in vain if they have none now.
 */
function reactionOf<Type extends RenderedEventType>(deps: AnnouncingDeps, type: Type): ReadingReaction<Type> {
  const renderer = RENDERERS[type] as unknown as Renderer<Type>;
  const orgsWithTargets = new Set<string>();
  return {
    async read(reading, orgId, events) {
      const isLikely = orgsWithTargets.has(orgId);
      const [targets, first] = await Promise.all([
        lockTargets(reading, orgId, renderer.makes),
        isLikely ? renderer.render({ ...deps, trx: reading, orgId }, events.slice(0, EVENTS_PER_BATCH)) : undefined,
      ]);
      if (targets.length === 0) {
        orgsWithTargets.delete(orgId);
        return undefined;
      }
      orgsWithTargets.add(orgId);
      return (trx) => storeDeliveries({ ...deps, trx, orgId }, { renderer, targets, events, first });
    },
  };
}

/** Events, and the webhooks of the first of them if they are rendered already. */
interface ForTargets<Type extends EventType> {
  renderer: Renderer<Type>;
  targets: Target[];
  events: ClaimedEvent<Type>[];
  first: Rendered[] | undefined;
}

/** Stores a delivery of each event for each endpoint that wants it, and has them sent. */
async function storeDeliveries<Type extends RenderedEventType>(
  place: AnnouncingDeps & { trx: Trx; orgId: string },
  { renderer, targets, events, first }: ForTargets<Type>,
): Promise<void> {
  const { trx, orgId, webhookSenders } = place;
  for (let at = 0; at < events.length; at += EVENTS_PER_BATCH) {
    const isRendered = at === 0 && first !== undefined;
    const rendered = isRendered ? first : await renderer.render(place, events.slice(at, at + EVENTS_PER_BATCH));
    const deliveries = deliveriesFor(targets, rendered);
    if (deliveries.length > 0) await sendDeliveries(trx, orgId, deliveries, webhookSenders);
  }
}

/** Returns a delivery for each endpoint that wants it. */
function deliveriesFor(targets: Target[], rendered: Rendered[]): NewDelivery[] {
  const tooLarge = new WeakSet<object>();
  const webhooks = rendered.map((webhook) => ({ ...webhook, ...textsOf(webhook, tooLarge) }));
  return targets.flatMap((target) =>
    webhooks
      .filter((webhook) => isFor(target, webhook))
      .map(({ type, eventId, occurredAt, place, sessionId, fullText, thinText }) => ({
        id: idOfPair(occurredAt, place, [eventId, target.id]),
        endpoint_id: target.id,
        event_id: eventId,
        event_type: type,
        occurred_at: occurredAt,
        session_id: sessionId,
        data: target.payload === 'full' ? fullText : thinText,
      })),
  );
}

/** Whether an endpoint asks for a webhook. That it was disabled is for others to hear. */
const isFor = ({ id, event_types }: Target, { type, full }: Rendered): boolean =>
  (event_types.length === 0 || event_types.includes(type)) && !(type === 'webhook.disabled' && full.endpoint_id === id);

/**
 * Returns both forms of a webhook's data as JSON. What would be too large is thin in either. `tooLarge` has the objects
 * that are so alone: many webhooks may share one, such as the sequence that they are about.
 */
function textsOf({ full, thin }: Rendered, tooLarge: WeakSet<object>) {
  const thinText = JSON.stringify(thin);
  const objects = Object.values(full).filter((part) => typeof part === 'object' && part !== null);
  if (objects.some((part) => tooLarge.has(part))) return { fullText: thinText, thinText };
  const fullText = JSON.stringify(full);
  if (isSmall(fullText)) return { fullText, thinText };
  for (const part of objects) if (!isSmall(JSON.stringify(part))) tooLarge.add(part);
  return { fullText: thinText, thinText };
}

const isSmall = (text: string): boolean => Buffer.byteLength(text) <= MAX_DATA_BYTES;
