import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { ComposedMail } from './composing.ts';

type ConnectionOptions = ConstructorParameters<typeof SMTPConnection>[0];

/** An e-mail is given to so many connections that turn out to be closed, or break in its envelope, before it is left. */
const MAX_CLOSED_CONNECTIONS = 3;
/** A server that has answered an e-mail within this time is not away: what it breaks off at is the fault of that. */
const ALIVE_MS = 30_000;

interface SmtpPoolOptions {
  /** The most connections at once. */
  size: number;
  connection: ConnectionOptions;
  login: { user: string; pass: string } | undefined;
  /** Opens the sockets. Without it, the connections do. */
  connect: (() => Promise<Socket>) | undefined;
}

/** The error of a command, or of a connection (nodemailer's terms). */
export interface SmtpError extends Error {
  code?: string;
  /** The system's own code, such as ECONNREFUSED, if there is one. */
  originalCode?: string;
  timeoutType?: string;
  responseCode?: number;
  /** The failed command. */
  command?: string;
  response?: string;
}

/** What became of an e-mail. */
export type MailResult =
  /** Taken for all recipients but the refused ones. */
  | { isTaken: true; refused: Map<string, SmtpError> }
  /**
   * `stage`: how far it got. Nothing of an e-mail has left before its content. A server that breaks the connection in the
   * envelope counts as away (`connection`), unless it has just answered other e-mails (`envelope`).
   */
  | { isTaken: false; stage: 'connection' | 'envelope' | 'content'; error: SmtpError };

interface SmtpPool {
  /** Hands an e-mail over by a free connection, or by the next one. Never rejects. */
  send(mail: ComposedMail): Promise<MailResult>;
  /** Closes each connection behind the e-mail that it sends. Those that wait for one are not sent. */
  close(): void;
}

/** The error of an e-mail that is given to a closed pool, or waits in it. */
export const POOL_CLOSED = 'Connection pool was closed';

interface Waiting {
  mail: ComposedMail;
  done(result: MailResult): void;
}

/**
 * Holds open connections to one mail server. Each sends one e-mail after the other: the commands of an e-mail in one packet
 * where the server offers PIPELINING (RFC 2920), and its content in another.
 */
export function createSmtpPool({ size, connection: options, login, connect }: SmtpPoolOptions): SmtpPool {
  const queue: Waiting[] = [];
  const idle = new Set<SMTPConnection>();
  let busy = 0;
  let isClosed = false;
  /** When the server last answered something to an e-mail, in ms. */
  let answeredAt = Number.NEGATIVE_INFINITY;

  const open = async (): Promise<SMTPConnection> => {
    const socket = await connect?.();
    const connection = new SMTPConnection({ ...options, ...(socket && { connection: socket }) });
    try {
      await new Promise<void>((resolve, reject) => {
        connection.on('error', reject); // an end follows
        connection.once('end', () => {
          idle.delete(connection);
          reject(connectionClosed());
        });
        connection.connect((failure) => {
          if (failure) reject(failure);
          else if (login === undefined || !connection.allowsAuth) resolve();
          else connection.login(login, (refusal) => (refusal ? reject(refusal) : resolve()));
        });
      });
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    }
  };

  /** Sends by a connection, and gives it back if it can be used again. */
  const sendBy = async (connection: SMTPConnection, mail: ComposedMail): Promise<MailResult> => {
    const { result, isUsable } = await handOver(connection, mail);
    if (!isUsable || connection.destroyed || isClosed) connection.close();
    else idle.add(connection);
    return result;
  };

  const sendOne = async (mail: ComposedMail): Promise<MailResult> => {
    for (let closed = 0; ; closed++) {
      const [used] = idle;
      if (used !== undefined) idle.delete(used);
      let connection: SMTPConnection;
      try {
        connection = used ?? (await open());
      } catch (error) {
        return { isTaken: false, stage: 'connection', error: error as SmtpError };
      }
      const result = await sendBy(connection, mail);
      if (isAnswered(result)) answeredAt = performance.now();
      if (!isLostInEnvelope(result)) return result;
      const mayBeGone = used !== undefined || isBroken(result.error);
      if (mayBeGone && closed < MAX_CLOSED_CONNECTIONS) continue;
      return performance.now() - answeredAt < ALIVE_MS ? result : { ...result, stage: 'connection' };
    }
  };

  const work = async (): Promise<void> => {
    busy++;
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) next.done(await sendOne(next.mail));
    busy--;
  };

  return {
    send: (mail) =>
      new Promise((done) => {
        if (isClosed) return done(NOT_SENT);
        queue.push({ mail, done });
        if (busy < size) void work();
      }),
    close() {
      isClosed = true;
      for (const { done } of queue.splice(0)) done(NOT_SENT);
      for (const connection of idle) connection.close();
      idle.clear();
    },
  };
}

const NOT_SENT: MailResult = { isTaken: false, stage: 'connection', error: new Error(POOL_CLOSED) };

const connectionClosed = (): SmtpError =>
  Object.assign(new Error('The server closed the connection'), { code: 'ECONNECTION' });

/** Whether an error broke the connection at once. */
const isBroken = ({ code, responseCode }: SmtpError): boolean =>
  responseCode === undefined && (code === 'ECONNECTION' || code === 'ESOCKET');

/** Whether an error ended the connection, rather than the e-mail. */
const isClosedBy = (error: SmtpError): boolean =>
  error.responseCode === 421 || isBroken(error) || error.code === 'ETIMEDOUT';

const isLostInEnvelope = (result: MailResult): result is Extract<MailResult, { isTaken: false }> =>
  !result.isTaken && result.stage === 'envelope' && isClosedBy(result.error);

/** Whether the server has answered something to an e-mail, other than that it is leaving. */
const isAnswered = (result: MailResult): boolean =>
  result.isTaken ||
  result.stage === 'content' ||
  (result.error.responseCode !== undefined && result.error.responseCode !== 421);

interface HandedOver {
  result: MailResult;
  /** Whether the connection can take another e-mail. */
  isUsable: boolean;
}

/** Hands an e-mail over. Never rejects. */
async function handOver(connection: SMTPConnection, { envelope, content }: ComposedMail): Promise<HandedOver> {
  let stream: Readable | undefined;
  try {
    const opened = typeof content === 'function' ? await content() : streamOf(content, connection);
    stream = opened;
    return await new Promise<HandedOver>((resolve) => {
      connection.send({ ...envelope }, opened, (error, sent) => {
        if (error === null) return resolve({ result: { isTaken: true, refused: refusedIn(sent) }, isUsable: true });
        const result = failedIn(opened, error);
        // A refusal of the content may come in the middle of it: nothing else can follow there.
        if (error.code !== 'EENVELOPE' || error.responseCode === 421 || connection.destroyed)
          return resolve({ result, isUsable: false });
        const lost = () => resolve({ result, isUsable: false });
        connection.once('end', lost);
        connection.reset((failed) => {
          connection.off('end', lost);
          resolve({ result, isUsable: failed === null });
        });
      });
    });
  } catch (error) {
    return { result: failedIn(stream, error as SmtpError), isUsable: false };
  }
}

type SentInfo = Parameters<Parameters<SMTPConnection['send']>[2]>[1];

const refusedIn = (sent: SentInfo): Map<string, SmtpError> =>
  new Map((sent?.rejectedErrors ?? []).map((refusal) => [refusal.recipient ?? '', refusal]));

const failedIn = (stream: Readable | undefined, error: SmtpError): MailResult => ({
  isTaken: false,
  stage: stream?.readableDidRead === true ? 'content' : 'envelope',
  error,
});

/**
 * Returns the bytes as a stream, which shows whether any of them were read. They leave together with the dot behind them: the
 * library writes the two one after the other.
 */
const streamOf = (content: Buffer, { _socket: socket }: SMTPConnection): Readable =>
  new Readable({
    read() {
      if (socket) {
        socket.cork();
        setImmediate(() => socket.uncork());
      }
      this.push(content);
      this.push(null);
    },
  });
