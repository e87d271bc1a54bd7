import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { finished } from 'node:stream/promises';
import type { FastifyBaseLogger } from 'fastify';
import { SMTPServer, type SMTPServerAddress, type SMTPServerDataStream, type SMTPServerEnvelope } from 'smtp-server';
import { DomainError, TooManyRequests } from '../../errors.ts';

const MAX_CONNECTIONS = 50;
const MAX_RECIPIENTS = 10;
const IDLE_TIMEOUT_MS = 60_000;
/** For all of an e-mail. A sender that is never idle for long may be slow on purpose. */
const MAIL_TIMEOUT_MS = 300_000;
const CLOSE_TIMEOUT_MS = 3_000;
/** Certificates are renewed weeks before they end. */
const RENEWAL_MS = 3_600_000;

export interface MailEnvelope<Mailbox> {
  /** Empty if nothing may be sent back. */
  mailFrom: string;
  /** With what was found at each address. */
  recipients: { address: string; mailbox: Mailbox }[];
  /** The mail server that hands the e-mail over, with the name that it gave. */
  client: { ip: string; helo: string };
}

export interface MailReceiverOptions<Mailbox> {
  /** The host name in the SMTP greeting. */
  name: string;
  host: string;
  port: number;
  /** Returns the mailbox of an address, and whether it exists and takes mail of this sender now. */
  lookUp(address: string, mailFrom: string): Promise<{ mailbox: Mailbox; state: MailboxState }>;
  /** The size of the largest e-mail, which is announced (RFC 1870). */
  maxBytes: number;
  /**
   * Reads an e-mail and stores it durably. If it rejects, the sender is asked to retry later, except for one that is too
   * large.
   */
  accept(envelope: MailEnvelope<Mailbox>, content: AsyncIterator<Uint8Array>): Promise<void>;
  /** Paths of a certificate and its key as PEM, for STARTTLS. Without them, it is not offered. */
  tls?: { certFile: string; keyFile: string } | undefined;
  /** How long the text of an e-mail may take to come. Default: 5 minutes. */
  mailTimeoutMs?: number;
  log: Pick<FastifyBaseLogger, 'warn'>;
}

export type MailboxState = 'open' | 'full' | 'flooded' | 'unknown';

export interface MailReceiver {
  port: number;
  /** Stops receiving e-mail and gives e-mails in progress 3 s to complete. */
  stop(): Promise<void>;
}

/**
 * Receives e-mail by SMTP (RFC 5321) for our mailboxes, without login, and encrypted if the sender wants so (RFC 3207).
 * Confirms an e-mail only after it was accepted: until then the sender stays responsible for it.
 */
export async function startMailReceiver<Mailbox>(options: MailReceiverOptions<Mailbox>): Promise<MailReceiver> {
  const { name, host, port, maxBytes, lookUp, accept, tls, mailTimeoutMs = MAIL_TIMEOUT_MS, log } = options;
  const found = new WeakMap<SMTPServerEnvelope, Map<string, Mailbox>>();
  const server = new SMTPServer({
    name,
    size: maxBytes,
    maxClients: MAX_CONNECTIONS,
    maxRecipients: MAX_RECIPIENTS,
    socketTimeout: IDLE_TIMEOUT_MS,
    closeTimeout: CLOSE_TIMEOUT_MS,
    disabledCommands: tls === undefined ? ['AUTH', 'STARTTLS'] : ['AUTH'],
    ...(tls && (await readCertificate(tls))),
    disableReverseLookup: true,
    onRcptTo({ address }, { envelope }, done) {
      lookUp(address, senderOf(envelope.mailFrom)).then(
        ({ mailbox, state }) => {
          found.set(envelope, (found.get(envelope) ?? new Map()).set(address, mailbox));
          done(REFUSALS[state]);
        },
        (error: unknown) => {
          log.warn({ err: error }, 'a mailbox could not be looked up; the sender was asked to retry');
          done(refusal(451, '4.3.0 Try again later'));
        },
      );
    },
    onData(stream, { envelope: given, remoteAddress, hostNameAppearsAs }, done) {
      const mailboxes = found.get(given) ?? new Map<string, Mailbox>();
      const envelope = {
        mailFrom: senderOf(given.mailFrom),
        recipients: given.rcptTo.map(({ address }) => ({ address, mailbox: mailboxes.get(address) as Mailbox })),
        client: { ip: remoteAddress, helo: hostNameAppearsAs || '' },
      };
      const content = stream.iterator({ destroyOnReturn: false });
      stream.on('error', () => undefined); // whoever reads it learns of it
      const deadline = setTimeout(() => {
        if (!stream.writableEnded) stream.destroy(TOO_SLOW);
      }, mailTimeoutMs);
      accept(envelope, content)
        .then(
          () => done(),
          async (error: unknown) => {
            await content.return?.();
            await readToEnd(stream);
            done(refusalOf(stream.errored === TOO_SLOW ? TOO_SLOW : error, maxBytes, log));
          },
        )
        .finally(() => clearTimeout(deadline));
    },
  });
  server.on('error', () => undefined); // errors of single connections, such as a client hanging up
  await once(server.listen(port, host), 'listening');
  const renewal = tls && setInterval(() => void renewCertificate(server, tls, log), RENEWAL_MS).unref();
  return {
    port: (server.server.address() as AddressInfo).port,
    stop() {
      clearInterval(renewal);
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

type TlsFiles = NonNullable<MailReceiverOptions<unknown>['tls']>;

async function readCertificate({ certFile, keyFile }: TlsFiles): Promise<{ cert: Buffer; key: Buffer }> {
  const [cert, key] = await Promise.all([readFile(certFile), readFile(keyFile)]);
  return { cert, key };
}

/** Uses the certificate that the files have now. Keeps the present one if they have none. */
async function renewCertificate(
  server: SMTPServer,
  tls: TlsFiles,
  log: MailReceiverOptions<unknown>['log'],
): Promise<void> {
  try {
    server.updateSecureContext(await readCertificate(tls));
  } catch (error) {
    log.warn({ err: error }, 'the certificate of the mail receiver could not be read again; the present one stays');
  }
}

const senderOf = (mailFrom: SMTPServerAddress | false): string => (mailFrom === false ? '' : mailFrom.address);

/** SMTP allows a refusal only at the end of an e-mail. */
async function readToEnd(stream: SMTPServerDataStream): Promise<void> {
  stream.resume();
  await finished(stream).catch(() => undefined); // the sender has hung up
}

/** Returns the answer to an e-mail that was not stored. */
function refusalOf(error: unknown, maxBytes: number, log: MailReceiverOptions<unknown>['log']): Error {
  if (error instanceof DomainError && error.kind === 'too_large')
    return refusal(552, `5.3.4 The mail is larger than ${maxBytes / 1024 ** 2} MB`);
  if (error === TOO_SLOW) {
    log.warn('an inbound e-mail took too long to arrive; its sender was asked to retry');
    return TOO_SLOW;
  }
  if (error instanceof TooManyRequests) return refusal(452, '4.3.1 Too many large mails at once, try again later');
  log.warn({ err: error }, 'an inbound e-mail could not be stored; its sender was asked to retry');
  return refusal(451, '4.3.0 Try again later');
}

/** Answers to a recipient (RFC 3463, 3.2 and 3.3). */
const REFUSALS: Record<MailboxState, Error | null> = {
  open: null,
  flooded: refusal(450, '4.7.1 Too many mails from this sender in an hour, try again later'),
  full: refusal(452, '4.2.2 The mailbox takes no more mail today, try again later'),
  unknown: refusal(550, '5.1.1 No such mailbox here'),
};

/** The only answer to an e-mail of which more may come: the connection ends with it (RFC 5321, 3.8). */
const TOO_SLOW = refusal(421, '4.4.2 The mail took too long, try again later');

function refusal(responseCode: number, message: string) {
  return Object.assign(new Error(message), { responseCode });
}
