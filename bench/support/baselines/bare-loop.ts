import { forEachConcurrently } from '../../../src/concurrency/limited.ts';
import { loadConfig } from '../../../src/config.ts';
import { connect } from '../../../src/db/connect.ts';
import { createUnsubscribeLinks } from '../../../src/deliveries/ledger/delivery-links.ts';
import type { MessageSender } from '../../../src/deliveries/sending/message-sender.ts';
import { createSmtpSender, smtpSettingsOf } from '../../../src/providers/email/smtp.ts';
import type { SendOutcome } from '../../../src/providers/sending.ts';
import { serve } from '../processes.ts';
import { senderOfEnvironment } from '../programs/costless-sender.ts';
import { EMAIL, EMAIL_CONTENT } from '../seed.ts';
import { enrollAll, insertDelivery, type OneSend, settleDelivery } from './row-by-row.ts';

// The same writes and sends in a simple loop, without queues, pauses or crash recovery.
const config = loadConfig();
const { db } = connect(config.DATABASE_URL, { poolSize: config.DATABASE_POOL_SIZE });
const way = process.env.OUTLET === undefined ? bySmtp() : bySender(senderOfEnvironment());

serve({
  /** Sends to every contact of the org. Returns the contacts a second, enrolling included. */
  async run({ orgId, sequenceId }: { orgId: string; sequenceId: string }) {
    const begun = performance.now();
    const sends = await enrollAll(db, orgId, sequenceId);
    await forEachConcurrently(sends, way.concurrency, async (send) => {
      const deliveryId = await insertDelivery(db, send);
      const outcome = await way.send(send, deliveryId);
      if (outcome.kind !== 'accepted') throw new Error(`the provider answered ${outcome.reason}`);
      await settleDelivery(db, send, deliveryId, outcome.providerId);
    });
    return (sends.length / (performance.now() - begun)) * 1000;
  },
});

interface Way {
  concurrency: number;
  send(send: OneSend, deliveryId: string): Promise<SendOutcome>;
}

function bySmtp(): Way {
  const sender = createSmtpSender(smtpSettingsOf(config.SMTP_URL ?? ''));
  const links = createUnsubscribeLinks(config.signingSecrets, config.PUBLIC_URL);
  return {
    concurrency: sender.concurrency,
    send: ({ orgId, to }, deliveryId) =>
      sender.send({
        messageId: `<${deliveryId}@shop.example>`,
        from: { name: EMAIL.email_sender_name, address: EMAIL.from_email },
        to,
        subject: EMAIL.email_subject,
        body: EMAIL.email_body,
        unsubscribeUrl: links.urlOf({ orgId, deliveryId }),
        envelopeFrom: EMAIL.from_email,
        replyTo: undefined,
        dkim: undefined,
      }),
  };
}

function bySender(sender: MessageSender): Way {
  return {
    concurrency: sender.concurrency,
    send: ({ orgId, to }, deliveryId) =>
      sender.send({ channel: 'email', content: EMAIL_CONTENT, orgId, deliveryId, to }),
  };
}
