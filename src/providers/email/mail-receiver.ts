import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import type { FastifyBaseLogger } from 'fastify';
import { SMTPServer, type SMTPServerAddress, type SMTPServerDataStream } from 'smtp-server';

const MAX_MAIL_BYTES = 10 * 1024 * 1024;
/** The total size of all e-mails in progress. */
const MAX_BUFFERED_BYTES = 64 * 1024 * 1024;
const MAX_CONNECTIONS = 50;
const MAX_RECIPIENTS = 10;
const IDLE_TIMEOUT_MS = 60_000;
const CLOSE_TIMEOUT_MS = 3_000;
/** Certificates are renewed weeks before they end. */
const RENEWAL_MS = 3_600_000;

export interface MailEnvelope {
  /** Empty if nothing may be sent back. */
  mailFrom: string;
  recipients: string[];
  /** The mail server that hands the e-mail over, with the name that it gave. */
  client: { ip: string; helo: string };
}

export interface MailReceiverOptions {
  /** The host name in the SMTP greeting. */
  name: string;
  host: string;
  port: number;
  /** Whether the mailbox exists, and takes mail of this sender now. */
  stateOf(address: string, mailFrom: string): Promise<MailboxState>;
  /** Stores an e-mail durably. If it rejects, the sender is asked to retry later. */
  accept(envelope: MailEnvelope, raw: Buffer): Promise<void>;
  /** Paths of a certificate and its key as PEM, for STARTTLS. Without them, it is not offered. */
  tls?: { certFile: string; keyFile: string } | undefined;
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
export async function startMailReceiver(options: MailReceiverOptions): Promise<MailReceiver> {
  const { name, host, port, stateOf, accept, tls, log } = options;
  const receive = createBufferedReceive();
  const server = new SMTPServer({
    name,
    size: MAX_MAIL_BYTES,
    maxClients: MAX_CONNECTIONS,
    maxRecipients: MAX_RECIPIENTS,
    socketTimeout: IDLE_TIMEOUT_MS,
    closeTimeout: CLOSE_TIMEOUT_MS,
    disabledCommands: tls === undefined ? ['AUTH', 'STARTTLS'] : ['AUTH'],
    ...(tls && (await readCertificate(tls))),
    disableReverseLookup: true,
    onRcptTo({ address }, { envelope: { mailFrom } }, done) {
      stateOf(address, senderOf(mailFrom)).then(
        (state) => done(REFUSALS[state]),
        (error: unknown) => {
          log.warn({ err: error }, 'a mailbox could not be looked up; the sender was asked to retry');
          done(refusal(451, '4.3.0 Try again later'));
        },
      );
    },
    onData(stream, { envelope: { mailFrom, rcptTo }, remoteAddress, hostNameAppearsAs }, done) {
      const envelope = {
        mailFrom: senderOf(mailFrom),
        recipients: rcptTo.map(({ address }) => address),
        client: { ip: remoteAddress, helo: hostNameAppearsAs || '' },
      };
      receive(stream, (raw) =>
        accept(envelope, raw).catch((error: unknown) => {
          log.warn({ err: error }, 'an inbound e-mail could not be stored; its sender was asked to retry');
          throw refusal(451, '4.3.0 Try again later');
        }),
      ).then(() => done(), done);
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

type TlsFiles = NonNullable<MailReceiverOptions['tls']>;

async function readCertificate({ certFile, keyFile }: TlsFiles): Promise<{ cert: Buffer; key: Buffer }> {
  const [cert, key] = await Promise.all([readFile(certFile), readFile(keyFile)]);
  return { cert, key };
}

/** Uses the certificate that the files have now. Keeps the present one if they have none. */
async function renewCertificate(server: SMTPServer, tls: TlsFiles, log: MailReceiverOptions['log']): Promise<void> {
  try {
    server.updateSecureContext(await readCertificate(tls));
  } catch (error) {
    log.warn({ err: error }, 'the certificate of the mail receiver could not be read again; the present one stays');
  }
}

const senderOf = (mailFrom: SMTPServerAddress | false): string => (mailFrom === false ? '' : mailFrom.address);

/**
 * Buffers a complete e-mail for `take`. Refuses one over the size limit, and any while those in progress fill the
 * available memory.
 */
function createBufferedReceive() {
  let heldBytes = 0;
  return async (stream: SMTPServerDataStream, take: (raw: Buffer) => Promise<void>): Promise<void> => {
    const chunks: Buffer[] = [];
    let ownBytes = 0;
    let isCrowded = false;
    try {
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        isCrowded ||= heldBytes + chunk.length > MAX_BUFFERED_BYTES;
        if (isCrowded || stream.sizeExceeded) continue; // read to its end: only then does SMTP allow a refusal
        chunks.push(chunk);
        ownBytes += chunk.length;
        heldBytes += chunk.length;
      }
      if (stream.sizeExceeded) throw refusal(552, '5.3.4 The mail is too big');
      if (isCrowded) throw refusal(452, '4.3.1 Too much mail at once, try again later');
      await take(Buffer.concat(chunks));
    } finally {
      heldBytes -= ownBytes;
    }
  };
}

/** Answers to a recipient (RFC 3463, 3.2 and 3.3). */
const REFUSALS: Record<MailboxState, Error | null> = {
  open: null,
  flooded: refusal(450, '4.7.1 Too many mails from this sender in an hour, try again later'),
  full: refusal(452, '4.2.2 The mailbox takes no more mail today, try again later'),
  unknown: refusal(550, '5.1.1 No such mailbox here'),
};

function refusal(responseCode: number, message: string) {
  return Object.assign(new Error(message), { responseCode });
}
