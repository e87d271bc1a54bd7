import type { Trx } from '../../db/connect.ts';
import { newId } from '../../ids.ts';
import type { Reaction, Reactions } from '../../outbox/relay.ts';
import { insertDeliveries, type NewDelivery } from '../deliveries.queries.ts';
import { listTargets, lockSendersShared, type Target } from '../endpoints.queries.ts';
import { wakeIdleSenders } from '../waking.service.ts';
import { RENDERED_EVENT_TYPES, RENDERERS, type RenderedEventType } from './renderers.service.ts';
import type { Rendered, Renderer, RenderingDeps } from './rendering.ts';

/** A whole body has at most 20 kB. What would be larger is sent thin. */
const MAX_DATA_BYTES = 19_500;
const EVENTS_PER_BATCH = 100;

/** Returns the reactions that turn events into deliveries. In an org without endpoints, each costs one read. */
export function createWebhookReactions(deps: RenderingDeps): Reactions {
  return Object.fromEntries(RENDERED_EVENT_TYPES.map((type) => [type, [reactionOf(deps, type)]]));
}

function reactionOf<Type extends RenderedEventType>(deps: RenderingDeps, type: Type): Reaction<Type> {
  const { makes, render } = RENDERERS[type] as unknown as Renderer<Type>;
  return async (trx, orgId, events) => {
    const targets = (await listTargets(trx, orgId)).filter((target) => makes.some((made) => isFor(target, made)));
    if (targets.length === 0) return;
    await lockSendersShared(
      trx,
      targets.map(({ id }) => id),
    );
    const pending = new Set<string>();
    for (let at = 0; at < events.length; at += EVENTS_PER_BATCH) {
      const rendered = await render({ ...deps, trx, orgId }, events.slice(at, at + EVENTS_PER_BATCH));
      for (const endpointId of await store(trx, orgId, targets, rendered)) pending.add(endpointId);
    }
    await wakeIdleSenders(trx, orgId, [...pending]);
  };
}

const isFor = ({ event_types }: Target, type: string): boolean =>
  event_types.length === 0 || event_types.includes(type);

/** Stores a delivery for each webhook and endpoint. Returns the endpoints that have something to send now. */
async function store(trx: Trx, orgId: string, targets: Target[], rendered: Rendered[]): Promise<string[]> {
  const deliveries = rendered.flatMap((webhook) => deliveriesOf(webhook, targets));
  return deliveries.length === 0 ? [] : insertDeliveries(trx, orgId, deliveries);
}

function deliveriesOf(
  { type, eventId, occurredAt, sessionId, full, thin }: Rendered,
  targets: Target[],
): NewDelivery[] {
  const isShort = Buffer.byteLength(JSON.stringify(full)) <= MAX_DATA_BYTES;
  return targets
    .filter((target) => isFor(target, type))
    .map((target) => ({
      id: newId(),
      endpoint_id: target.id,
      event_id: eventId,
      event_type: type,
      occurred_at: occurredAt,
      session_id: sessionId,
      data: target.payload === 'full' && isShort ? full : thin,
    }));
}
