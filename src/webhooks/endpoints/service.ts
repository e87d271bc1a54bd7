import type { Db, Trx } from '../../db/connect.ts';
import { pageOf } from '../../db/cursor.ts';
import { inTransaction } from '../../db/transaction.ts';
import { conflict, notFound, refused } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { lockSubscriptions, replaceSubscriptions } from '../../outbox/subscriptions.ts';
import type { Egress } from '../../providers/egress/egress.ts';
import type { Secrets } from '../../secrets.ts';
import { originOf } from '../../text/urls.rules.ts';
import type { EndpointRef } from '../contract.ts';
import { insertTestDelivery } from '../deliveries/shared.queries.ts';
import { eventTypesFor } from '../events/renderers.service.ts';
import { WEBHOOK_EVENT_TYPES } from '../events/schema.ts';
import { notifyEndpointChange, wakeSender } from '../waking.service.ts';
import { problemOfAddress } from './addresses.service.ts';
import { holdForSeconds, holdNext } from './holding.service.ts';
import { type CreateEndpoint, MASK, type UpdateEndpoint } from './schema.ts';
import { newSecret, openHeaders, sealHeaders, sealSecret, stillSigning } from './secrets.ts';
import {
  countEndpoints,
  findEndpoint,
  HEALTHY,
  insertEndpoint,
  type LockedEndpoint,
  listEndpoints,
  listWantedTypes,
  lockEndpoint,
  lockSender,
  type ShownEndpoint,
  updateEndpoint,
} from './shared.queries.ts';

const MAX_ENDPOINTS = 50;
/** Each makes the header of the signatures longer. */
const MAX_EARLIER_SECRETS = 5;
const SEND_AGAIN = 'send the values again: they are not kept for another scheme, host or port';
const MS_PER_HOUR = 3_600_000;

export interface EndpointDeps {
  secrets: Secrets;
  egress: Pick<Egress, 'resolve'>;
}

/** Returns a page of an org's endpoints, oldest first. */
export async function pageOfEndpoints(db: Db, orgId: string, query: { cursor?: string | undefined; limit: number }) {
  const { items, next } = await pageOf(db, query, (page) => listEndpoints(db, orgId, page));
  return { items: items.map(shown), next };
}

/** Throws notFound. */
export async function getEndpoint(db: Db, orgId: string, id: string) {
  const endpoint = await findEndpoint(db, orgId, id);
  if (endpoint === undefined) throw notFound('webhook endpoint');
  return shown(endpoint);
}

const shown = ({ header_names, ...endpoint }: ShownEndpoint) => ({
  ...endpoint,
  headers: Object.fromEntries(header_names.map((name) => [name, MASK] as const)),
});

/** Creates an endpoint, and returns it with its secret. Throws invalid for an address that is not public. */
export async function createEndpoint(
  db: Db,
  { secrets, egress }: EndpointDeps,
  orgId: string,
  { headers, enabled, ...input }: CreateEndpoint,
) {
  await assertReachable(egress, input.url);
  return inTransaction(db, async (trx) => {
    const row = { org_id: orgId, id: newId() };
    const secret = newSecret();
    if (Object.values(headers).includes(MASK)) throw refused('headers', `"${MASK}" is no value`);
    await insertEndpoint(trx, {
      ...row,
      ...input,
      header_names: Object.keys(headers),
      headers: sealHeaders(secrets, row, headers),
      secret: sealSecret(secrets, row, secret),
      ...(enabled ? ENABLED : disabledBecause('by_hand')),
    });
    await subscribe(trx, orgId);
    if ((await countEndpoints(trx, orgId)) > MAX_ENDPOINTS)
      throw conflict(`An org can have ${MAX_ENDPOINTS} webhook endpoints: delete one first`);
    return { ...(await getEndpoint(trx, orgId, row.id)), secret };
  });
}

const ENABLED = { enabled: true, disabled_because: null, disabled_at: null } as const;
const disabledBecause = (because: 'by_hand' | 'gone' | 'failing') =>
  ({ enabled: false, disabled_because: because, disabled_at: new Date() }) as const;

async function assertReachable(egress: EndpointDeps['egress'], url: string): Promise<void> {
  const problem = await problemOfAddress(egress, url);
  if (problem !== undefined) throw refused('url', problem);
}

/** Announces from now on what the org's endpoints ask for. */
async function subscribe(trx: Trx, orgId: string): Promise<void> {
  await lockSubscriptions(trx, orgId);
  const targets = await listWantedTypes(trx, orgId);
  const wanted = targets.some(({ event_types }) => event_types.length === 0)
    ? WEBHOOK_EVENT_TYPES
    : WEBHOOK_EVENT_TYPES.filter((type) => targets.some(({ event_types }) => event_types.includes(type)));
  await replaceSubscriptions(trx, orgId, targets.length === 0 ? [] : eventTypesFor(wanted));
}

/**
 * Changes an endpoint. Enabled again, it counts as healthy, once all that it would have got before is held. Throws
 * notFound, conflict while that is too much for one request, and invalid for an address that is not public.
 */
export async function changeEndpoint(
  db: Db,
  { secrets, egress }: EndpointDeps,
  orgId: string,
  id: string,
  { headers, enabled, ...change }: UpdateEndpoint,
) {
  if (change.url !== undefined) await assertReachable(egress, change.url);
  const ref = { orgId, endpointId: id };
  if (enabled === true) await holdForSeconds(db, ref);
  return inTransaction(db, async (trx) => {
    const endpoint = await getLockedEndpoint(trx, orgId, id);
    const isEnabling = enabled === true && !endpoint.enabled;
    if (isEnabling && (await holdNext(trx, ref)))
      throw conflict('enabled: events for this endpoint are still being stored as held: enable it in some minutes');
    await updateEndpoint(trx, orgId, id, {
      ...change,
      ...newHeaders(secrets, endpoint, { url: change.url ?? endpoint.url, headers }),
      ...(change.url === undefined || change.url === endpoint.url ? {} : HEALTHY),
      ...(isEnabling ? { ...ENABLED, ...HEALTHY } : {}),
    });
    if (enabled === false && endpoint.enabled) await disableEndpoint(trx, ref, 'by_hand');
    if (change.event_types !== undefined) await subscribe(trx, orgId);
    notifyEndpointChange(trx, id);
    await wakeSender(trx, ref);
    return getEndpoint(trx, orgId, id);
  });
}

/**
 * Returns new headers as they are stored. A masked value keeps the present one, and so do absent headers. Throws invalid
 * if a present value would be sent to another scheme, host or port.
 */
function newHeaders(
  secrets: Secrets,
  endpoint: LockedEndpoint,
  { url, headers }: Pick<UpdateEndpoint, 'url' | 'headers'> & { url: string },
) {
  const isMoved = originOf(url) !== originOf(endpoint.url);
  if (headers === undefined) {
    if (isMoved && endpoint.header_names.length > 0) throw refused('headers', SEND_AGAIN);
    return undefined;
  }
  const before = new Map(Object.entries(openHeaders(secrets, endpoint, endpoint.headers)));
  const after = Object.entries(headers).map(([name, value]) => {
    const kept = value === MASK ? before.get(name) : value;
    if (kept === undefined)
      throw refused(`headers.${name}`, `has no value yet that "${MASK}" could keep: give its value`);
    if (value === MASK && isMoved) throw refused(`headers.${name}`, SEND_AGAIN);
    return [name, kept] as const;
  });
  return {
    header_names: after.map(([name]) => name),
    headers: sealHeaders(secrets, endpoint, Object.fromEntries(after)),
  };
}

/** Locks an endpoint until the transaction ends. Throws notFound. */
async function getLockedEndpoint(trx: Trx, orgId: string, id: string): Promise<LockedEndpoint> {
  const endpoint = await lockEndpoint(trx, orgId, id);
  if (endpoint === undefined) throw notFound('webhook endpoint');
  return endpoint;
}

/** Locks an enabled endpoint until the transaction ends. Throws notFound, and conflict while it is disabled. */
export async function getLockedEnabledEndpoint(trx: Trx, orgId: string, id: string): Promise<LockedEndpoint> {
  const endpoint = await getLockedEndpoint(trx, orgId, id);
  if (!endpoint.enabled) throw conflict('enabled: a disabled endpoint gets nothing: enable it first');
  return endpoint;
}

/**
 * Disables an endpoint at once, however much it would have got: its sender holds that afterwards, in steps. What is stored
 * for the endpoint from now on is held already.
 */
export async function disableEndpoint(
  trx: Trx,
  ref: EndpointRef,
  because: 'by_hand' | 'gone' | 'failing',
): Promise<void> {
  const { orgId, endpointId } = ref;
  await updateEndpoint(trx, orgId, endpointId, { ...disabledBecause(because), recoveries: '[]' });
  await lockSender(trx, endpointId);
  notifyEndpointChange(trx, endpointId);
  await wakeSender(trx, ref);
}

/** Deletes an endpoint. Its deliveries are deleted later. Throws notFound. */
export function deleteEndpoint(db: Db, orgId: string, id: string): Promise<void> {
  return inTransaction(db, async (trx) => {
    await getLockedEndpoint(trx, orgId, id);
    await updateEndpoint(trx, orgId, id, { deleted_at: new Date() });
    notifyEndpointChange(trx, id);
    await subscribe(trx, orgId);
  });
}

/**
 * Gives an endpoint a new secret. The old one signs as well for a while, and earlier ones until their time; without a
 * grace period all of them end. Throws notFound, and conflict if too many would sign.
 */
export function rotateSecret(
  db: Db,
  { secrets }: Pick<EndpointDeps, 'secrets'>,
  orgId: string,
  { id, graceHours }: { id: string; graceHours: number },
) {
  return inTransaction(db, async (trx) => {
    const endpoint = await getLockedEndpoint(trx, orgId, id);
    const secret = newSecret();
    const until = graceHours === 0 ? null : new Date(Date.now() + graceHours * MS_PER_HOUR);
    const earlier =
      until === null ? [] : [{ secret: endpoint.secret, until: until.toISOString() }, ...stillSigning(endpoint)];
    if (earlier.length > MAX_EARLIER_SECRETS)
      throw conflict(`grace_hours: ${MAX_EARLIER_SECRETS} earlier secrets still sign: wait, or end them with 0`);
    await updateEndpoint(trx, orgId, id, {
      secret: sealSecret(secrets, endpoint, secret),
      earlier_secrets: JSON.stringify(earlier),
    });
    notifyEndpointChange(trx, id);
    return { secret, old_secret_until: until };
  });
}

/** Sends a `webhook.test` to an endpoint, and returns the id of its delivery. Throws notFound, and conflict while it is disabled. */
export function testEndpoint(db: Db, publicUrl: string, orgId: string, id: string): Promise<string> {
  return inTransaction(db, async (trx) => {
    const { payload } = await getLockedEnabledEndpoint(trx, orgId, id);
    const full = { endpoint_id: id };
    const data = payload === 'full' ? full : { ...full, url: `${publicUrl}/webhooks/${id}` };
    const deliveryId = await insertTestDelivery(trx, orgId, id, data);
    await wakeSender(trx, { orgId, endpointId: id });
    return deliveryId;
  });
}
