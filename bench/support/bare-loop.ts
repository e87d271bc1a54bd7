import { loadConfig } from '../../src/config.ts';
import { connect } from '../../src/db/connect.ts';
import { createUnsubscribeLinks } from '../../src/deliveries/unsubscribe.ts';
import { createSmtpSender, smtpSettingsOf } from '../../src/providers/smtp.ts';
import { eachOf } from './each-of.ts';
import { serve } from './processes.ts';
import { enrollAll, insertDelivery, settleDelivery } from './row-by-row.ts';
import { EMAIL } from './seed.ts';

// The same writes and sends in a loop, by a program that knows nothing of queues, pauses or a crash.
const config = loadConfig();
const { db } = connect(config.DATABASE_URL, { poolSize: config.DATABASE_POOL_SIZE });
const sender = createSmtpSender(smtpSettingsOf(config.SMTP_URL ?? ''));
const links = createUnsubscribeLinks(config.JWT_SECRET, config.PUBLIC_URL);

serve({
  /** Sends to every contact of the org. Gives the contacts a second, enrolling included. */
  async run({ orgId, sequenceId }: { orgId: string; sequenceId: string }) {
    const begun = performance.now();
    const sends = await enrollAll(db, orgId, sequenceId);
    await eachOf(sends, sender.concurrency, async (send) => {
      const deliveryId = await insertDelivery(db, send);
      const outcome = await sender.send({
        deliveryId,
        from: { name: EMAIL.email_sender_name, address: EMAIL.from_email },
        to: send.to,
        subject: EMAIL.email_subject,
        body: EMAIL.email_body,
        unsubscribeUrl: links.urlOf({ orgId, deliveryId }),
      });
      if (outcome.kind !== 'accepted') throw new Error(`the sink answered ${outcome.reason}`);
      await settleDelivery(db, send, deliveryId, outcome.providerId);
    });
    return (sends.length / (performance.now() - begun)) * 1000;
  },
});
