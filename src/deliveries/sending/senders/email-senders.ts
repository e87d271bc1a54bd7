import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Db } from '../../../db/connect.ts';
import type { ConnectionCalls } from '../../../orgs/integrations/calls.service.ts';
import { findConnection } from '../../../orgs/integrations/service.ts';
import type { Egress } from '../../../providers/egress/egress.ts';
import type { EmailMessage, EmailSender } from '../../../providers/email/port.ts';
import { createRenewedSender } from '../../../providers/email/renewed-sender.ts';
import { createSmtpSender, type SmtpSettings, smtpSettingsOf } from '../../../providers/email/smtp.ts';
import type { Secrets } from '../../../secrets.ts';
import { findDkimSigning } from '../../email-domains/service.ts';
import { bounceAddress, type MailTokens, messageIdOf, replyAddress } from '../../inbound/mail-tokens.ts';
import type { UnsubscribeLinks } from '../../ledger/delivery-links.ts';
import type { SendWithFiles } from '../file-loader.ts';
import type { MessageSender, OutgoingMessage } from '../message-sender.ts';
import { bodyWithUnsubscribeLink } from '../unsubscribe-link.rules.ts';

const MAX_OPEN_SENDERS = 200;
const CONNECTIONS_TTL_MS = 5 * 60_000;
const MAX_CACHED_SIGNINGS = 1_000;
const SIGNING_TTL_MS = 2_000;

export interface EmailSendersDeps {
  db: Db;
  secrets: Secrets;
  egress: Egress;
  calls: Pick<ConnectionCalls, 'observeSend'>;
  links: UnsubscribeLinks;
  withFiles: SendWithFiles;
  tokens: MailTokens;
  /** The default mail server for orgs without their own. */
  smtpUrl: string | undefined;
  /** Our domain for receiving bounces and replies; undefined if we receive none. */
  inboundDomain: string | undefined;
  /** Whether e-mail may be sent from unverified domains. */
  isDevelopment: boolean;
}

export interface EmailSenders {
  /** Returns a sender through the org's own mail server, else the default one. Returns undefined if there is neither. */
  of(orgId: string): Promise<MessageSender | undefined>;
  close(): void;
}

type Signing = Awaited<ReturnType<typeof findDkimSigning>>;

/** Creates senders of e-mail, signed for its domain. All batches share one connection pool per mail server and login. */
export function createEmailSenders(deps: EmailSendersDeps): EmailSenders {
  const { db, secrets, egress, calls, smtpUrl, isDevelopment, withFiles } = deps;
  const fallback = smtpUrl === undefined ? undefined : createSmtpSender(smtpSettingsOf(smtpUrl));
  const senders = new LRUCache<string, EmailSender>({
    max: MAX_OPEN_SENDERS,
    dispose: (sender) => sender.close(),
  });
  const signings = new LRUCache<string, Promise<Signing>>({ max: MAX_CACHED_SIGNINGS, ttl: SIGNING_TTL_MS });

  const signingOf = (orgId: string, domain: string): Promise<Signing> => {
    const key = `${orgId} ${domain}`;
    const cached = signings.get(key);
    if (cached !== undefined) return cached;
    const signing = findDkimSigning(db, secrets, orgId, domain);
    signings.set(key, signing);
    signing.catch(() => signings.delete(key));
    return signing;
  };

  const senderOf = (settings: SmtpSettings): EmailSender => {
    const key = createHash('sha256').update(JSON.stringify(settings)).digest('base64');
    const cached = senders.get(key);
    if (cached !== undefined) return cached;
    const sender = createRenewedSender(() => createSmtpSender(settings, egress.connect), CONNECTIONS_TTL_MS);
    senders.set(key, sender);
    return sender;
  };

  return {
    async of(orgId) {
      const settings = await findConnection(db, secrets, orgId, 'email');
      const sender = settings === undefined ? fallback : senderOf(settings);
      if (sender === undefined) return undefined;
      const sendMail = (message: EmailMessage) =>
        settings === undefined
          ? sender.send(message)
          : calls.observeSend({ orgId, kind: 'email', settings }, () => sender.send(message));
      const { provider, concurrency } = sender;
      return {
        provider,
        concurrency,
        fromAddress: null,
        pool: sender,
        async send(envelope) {
          if (envelope.channel !== 'email') throw new TypeError(`${envelope.channel} does not go out by mail`);
          const domain = domainOf(envelope.content.from_email);
          const signing = await signingOf(orgId, domain);
          if (signing !== undefined || isDevelopment)
            return withFiles(orgId, envelope.content.files ?? [], (attachments) =>
              sendMail({ ...messageOf(deps, envelope, domain, signing), attachments }),
            );
          const reason = `${domain} is not a verified sending domain: verify it (PATCH /email/domains/${domain})`;
          return { kind: 'rejected', because: 'config', reason };
        },
      };
    },
    close() {
      fallback?.close();
      senders.clear();
    },
  };
}

function messageOf(
  { links, tokens, inboundDomain }: EmailSendersDeps,
  { orgId, deliveryId, to, content }: Extract<OutgoingMessage, { channel: 'email' }>,
  domain: string,
  signing: Signing,
): EmailMessage {
  const token = tokens.tokenOf({ orgId, deliveryId });
  const url = links.urlOf({ orgId, deliveryId });
  const linked = { body: content.body, isHtml: content.is_html, isRequired: !content.is_transactional };
  return {
    messageId: messageIdOf(token, domain),
    from: { name: content.sender_name ?? undefined, address: content.from_email },
    to,
    cc: content.cc,
    subject: content.subject,
    body: bodyWithUnsubscribeLink({ ...linked, url }),
    isHtml: content.is_html,
    inReplyTo: content.in_reply_to,
    references: content.references,
    isAutoReply: content.is_auto_reply,
    unsubscribeUrl: content.is_transactional ? undefined : url,
    envelopeFrom: inboundDomain === undefined ? content.from_email : bounceAddress(token, inboundDomain),
    replyTo: inboundDomain === undefined ? undefined : replyAddress(token, inboundDomain),
    dkim: signing,
  };
}

const domainOf = (address: string) => address.slice(address.lastIndexOf('@') + 1).toLowerCase();
