import { createTransport } from 'nodemailer';
import { memberOf } from '../../collections/records.ts';
import { messageOf, ProviderError } from '../../errors.ts';
import { reasonFrom } from '../egress/provider-responses.ts';
import { connectionOptionsOf, type SmtpSettings, secretsOf } from './smtp.ts';

const TIMEOUT_MS = 5_000;
const EXTENSION = /^250[- ]([A-Z0-9][A-Z0-9-]*(?:[ =].*)?)$/i;

/** What a mail server says of itself. */
export interface SmtpOffer {
  isEncrypted: boolean;
  /** The lines of its answer to EHLO (RFC 5321, 4.1.1.1), such as `SIZE 35882577`, in the order in which they come. */
  extensions: string[];
}

/**
 * Connects and signs in without sending anything. Returns what the server offers. Throws ProviderError with the server's
 * words, and never with the password.
 */
export async function probeSmtp(settings: SmtpSettings): Promise<SmtpOffer> {
  const { host, port, secure, username, password } = settings;
  const greetings = createGreetings();
  const transport = createTransport({
    ...connectionOptionsOf(settings),
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
    debug: true,
    logger: greetings.logger,
  });
  try {
    await transport.verify();
    return { isEncrypted: secure || greetings.count() > 1, extensions: greetings.extensions() };
  } catch (error) {
    const response = memberOf(error, 'response');
    const said = typeof response === 'string' ? response : messageOf(error);
    const reason = reasonFrom(said, secretsOf(username, password)).slice(0, 300).toWellFormed();
    throw new ProviderError(`${host}:${port}: ${reason}`, { transient: true, cause: error });
  } finally {
    transport.close();
  }
}

/** Follows a session by nodemailer's log: after STARTTLS the client greets again, and only the second answer counts. */
function createGreetings() {
  let count = 0;
  let extensions: string[] = [];
  const note = (entry: unknown, text: unknown) => {
    if (typeof text !== 'string') return;
    const speaker = memberOf(entry, 'tnx');
    if (speaker === 'client' && text.startsWith('EHLO')) {
      count++;
      extensions = [];
    }
    if (speaker === 'server' && count > 0) extensions.push(...text.split(/\r?\n/).flatMap(extensionIn));
  };
  const ignore = () => undefined;
  const logger = { level: ignore, trace: note, debug: note, info: ignore, warn: ignore, error: ignore, fatal: ignore };
  // The first line of the answer names the server, and a later 250 belongs to another command.
  return { logger, count: () => count, extensions: () => extensions.slice(1).filter((line) => !line.startsWith('2.')) };
}

const extensionIn = (line: string): string[] => {
  const extension = EXTENSION.exec(line.trim())?.[1];
  return extension === undefined ? [] : [extension];
};
