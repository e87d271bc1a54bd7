import { decompressBody } from '../../src/crm/inbound/batch-parsing.service.ts';
import { wakeQueues } from '../../src/crm/inbound/webhooks.service.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { findUnconfirmedClaim, recordAccount } from '../../src/orgs/integrations/crm-webhooks.service.ts';
import { hubspotSignatureV3 } from '../../src/providers/crm/hubspot/webhook-signatures.ts';
import type { Answer, TestApi, TestOrg } from '../support/stack/api.ts';

export const APP = { HUBSPOT_CLIENT_ID: 'the-app', HUBSPOT_CLIENT_SECRET: 'the secret of the app' };

/** Connects a CRM and returns the path of its webhook. */
export async function connectCrm(org: TestOrg, settings: object = {}): Promise<string> {
  const { body, status } = await org.put('/integrations/crm', {
    provider: 'hubspot',
    settings: { ...('oauth' in settings ? {} : { access_token: 'pat-1' }), ...settings },
  });
  if (status !== 200) throw new Error(JSON.stringify(body));
  return new URL(body.webhook_url).pathname;
}

export const byOauth = (portal_id: number, client_id = APP.HUBSPOT_CLIENT_ID) => ({
  portal_id,
  oauth: { client_id, client_secret: 'theirs', refresh_token: 'refresh' },
});

/** Connects an org by the app. `said` is the portal confirmed by the CRM. */
export async function connectByApp(api: TestApi, org: TestOrg, portal: number, said: number = portal): Promise<void> {
  await connectCrm(org, byOauth(portal));
  const claim = await findUnconfirmedClaim(api.db, org.id);
  if (claim === undefined) throw new Error('no claim');
  await recordAccount(api.db, org.id, claim, String(said));
}

/** Posts events like the CRM. A value other than text is sent as JSON. */
export const deliver = (api: TestApi, path: string, events: unknown, headers: Record<string, string> = {}) =>
  api.client().post(path, textOf(events), { headers });

/** Posts events with a signature of version 3. */
export function deliverSigned(
  api: TestApi,
  path: string,
  events: unknown,
  secret: string,
  at = Date.now(),
): Promise<Answer> {
  const body = textOf(events);
  const call = { method: 'POST', url: api.config.PUBLIC_URL + path, body: Buffer.from(body) };
  return deliver(api, path, body, {
    'x-hubspot-signature-v3': hubspotSignatureV3(secret, call, String(at)),
    'x-hubspot-request-timestamp': String(at),
  });
}

const textOf = (events: unknown) => (typeof events === 'string' ? events : JSON.stringify(events));

let count = 0;
export const newMessage = (threadId: number | string, fields: object = {}) => ({
  eventId: ++count,
  subscriptionId: 1,
  portalId: 62515,
  appId: 54321,
  occurredAt: 1_764_000_000_000 + count,
  subscriptionType: 'conversation.newMessage',
  attemptNumber: 0,
  objectId: threadId,
  messageId: `message-${count}`,
  messageType: 'MESSAGE',
  changeFlag: 'NEW_MESSAGE',
  ...fields,
});

export const ticketChange = (ticketId: number | string, fields: object = {}) => ({
  ...newMessage(ticketId, { subscriptionType: 'ticket.propertyChange', messageId: undefined, messageType: undefined }),
  propertyName: 'subject',
  propertyValue: 'Hello',
  ...fields,
});

/** Returns the events of an org in order of queue and occurrence. */
export const eventsOf = (api: TestApi, orgId: string) =>
  api.db
    .selectFrom('crm_events')
    .selectAll()
    .where('org_id', '=', orgId)
    .orderBy('queue')
    .orderBy('occurred_at')
    .orderBy('id')
    .execute();

/** Returns the batches of an org, with their bodies decompressed. */
export const batchesOf = async (api: TestApi, orgId: string) => {
  const rows = await api.db
    .selectFrom('crm_batches')
    .selectAll()
    .where('org_id', '=', orgId)
    .orderBy('received_at')
    .orderBy('id')
    .execute();
  return rows.map((row) => ({ ...row, text: decompressBody(row.body) }));
};

export const announcementsOf = (api: TestApi, orgId: string) =>
  api.db
    .selectFrom('outbox')
    .select(['subject_id', 'type'])
    .where('org_id', '=', orgId)
    .where('type', '=', 'crm-events-received')
    .execute();

/** Runs the reaction to all announced batches. Returns the resulting signals. */
export async function signalsFor(api: TestApi, orgId: string) {
  const announcements = await announcementsOf(api, orgId);
  await inTransaction(api.db, (trx) => wakeQueues(trx, orgId, announcements));
  return commandsOf(api, orgId);
}

export async function commandsOf(api: TestApi, orgId: string) {
  const rows = await api.db
    .selectFrom('outbox')
    .select(['workflow_id', 'type', 'signal', 'task_queue', 'payload'])
    .where('org_id', '=', orgId)
    .where('kind', '=', 'signal')
    .execute();
  return rows
    .map(({ workflow_id, type, signal, task_queue, payload }) => [workflow_id, type, signal, task_queue, payload])
    .toSorted(([a], [b]) => String(a).localeCompare(String(b)));
}
