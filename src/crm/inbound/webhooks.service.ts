import { batchByKey } from '../../concurrency/batch-by-key.ts';
import { redactionsOf } from '../../conversations/redaction/service.ts';
import type { Db, Trx } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { notFound, unauthorized, unavailable } from '../../errors.ts';
import { newId } from '../../ids.ts';
import {
  type CrmApp,
  clearContestedPortal,
  findCrmWebhookCredentials,
  findPortalClaims,
  type PortalClaim,
  recordContestedPortal,
} from '../../orgs/integrations/crm-webhooks.service.ts';
import { runAsOwner } from '../../processes/current-work.ts';
import { isSameSecret } from '../../providers/constant-time.ts';
import { isSigned, isSignedV3, type SignedRequest } from '../../providers/crm/hubspot/webhook-signatures.ts';
import type { Secrets } from '../../secrets.ts';
import { schedulePortalConfirmations } from '../connection/accounts.service.ts';
import { listRedactedTickets } from '../redaction.queries.ts';
import {
  compressBody,
  elementsOf,
  isTicketText,
  parseElements,
  redactedEvent,
  signalQueues,
  withoutTicketTexts,
} from './batch-parsing.service.ts';
import { insertBatches, listQueuesOfBatches, type NewCrmEvent } from './webhooks.queries.ts';

/** HubSpot posts at most ten batches at once, and repeats refused ones. */
const BATCH_LIMITS = { maxConcurrent: 4, maxBatchSize: 5, maxWaiting: 60 };
const LOOKUP_LIMITS = { maxConcurrent: 1, maxBatchSize: 1_000, maxWaiting: 1_000 };

/** A received batch: ids and counts, fit for a log. */
export interface Receipt {
  org_id: string;
  batch_id: string;
  events: number;
  unsupported: number;
  malformed: number;
}

/** The app used by orgs to connect by OAuth, with the secret that signs its webhooks. */
export interface SigningApp extends CrmApp {
  clientSecret: string;
}

export interface CrmWebhooksDeps {
  db: Db;
  secrets: Secrets;
  /** Undefined if this installation has none. */
  app: SigningApp | undefined;
}

export interface CrmWebhooks {
  /**
   * Receives a batch posted to an org's own address. Throws notFound for any other address, and unauthorized if the org
   * has set a secret and the request is not signed with it.
   */
  receiveForOrg(orgId: string, token: string, call: SignedRequest): Promise<Receipt>;
  /**
   * Receives a batch posted for all orgs connected by the app. Each org gets the elements of its portal, provided that
   * the CRM has confirmed exactly one org as its owner. Throws unauthorized if the request is not signed with the app's
   * secret. Throws unavailable if the CRM has still to confirm the owner of a portal or several orgs have connected it,
   * so that it delivers again. Throws notFound if no portal of the batch has an org.
   */
  receiveForApp(call: SignedRequest): Promise<{ receipts: Receipt[]; strayPortals: string[] }>;
}

/** The elements of a batch, and their original text. */
interface PostedBatch {
  body: string;
  elements: unknown[];
}

/**
 * Receives and stores batches posted by CRMs. A returned receipt means that the batch is stored and its events will be
 * processed.
 */
export function createCrmWebhooks({ db, secrets, app }: CrmWebhooksDeps): CrmWebhooks {
  const storeBatched = batchByKey(BATCH_LIMITS, (orgId, batches: PostedBatch[]) =>
    runAsOwner(orgId, () => storeBatches(db, orgId, batches)),
  );
  const findCredentialsBatched = batchByKey(LOOKUP_LIMITS, async (orgId, asked: null[]) => {
    const receiver = await findCrmWebhookCredentials(db, secrets, orgId);
    return asked.map(() => receiver);
  });

  return {
    async receiveForOrg(orgId, token, call) {
      const receiver = await findCredentialsBatched(orgId, null);
      if (receiver === undefined || !isSameSecret(token, receiver.token)) throw notFound('receiver');
      if (receiver.secret !== undefined && !isSigned(receiver.secret, call, Date.now())) throw badSignature();
      return storeBatched(orgId, postedBatchOf(call));
    },
    async receiveForApp(call) {
      if (app === undefined || !isSignedV3(app.clientSecret, call, Date.now())) throw badSignature();
      const posted = postedBatchOf(call);
      const byPortal = Map.groupBy(posted.elements, portalOf);
      const claims = await findPortalClaims(db, app, [...byPortal.keys()]);
      const receipts: Receipt[] = [];
      const strayPortals: string[] = [];
      const toAsk: PortalClaim[] = [];
      const contestedPortals: string[] = [];
      for (const [portal, elements] of byPortal) {
        const claimed = claims.get(portal) ?? [];
        const owners = claimed.filter(({ is_confirmed }) => is_confirmed);
        const [owner] = owners;
        if (owner === undefined && claimed.length > 0) toAsk.push(...claimed);
        else if (owner === undefined) strayPortals.push(portal);
        else if (owners.length > 1) {
          contestedPortals.push(portal);
          await recordContestedPortal(db, owners);
        } else {
          await clearContestedPortal(db, owner);
          receipts.push(await storeBatched(owner.org_id, byPortal.size === 1 ? posted : batchOf(elements)));
        }
      }
      if (toAsk.length > 0) {
        await inTransaction(db, (trx) => schedulePortalConfirmations(trx, toAsk));
        throw unavailable('The owner of this portal is being confirmed with HubSpot: deliver again');
      }
      if (contestedPortals.length > 0)
        throw unavailable(`Several organizations have connected portal ${contestedPortals.join(', ')}: deliver again`);
      if (receipts.length === 0 && strayPortals.length > 0) throw notFound('organization of this portalId');
      return { receipts, strayPortals };
    },
  };
}

/** Throws invalid if the body is not a list of events. */
function postedBatchOf(call: SignedRequest): PostedBatch {
  const body = call.body.toString('utf8');
  return { body, elements: elementsOf(body) };
}

/** Returns a batch of some elements of another batch, so that an org's stored batch contains no data of other orgs. */
const batchOf = (elements: unknown[]): PostedBatch => ({ body: JSON.stringify(elements), elements });

/**
 * Stores batches and queues their new events. Texts of tickets are left out if texts of the ticket's session have been
 * redacted: HubSpot may report and deliver them late.
 */
async function storeBatches(db: Db, orgId: string, posted: PostedBatch[]): Promise<Receipt[]> {
  const received_at = new Date();
  const parsed = posted.map((batch) => ({ ...batch, ...parseElements(batch.elements, received_at) }));
  const redacted = await findRedactedTickets(db, orgId, parsed);
  const batches = parsed.map(({ body, elements, events, unsupported, malformed }) => ({
    id: newId(),
    body: compressBody(withoutTicketTexts(elements, redacted) ?? body),
    events: events.map((event) =>
      isTicketText(event) && redacted.has(event.object_id) ? redactedEvent(event) : event,
    ),
    unsupported,
    malformed,
    received_at,
  }));
  await insertBatches(db, orgId, batches);
  return batches.map(({ id, events, unsupported, malformed }) => ({
    org_id: orgId,
    batch_id: id,
    events: events.length,
    unsupported,
    malformed,
  }));
}

/** Returns the tickets of redacted sessions with texts in these batches. */
async function findRedactedTickets(
  db: Db,
  orgId: string,
  batches: { events: NewCrmEvent[] }[],
): Promise<ReadonlySet<string>> {
  const texts = batches.flatMap(({ events }) => events.filter(isTicketText));
  const ticketIds = [...new Set(texts.map(({ object_id }) => object_id))];
  return ticketIds.length === 0 ? new Set() : listRedactedTickets(db, orgId, ticketIds, redactionsOf);
}

/**
 * A reaction to `crm-events-received`: wakes the workflow of each queue with new events. One signal serves all events
 * received meanwhile.
 */
export async function wakeQueues(trx: Trx, orgId: string, events: { subject_id: string }[]): Promise<void> {
  const batchIds = events.map(({ subject_id }) => subject_id);
  await signalQueues(trx, orgId, await listQueuesOfBatches(trx, orgId, batchIds));
}

function portalOf(element: unknown): string {
  const portalId = typeof element === 'object' && element !== null && 'portalId' in element ? element.portalId : '';
  return typeof portalId === 'number' || typeof portalId === 'string' ? String(portalId) : '';
}

const badSignature = () => unauthorized('The signature is missing, wrong or too old');
