import { randomUUID } from 'node:crypto';
import { Context } from '@temporalio/activity';
import { blockedEmail } from '../src/contacts/blocklist.service.ts';
import type { Db } from '../src/db/connect.ts';
import type { Channel, MessageRef, RequestProgress } from '../src/deliveries/contract.ts';
import { settleAndAsk } from '../src/deliveries/look-ups.service.ts';
import { NOT_CONFIGURED, NOWHERE, type Outlets } from '../src/deliveries/outlet.ts';
import {
  beginRequested,
  failQueued,
  findChannel,
  findNextRequested,
  listQueued,
  type Requested,
  settleInterruptedRequested,
  settleRequested,
  waitForOlder,
} from '../src/deliveries/requested.queries.ts';
import { SenderTrouble, sendInLanes } from '../src/deliveries/sending.ts';

const BATCH = 500;
/** Nobody wants the call that was asked for yesterday. */
const LONGEST_WAIT_MS = 3_600_000;

export interface RequestedActivityDeps {
  db: Db;
  outlets: Outlets;
  /** Aborted when the worker is to end: a batch finishes what it has under way and leaves the rest. */
  stopping: AbortSignal;
}

export type RequestedActivities = ReturnType<typeof createRequestedActivities>;

export function createRequestedActivities({ db, outlets, stopping }: RequestedActivityDeps) {
  return {
    /** Sends at most one batch of a request's e-mails. Run twice, each still goes out once: its delivery row is claimed first. */
    sendRequestedEmails({ orgId, requestId }: { orgId: string; requestId: string }): Promise<RequestProgress> {
      return sendRequested(orgId, { requestId }, 'email');
    },

    /**
     * Sends one message. Where nothing can go out until settings are mended it fails at once, as somebody waits for the answer; where the
     * provider takes nothing, after an hour.
     */
    async sendMessage({ orgId, deliveryId }: MessageRef): Promise<RequestProgress> {
      const channel = await findChannel(db, orgId, deliveryId);
      if (channel === undefined) return { hasMore: false, nextDueInMs: null };
      await waitForOlder(db, orgId, deliveryId);
      try {
        return await sendRequested(orgId, { deliveryId }, channel);
      } catch (error) {
        if (!(error instanceof SenderTrouble)) throw error;
        const isOver = error.isConfiguration
          ? await failQueued(db, orgId, deliveryId, error.reason)
          : await failQueued(db, orgId, deliveryId, `given up after an hour: ${error.reason}`, LONGEST_WAIT_MS);
        if (!isOver) throw error;
        return { hasMore: false, nextDueInMs: null };
      }
    },
  };

  async function sendRequested(orgId: string, requested: Requested, channel: Channel): Promise<RequestProgress> {
    const { cancellationSignal } = Context.current();
    const outlet = (await outlets.of(orgId, channel)) ?? NOWHERE;
    const lease = randomUUID();
    await settleAndAsk(db, orgId, (trx) => settleInterruptedRequested(trx, orgId, requested, lease));
    const rule = {
      lease,
      obstacle: outlet === NOWHERE ? NOT_CONFIGURED : null,
      isAddressBlocked: blockedEmail(orgId, 'delivery.to'),
      isContactBlocked: blockedEmail(orgId, 'contact.email'),
    };
    await sendInLanes({
      items: await listQueued(db, orgId, requested, BATCH),
      outlet,
      isStopped: () => stopping.aborted || cancellationSignal.aborted,
      begin: async (ids) =>
        (await beginRequested(db, orgId, ids, rule)).map(({ id, attempts, ...send }) => ({
          attempts,
          envelope: { ...send, orgId, deliveryId: id },
        })),
      settle: async (results) => {
        await settleAndAsk(db, orgId, async (trx) => {
          await settleRequested(trx, orgId, { provider: outlet.provider, lease }, results);
          return results.filter(([, { status }]) => status === 'unknown').length;
        });
      },
    });
    const nextDueInMs = await findNextRequested(db, orgId, requested);
    return { hasMore: nextDueInMs === 0, nextDueInMs };
  }
}
