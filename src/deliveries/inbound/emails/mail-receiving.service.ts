import type { Config } from '../../../config.ts';
import type { Db } from '../../../db/connect.ts';
import type { WriteQuota } from '../../../db/write-quota.ts';
import { networkOf } from '../../../networks.ts';
import type { MailboxState, MailReceiver, startMailReceiver } from '../../../providers/email/mail-receiver.ts';
import { listReceivingInboxes } from '../../email-inboxes/service.ts';
import { createMailIntake } from '../../mail/raw-mail.ts';
import type { MailTokens } from '../mail-tokens.ts';
import { countMailInLastHour } from './queries.ts';
import { storeInboundEmail } from './service.ts';
import type { MailTarget } from './table.ts';

/** More than a person writes. A program that sends more waits, as its server repeats what is deferred. */
export const MAX_MAILS_PER_HOUR = 60;

export interface MailReceivingDeps {
  db: Db;
  tokens: MailTokens;
  quota: WriteQuota;
  log: Parameters<typeof startMailReceiver>[0]['log'];
  startReceiver: typeof startMailReceiver;
}

/**
 * Receives e-mail to inboxes, and to the bounce and reply addresses of deliveries. Returns undefined if no inbound domain
 * is configured.
 */
export async function receiveMail(
  { db, tokens, quota, log, startReceiver }: MailReceivingDeps,
  { INBOUND_DOMAIN: domain, INBOUND_SMTP_PORT: port, HOST: host, DEVELOPMENT: isDevelopment, ...config }: Config,
): Promise<MailReceiver | undefined> {
  if (domain === undefined || port === undefined) return undefined;
  const targetsOf = async (address: string): Promise<MailTarget[]> => {
    const mailbox = tokens.readAddress(address, domain);
    if (mailbox !== undefined) return [mailbox];
    const inboxes = await listReceivingInboxes(db, address, isDevelopment);
    return inboxes.map((inbox) => ({ kind: 'inbox', ...inbox }));
  };
  const maxBytes = config.MAX_INBOUND_MAIL_MB * 1024 ** 2;
  const intake = createMailIntake(maxBytes);
  const { INBOUND_TLS_CERT: certFile, INBOUND_TLS_KEY: keyFile } = config;
  return startReceiver({
    name: domain,
    tls: certFile === undefined || keyFile === undefined ? undefined : { certFile, keyFile },
    host,
    port,
    maxBytes,
    log,
    async stateOf(address, mailFrom) {
      const targets = await targetsOf(address);
      const state = await stateOfTargets({ db, quota }, targets, mailFrom);
      if (state === 'flooded') log.warn({ targets }, 'a sender has sent more e-mails in an hour than an inbox takes');
      return state;
    },
    async accept({ mailFrom, recipients, client }, content) {
      await using raw = await intake.receive(content, networkOf(client.ip));
      const known = await Promise.all(
        recipients.map(async (address) => (await targetsOf(address)).map((mailbox) => ({ address, mailbox }))),
      );
      await storeInboundEmail(db, { mailFrom: mailFrom.toLowerCase(), recipients: known.flat(), raw, client });
      const orgIds = known.flat().map(({ mailbox }) => mailbox.orgId);
      for (const orgId of new Set(orgIds)) quota.add(raw.size, orgId);
    },
  });
}

async function stateOfTargets(
  { db, quota }: Pick<MailReceivingDeps, 'db' | 'quota'>,
  targets: MailTarget[],
  mailFrom: string,
): Promise<MailboxState> {
  if (targets.length === 0) return 'unknown';
  for (const target of targets) {
    try {
      quota.assertLeft(target.orgId);
    } catch {
      return 'full';
    }
    if (target.kind === 'inbox' && (await isFlooding(db, target, mailFrom))) return 'flooded';
  }
  return 'open';
}

/** Whether an inbox takes no more mail of a sender for now. */
export const isFlooding = async (
  db: Db,
  { orgId, inboxId }: Extract<MailTarget, { kind: 'inbox' }>,
  mailFrom: string,
): Promise<boolean> =>
  (await countMailInLastHour(db, orgId, {
    inboxId,
    mailFrom: mailFrom.toLowerCase(),
    limit: MAX_MAILS_PER_HOUR,
  })) >= MAX_MAILS_PER_HOUR;
