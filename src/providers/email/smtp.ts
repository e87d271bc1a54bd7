import type { Socket } from 'node:net';
import { createTransport, type SendMailOptions } from 'nodemailer';
import { looksLikeHtml } from '../../html/markup.rules.ts';
import { textOfHtml } from '../../html/text.rules.ts';
import { inSpan, SpanKind } from '../../tracing/spans.ts';
import { type Egress, EgressError } from '../egress/egress.ts';
import { reasonFrom } from '../egress/provider-responses.ts';
import type { SendOutcome } from '../sending.ts';
import type { EmailMessage, EmailSender, MailFile } from './port.ts';

const POOL_CONNECTIONS = 10;
const CONNECT_TIMEOUT_MS = 10_000;
/** For a connection that is tried at one address after the other. */
const ALL_ADDRESSES_TIMEOUT_MS = 60_000;
const SOCKET_TIMEOUT_MS = 30_000;

/** The settings of an org's e-mail integration or of SMTP_URL. */
export interface SmtpSettings {
  host: string;
  port: number;
  secure: boolean;
  username?: string | undefined;
  password?: string | undefined;
  /** Signs in also where the server offers no encryption. */
  allow_unencrypted_login?: boolean | undefined;
  dkim?: { domain: string; selector: string; private_key: string } | undefined;
}

/**
 * Parses `smtp://user:password@host:port` or `smtps://…`, with `?allow_unencrypted_login=true` for a server without
 * encryption. Throws on anything else.
 */
export function smtpSettingsOf(url: string): SmtpSettings {
  const { protocol, hostname, port, username, password, searchParams } = new URL(url);
  if (protocol !== 'smtp:' && protocol !== 'smtps:') throw new Error('SMTP_URL must begin with smtp:// or smtps://');
  const secure = protocol === 'smtps:';
  return {
    host: hostname,
    port: port === '' ? (secure ? 465 : 587) : Number(port),
    secure,
    username: username === '' ? undefined : decodeURIComponent(username),
    password: password === '' ? undefined : decodeURIComponent(password),
    allow_unencrypted_login: searchParams.get('allow_unencrypted_login') === 'true',
  };
}

/** Returns nodemailer's options for a server. A password is sent over an encrypted connection only, unless allowed. */
export const connectionOptionsOf = ({ host, port, secure, username, password, ...settings }: SmtpSettings) => ({
  host,
  port,
  secure,
  auth: username === undefined ? undefined : { user: username, pass: password ?? '' },
  requireTLS: username !== undefined && settings.allow_unencrypted_login !== true,
  tls: { servername: host },
});

/**
 * Sends by SMTP (RFC 5321) over pooled connections. `connect` opens them, so that a server named by a customer is reached
 * at checked addresses only.
 */
export function createSmtpSender(settings: SmtpSettings, connect?: Egress['connect']): EmailSender {
  const { username, password, dkim } = settings;
  const transport = createTransport({
    pool: true,
    maxConnections: POOL_CONNECTIONS,
    maxMessages: Number.POSITIVE_INFINITY,
    maxRequeues: 2,
    ...connectionOptionsOf(settings),
    ...(connect && { getSocket: socketsOf(settings, connect) }),
    connectionTimeout: connect === undefined ? CONNECT_TIMEOUT_MS : ALL_ADDRESSES_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SOCKET_TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });

  return {
    provider: 'smtp',
    concurrency: POOL_CONNECTIONS,
    async send(message) {
      try {
        const {
          messageId,
          rejected,
          rejectedErrors = [],
        } = await inSpan(spanOptionsOf(settings), () => transport.sendMail(toMail(message, dkim)));
        // With several recipients, the server may refuse the one that the e-mail is to, and take it for the others.
        if (rejected.includes(message.to))
          return outcomeOf((rejectedErrors[0] ?? new Error('refused')) as SmtpError, secretsOf(username, password));
        return { kind: 'accepted', providerId: messageId };
      } catch (error) {
        return outcomeOf(error as SmtpError, secretsOf(username, password));
      }
    },
    close: () => transport.close(),
  };
}

const spanOptionsOf = ({ host, port }: SmtpSettings) => ({
  name: `SMTP ${host}`,
  kind: SpanKind.CLIENT,
  attributes: { 'server.address': host, 'server.port': port },
});

/** Returns nodemailer's way to get opened connections. */
const socketsOf =
  ({ host, port }: SmtpSettings, connect: Egress['connect']) =>
  (_options: unknown, done: (error: Error | null, opened?: { connection: Socket }) => void): void => {
    connect(host, port).then((connection) => done(null, { connection }), done);
  };

/** RFC 8058 requires signing both List-Unsubscribe fields; nodemailer's own list omits the second. */
const DKIM_FIELDS =
  'From:Sender:Reply-To:Subject:Date:Message-ID:In-Reply-To:References:To:Cc:MIME-Version:Content-Type:Content-Transfer-Encoding:List-Unsubscribe:List-Unsubscribe-Post';

function toMail(
  {
    messageId,
    from,
    to,
    cc = [],
    subject,
    body,
    isHtml,
    attachments = [],
    inReplyTo,
    references,
    isAutoReply,
    unsubscribeUrl,
    envelopeFrom,
    replyTo,
    dkim,
  }: EmailMessage,
  ownDkim: SmtpSettings['dkim'],
): SendMailOptions {
  const signing = dkim ?? (ownDkim && { ...ownDkim, privateKey: ownDkim.private_key });
  return {
    messageId,
    from: { name: from.name ?? '', address: from.address },
    to: { name: '', address: to },
    ...(cc.length > 0 && { cc: cc.map((address) => ({ name: '', address })) }),
    ...(replyTo === undefined ? {} : { replyTo }),
    envelope: { from: envelopeFrom, to: [to, ...cc] },
    subject,
    ...(inReplyTo === undefined ? {} : { inReplyTo, references: references ?? inReplyTo }),
    ...((isHtml ?? looksLikeHtml(body)) ? { html: body, text: textOfHtml(body) } : { text: body }),
    ...(attachments.length > 0 && { attachments: attachments.map(partOf) }),
    ...(signing === undefined
      ? {}
      : {
          dkim: {
            domainName: signing.domain,
            keySelector: signing.selector,
            privateKey: signing.privateKey,
            headerFieldNames: DKIM_FIELDS,
          },
        }),
    headers: {
      ...(isAutoReply === true && { 'Auto-Submitted': 'auto-replied' }),
      ...(unsubscribeUrl !== undefined && {
        'List-Unsubscribe': `<${unsubscribeUrl}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      }),
    },
  };
}

const partOf = ({ name, mimeType, bytes }: MailFile) => ({
  filename: name,
  contentType: mimeType,
  content: bytes,
  contentDisposition: 'attachment' as const,
});

/** Returns the forms in which a password is sent (RFC 4616, RFC 4954), as a server may repeat them in its answer. */
export function secretsOf(username = '', password = ''): string[] {
  const forms = [password, `\0${username}\0${password}`].map((form) => Buffer.from(form).toString('base64'));
  return password === '' ? [] : [password, ...forms];
}

interface SmtpError extends Error {
  code?: string;
  /** The system's own code, such as ECONNREFUSED, if there is one. */
  originalCode?: string;
  timeoutType?: string;
  responseCode?: number;
  /** The failed command, in nodemailer's terms. */
  command?: string;
  response?: string;
}

const CONNECTION_FAILURES = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);
/** nodemailer's error for messages queued in a closed pool, or sent to it. */
const CLOSED_POOL_MESSAGE = 'Connection pool was closed';
/**
 * The enhanced code (RFC 3463) at the start of a response: no such mailbox, no such domain, mailbox disabled. Not a
 * full mailbox, a policy or a problem of the sender.
 */
const NO_SUCH_ADDRESS = /^\d{3}[ -]5\.(?:1\.(?:[0-6]|10)|2\.1)(?!\.?\d)/;
/** nodemailer's errors for a server that takes no session, by its greeting or its answer to ours: no mail can be sent. */
const REFUSED_SESSION = /^(?:Invalid greeting|Invalid HELO|EHLO failed)/;
const TIMEOUTS_BEFORE_MAIL = new Set(['CONNECT_TIMEOUT', 'GREETING_TIMEOUT', 'UPGRADE_TIMEOUT']);

/**
 * Returns the outcome for a failure (RFC 5321, 4.2; enhanced codes of RFC 3463). A missing response proves nothing: the
 * outcome is `unknown`.
 */
function outcomeOf(error: SmtpError, secrets: string[]): SendOutcome {
  if (error instanceof EgressError)
    return error.transient
      ? { kind: 'retry', scope: 'provider', reason: error.message }
      : { kind: 'rejected', because: 'config', reason: error.message };
  const { code = '', originalCode = '', timeoutType = '', responseCode = 0 } = error;
  const reason = reasonFrom(error.response ?? error.message, secrets);
  const isTemporary = responseCode >= 400 && responseCode < 500;

  const neverLeft =
    CONNECTION_FAILURES.has(originalCode) ||
    TIMEOUTS_BEFORE_MAIL.has(timeoutType) ||
    error.message === CLOSED_POOL_MESSAGE;
  if (code === 'EDNS' || code === 'ETLS' || neverLeft) {
    return { kind: 'retry', scope: 'provider', reason };
  }
  if (code === 'EAUTH') {
    return isTemporary ? { kind: 'retry', scope: 'provider', reason } : { kind: 'rejected', because: 'config', reason };
  }
  if (isTemporary) {
    const isAboutMessage = (code === 'EENVELOPE' || code === 'EMESSAGE') && responseCode !== 421;
    return { kind: 'retry', scope: isAboutMessage ? 'recipient' : 'provider', reason };
  }
  if (REFUSED_SESSION.test(error.message)) return { kind: 'rejected', because: 'config', reason };
  if (responseCode >= 500) {
    if (error.command === 'MAIL FROM') return { kind: 'rejected', because: 'config', reason };
    return { kind: 'rejected', because: NO_SUCH_ADDRESS.test(reason) ? 'suppress' : 'permanent', reason };
  }
  if (code === 'EENVELOPE' || code === 'EMESSAGE') return { kind: 'rejected', because: 'permanent', reason };
  return { kind: 'unknown', reason };
}
