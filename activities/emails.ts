import { randomUUID } from 'node:crypto';
import { Context } from '@temporalio/activity';
import { blockedEmail } from '../src/contacts/blocklist.service.ts';
import type { Db } from '../src/db/connect.ts';
import type { EmailProgress } from '../src/deliveries/contract.ts';
import {
  beginEmails,
  type ClaimedEmail,
  findNextEmail,
  listQueuedEmails,
  settleEmails,
  settleInterruptedEmails,
} from '../src/deliveries/emails.queries.ts';
import { type Sending, sendInLanes } from '../src/deliveries/sending.ts';
import type { UnsubscribeLinks } from '../src/deliveries/unsubscribe.ts';
import { type EmailSenders, NOBODY } from './email-senders.ts';

const BATCH = 500;

export interface EmailActivityDeps {
  db: Db;
  links: UnsubscribeLinks;
  senders: EmailSenders;
  /** Aborted when the worker is to end: a batch finishes what it has under way and leaves the rest. */
  stopping: AbortSignal;
}

export type EmailActivities = ReturnType<typeof createEmailActivities>;

export function createEmailActivities({ db, links, senders, stopping }: EmailActivityDeps) {
  return {
    /** Sends at most one batch of a request's e-mails. Run twice, each still goes out once: its delivery row is claimed first. */
    async sendRequestedEmails({ orgId, requestId }: { orgId: string; requestId: string }): Promise<EmailProgress> {
      const { cancellationSignal } = Context.current();
      const sender = await senders.of(orgId);
      const lease = randomUUID();
      await settleInterruptedEmails(db, orgId, requestId, lease);
      const obstacle = sender === undefined ? 'channel not configured' : null;
      const isBlocked = blockedEmail(orgId, 'delivery.to');
      const queued = await listQueuedEmails(db, orgId, requestId, BATCH);
      await sendInLanes({
        items: queued.map(({ id }) => id),
        sender: sender ?? NOBODY,
        isStopped: () => stopping.aborted || cancellationSignal.aborted,
        begin: async (ids) =>
          (await beginEmails(db, orgId, ids, { lease, obstacle, isBlocked })).map((row) => emailOf(orgId, links, row)),
        settle: (results) => settleEmails(db, orgId, sender?.provider ?? '', results),
      });
      const nextDueInMs = await findNextEmail(db, orgId, requestId);
      return { hasMore: nextDueInMs === 0, nextDueInMs };
    },
  };
}

function emailOf(orgId: string, links: UnsubscribeLinks, { id, to, attempts, content }: ClaimedEmail): Sending {
  return {
    deliveryId: id,
    attempts,
    message: {
      deliveryId: id,
      from: { name: content.sender_name ?? undefined, address: content.from_email },
      to,
      subject: content.subject,
      body: content.body,
      unsubscribeUrl: content.is_transactional ? undefined : links.urlOf({ orgId, deliveryId: id }),
    },
  };
}
