import { messageOf } from '../../errors.ts';
import { inSpan, SpanKind } from '../../tracing/spans.ts';
import { type Egress, EgressError } from '../egress/egress.ts';
import { reasonFrom } from '../egress/provider-responses.ts';
import type { SendOutcome } from '../sending.ts';
import { type ComposedMail, composeMail } from './composing.ts';
import { DkimKeyUnusable } from './dkim.ts';
import type { EmailSender } from './port.ts';
import { createSmtpPool, type MailResult, POOL_CLOSED, type SmtpError } from './smtp-pool.ts';

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
  const { host, port, username, password, dkim } = settings;
  const secrets = secretsOf(username, password);
  const signing = dkim && { domain: dkim.domain, selector: dkim.selector, privateKey: dkim.private_key };
  const pool = createSmtpPool({
    size: POOL_CONNECTIONS,
    login: username === undefined ? undefined : { user: username, pass: password ?? '' },
    connect: connect && (() => connect(host, port)),
    connection: {
      ...connectionOptionsOf(settings),
      connectionTimeout: connect === undefined ? CONNECT_TIMEOUT_MS : ALL_ADDRESSES_TIMEOUT_MS,
      greetingTimeout: CONNECT_TIMEOUT_MS,
      socketTimeout: SOCKET_TIMEOUT_MS,
    },
  });

  return {
    provider: 'smtp',
    concurrency: POOL_CONNECTIONS,
    async send(message) {
      let mail: ComposedMail;
      try {
        mail = composeMail(message, message.dkim ?? signing);
      } catch (error) {
        const because = error instanceof DkimKeyUnusable ? 'config' : 'permanent';
        return { kind: 'rejected', because, reason: reasonFrom(messageOf(error), secrets) };
      }
      const result = await inSpan(spanOptionsOf(settings), () => pool.send(mail));
      if (!result.isTaken) return outcomeOf(result, secrets);
      // With several recipients, the server may refuse the one that the e-mail is to, and take it for the others.
      const error = result.refused.get(mail.envelope.to[0] ?? '');
      if (error !== undefined) return outcomeOf({ isTaken: false, stage: 'envelope', error }, secrets);
      return { kind: 'accepted', providerId: message.messageId };
    },
    close: () => pool.close(),
  };
}

const spanOptionsOf = ({ host, port }: SmtpSettings) => ({
  name: `SMTP ${host}`,
  kind: SpanKind.CLIENT,
  attributes: { 'server.address': host, 'server.port': port },
});

/** Returns the forms in which a password is sent (RFC 4616, RFC 4954), as a server may repeat them in its answer. */
export function secretsOf(username = '', password = ''): string[] {
  const forms = [password, `\0${username}\0${password}`].map((form) => Buffer.from(form).toString('base64'));
  return password === '' ? [] : [password, ...forms];
}

const CONNECTION_FAILURES = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);
/**
 * The enhanced code (RFC 3463) at the start of a response: no such mailbox, no such domain, mailbox disabled. Not a
 * full mailbox, a policy or a problem of the sender.
 */
const NO_SUCH_ADDRESS = /^\d{3}[ -]5\.(?:1\.(?:[0-6]|10)|2\.1)(?!\.?\d)/;
/** nodemailer's errors for a server that takes no session, by its greeting or its answer to ours: no mail can be sent. */
const REFUSED_SESSION = /^(?:Invalid greeting|Invalid HELO|EHLO failed)/;
const TIMEOUTS_BEFORE_MAIL = new Set(['CONNECT_TIMEOUT', 'GREETING_TIMEOUT', 'UPGRADE_TIMEOUT']);

/**
 * Returns the outcome for a failure (RFC 5321, 4.2; enhanced codes of RFC 3463). A missing response to the content proves
 * nothing: the outcome is `unknown`. Before that nothing was sent.
 */
function outcomeOf({ error, stage }: Extract<MailResult, { isTaken: false }>, secrets: string[]): SendOutcome {
  const outcome = outcomeOfError(error, secrets);
  if (outcome.kind !== 'unknown' || stage === 'content') return outcome;
  return { kind: 'retry', scope: stage === 'connection' ? 'provider' : 'recipient', reason: outcome.reason };
}

function outcomeOfError(error: SmtpError, secrets: string[]): SendOutcome {
  if (error instanceof EgressError)
    return error.transient
      ? { kind: 'retry', scope: 'provider', reason: error.message }
      : { kind: 'rejected', because: 'config', reason: error.message };
  const { code = '', originalCode = '', timeoutType = '', responseCode = 0 } = error;
  const reason = reasonFrom(error.response ?? error.message, secrets);
  const isTemporary = responseCode >= 400 && responseCode < 500;

  const neverLeft =
    CONNECTION_FAILURES.has(originalCode) || TIMEOUTS_BEFORE_MAIL.has(timeoutType) || error.message === POOL_CLOSED;
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
