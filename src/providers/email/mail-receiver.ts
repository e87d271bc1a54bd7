import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { FastifyBaseLogger } from 'fastify';
import { SMTPServer, type SMTPServerDataStream } from 'smtp-server';

const MAX_MAIL_BYTES = 10 * 1024 * 1024;
/** Of all mails that are under way. */
const MAX_BUFFERED_BYTES = 64 * 1024 * 1024;
const MAX_CONNECTIONS = 50;
const MAX_RECIPIENTS = 10;
const IDLE_TIMEOUT_MS = 60_000;
const CLOSE_TIMEOUT_MS = 3_000;

export interface MailEnvelope {
  /** Empty where nothing may be sent back. */
  mailFrom: string;
  recipients: string[];
}

export interface MailReceiverOptions {
  /** What it greets as. */
  name: string;
  host: string;
  port: number;
  /** Whether there is such a mailbox. */
  isRecipient(address: string): boolean;
  /** Keeps a mail for good. Where it rejects, the sender is asked to try again later. */
  accept(envelope: MailEnvelope, raw: Buffer): Promise<void>;
  log: Pick<FastifyBaseLogger, 'warn'>;
}

export interface MailReceiver {
  port: number;
  /** Takes no more mail, and lets what is under way end within 3 s. */
  stop(): Promise<void>;
}

/**
 * Receives mail by SMTP (RFC 5321) for mailboxes of ours, without TLS or login. A mail is the sender's until it was accepted: only
 * then is it told so.
 */
export async function startMailReceiver(options: MailReceiverOptions): Promise<MailReceiver> {
  const { name, host, port, isRecipient, accept, log } = options;
  const receive = createBufferedReceive();
  const server = new SMTPServer({
    name,
    size: MAX_MAIL_BYTES,
    maxClients: MAX_CONNECTIONS,
    maxRecipients: MAX_RECIPIENTS,
    socketTimeout: IDLE_TIMEOUT_MS,
    closeTimeout: CLOSE_TIMEOUT_MS,
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    onRcptTo({ address }, _session, done) {
      done(isRecipient(address) ? null : refusal(550, '5.1.1 No such mailbox here'));
    },
    onData(stream, { envelope: { mailFrom, rcptTo } }, done) {
      const envelope = {
        mailFrom: mailFrom === false ? '' : mailFrom.address,
        recipients: rcptTo.map(({ address }) => address),
      };
      receive(stream, (raw) =>
        accept(envelope, raw).catch((error: unknown) => {
          log.warn({ err: error }, 'a mail could not be kept; its sender is asked to try again');
          throw refusal(451, '4.3.0 Try again later');
        }),
      ).then(() => done(), done);
    },
  });
  server.on('error', () => undefined); // a client that hangs up is the client's affair
  await once(server.listen(port, host), 'listening');
  return {
    port: (server.server.address() as AddressInfo).port,
    stop: () => new Promise((resolve) => server.close(resolve)),
  };
}

/** Gives a whole mail to `take`. Refuses one that is too big, and any while those under way fill the memory that they may. */
function createBufferedReceive() {
  let heldBytes = 0;
  return async (stream: SMTPServerDataStream, take: (raw: Buffer) => Promise<void>): Promise<void> => {
    const chunks: Buffer[] = [];
    let ownBytes = 0;
    let isCrowded = false;
    try {
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        isCrowded ||= heldBytes + chunk.length > MAX_BUFFERED_BYTES;
        if (isCrowded || stream.sizeExceeded) continue; // read to its end, as SMTP has no other place for a refusal
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

const refusal = (responseCode: number, message: string) => Object.assign(new Error(message), { responseCode });
