import type { Config } from '../../config.ts';
import type { Db } from '../../db/connect.ts';
import type { WriteQuota } from '../../db/write-quota.ts';
import type { MailReceiver, startMailReceiver } from '../../providers/email/mail-receiver.ts';
import { storeInboundEmail } from './emails.service.ts';
import type { MailTokens } from './mail-tokens.ts';

export interface MailReceivingDeps {
  db: Db;
  tokens: MailTokens;
  quota: WriteQuota;
  log: Parameters<typeof startMailReceiver>[0]['log'];
  startReceiver: typeof startMailReceiver;
}

/**
 * Receives e-mail to the bounce and reply addresses of deliveries. Returns undefined if no inbound domain is
 * configured.
 */
export async function receiveMail(
  { db, tokens, quota, log, startReceiver }: MailReceivingDeps,
  { INBOUND_DOMAIN: domain, INBOUND_SMTP_PORT: port, HOST: host }: Config,
): Promise<MailReceiver | undefined> {
  if (domain === undefined || port === undefined) return undefined;
  return startReceiver({
    name: domain,
    host,
    port,
    log,
    stateOf(address) {
      const mailbox = tokens.readAddress(address, domain);
      if (mailbox === undefined) return 'unknown';
      try {
        quota.assertLeft(mailbox.orgId);
        return 'open';
      } catch {
        return 'full';
      }
    },
    async accept({ mailFrom, recipients }, raw) {
      const known = recipients.flatMap((address) => {
        const mailbox = tokens.readAddress(address, domain);
        return mailbox === undefined ? [] : [{ address, mailbox }];
      });
      await storeInboundEmail(db, { mailFrom, recipients: known, raw });
      for (const orgId of new Set(known.map(({ mailbox }) => mailbox.orgId))) quota.add(raw.length, orgId);
    },
  });
}
