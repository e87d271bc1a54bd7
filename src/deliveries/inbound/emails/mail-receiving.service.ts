import { batchByKey } from '../../../concurrency/batch-by-key.ts';
import type { Config } from '../../../config.ts';
import type { Db } from '../../../db/connect.ts';
import type { WriteQuota } from '../../../db/write-quota.ts';
import { networkOf } from '../../../networks.ts';
import type { MailboxState, MailReceiver, startMailReceiver } from '../../../providers/email/mail-receiver.ts';
import { type AnnouncedMail, listReceivingInboxes } from '../../email-inboxes/service.ts';
import { createMailIntake } from '../../mail/raw-mail.ts';
import type { MailTokens } from '../mail-tokens.ts';
import { IS_FLOODED } from './queries.ts';
import { type ReceivedMail, storeInboundEmail } from './service.ts';
import type { MailTarget } from './table.ts';

/** E-mails that are announced during a look-up are looked up together. */
const LOOK_UP_LIMITS = { maxConcurrent: 2, maxBatchSize: 100, maxWaiting: 10_000 };
const ALL = 'all';

export interface MailReceivingDeps {
  db: Db;
  tokens: MailTokens;
  quota: WriteQuota;
  log: Parameters<typeof startMailReceiver>[0]['log'];
  startReceiver: typeof startMailReceiver;
  /** Processes an e-mail at once. Resolves to false if it is to be stored instead, with its workflow. */
  processInline: (mail: ReceivedMail) => Promise<boolean>;
}

/**
 * Receives e-mail to inboxes, and to the bounce and reply addresses of deliveries. Returns undefined if no inbound domain
 * is configured.
 */
export async function receiveMail(
  { db, tokens, quota, log, startReceiver, processInline }: MailReceivingDeps,
  { INBOUND_DOMAIN: domain, INBOUND_SMTP_PORT: port, HOST: host, DEVELOPMENT: isDevelopment, ...config }: Config,
): Promise<MailReceiver | undefined> {
  if (domain === undefined || port === undefined) return undefined;
  const lookUpInboxes = batchByKey(LOOK_UP_LIMITS, (_, mails: AnnouncedMail[]) =>
    listReceivingInboxes(db, { mails, isDevelopment, isFlooded: IS_FLOODED }),
  );
  const targetsOf = async (address: string, mailFrom: string): Promise<KnownTarget[]> => {
    const mailbox = tokens.readAddress(address, domain);
    if (mailbox !== undefined) return [{ ...mailbox, isFlooded: false }];
    const inboxes = await lookUpInboxes(ALL, { address, mailFrom });
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
    async lookUp(address, mailFrom) {
      const targets = await targetsOf(address, mailFrom.toLowerCase());
      const state = stateOfTargets(quota, targets);
      if (state === 'flooded') log.warn({ targets }, 'a sender has sent more e-mails in an hour than an inbox takes');
      return { mailbox: targets, state };
    },
    async accept({ mailFrom, recipients, client }, content) {
      await using raw = await intake.receive(content, networkOf(client.ip));
      const known = recipients.flatMap(({ address, mailbox: targets }) =>
        targets.map(({ isFlooded: _, ...mailbox }) => ({ address, mailbox })),
      );
      const mail = { mailFrom: mailFrom.toLowerCase(), recipients: known, raw, client };
      if (await processInline(mail)) return; // its statements are counted
      await storeInboundEmail(db, mail);
      const orgIds = known.map(({ mailbox }) => mailbox.orgId);
      for (const orgId of new Set(orgIds)) quota.add(raw.size, orgId);
    },
  });
}

type KnownTarget = MailTarget & { isFlooded: boolean };

function stateOfTargets(quota: WriteQuota, targets: KnownTarget[]): MailboxState {
  if (targets.length === 0) return 'unknown';
  for (const { orgId, isFlooded } of targets) {
    try {
      quota.assertLeft(orgId);
    } catch {
      return 'full';
    }
    if (isFlooded) return 'flooded';
  }
  return 'open';
}
