import type { Db } from '../../../../db/connect.ts';
import { newId } from '../../../../ids.ts';
import type { MailAuthenticity } from '../../../../providers/email/authenticator.ts';
import { listInboxesAt } from '../../../email-inboxes/service.ts';
import type { MailReader } from '../../../mail/mail-reader.ts';
import type { ParsedEmail } from '../../../mail/parsed-mail.rules.ts';
import { mailInMemory } from '../../../mail/raw-mail.ts';
import { findDelivery } from '../../../queries.ts';
import type { MailTokens } from '../../mail-tokens.ts';
import { hashOf } from '../raw-mails.service.ts';
import type { Classification } from '../rules.ts';
import type { ReceivedMail } from '../service.ts';
import type { MailTarget } from '../table.ts';
import { type AuthenticityDeps, authenticityOf, verdictOn } from '../verdict.service.ts';
import { listWaitingSenders, type ProcessedEmail } from './queries.ts';

/** An e-mail whose reading or look-ups take longer is stored, and goes to its workflow. */
const MAX_READING_MS = 1_000;
/** While so many are being read, also those that nobody waits for any more, further ones go to their workflows. */
const MAX_READINGS = 16;
/** What a file looks like in the bytes of an e-mail. Where this finds one too few, the e-mail is read twice. */
const FILE =
  /^content-(?:disposition:[ \t]{0,9}attachment|type:[ \t]{0,9}(?:image|application|audio|video)\/)|[;\n][ \t]{0,9}(?:file)?name\*?=/im;

export interface InlineMailDeps extends AuthenticityDeps {
  db: Db;
  tokens: MailTokens;
  mailReader: MailReader;
  log: { warn(fields: object, message: string): void };
}

/** An e-mail and what was read of it. */
export interface ReadMail extends Omit<ProcessedEmail, 'result'> {
  /** The id of the message that it becomes. */
  messageId: string;
  mail: ParsedEmail;
  authenticity: MailAuthenticity;
  /** The recipient of its delivery. */
  to: string | null;
}

/** A read e-mail with what it is to its org. */
export interface JudgedMail extends ReadMail {
  verdict: Classification;
  /** The team of its inbox. */
  teamId: string | null;
}

let readings = 0;

/** An e-mail of one recipient in memory. */
type PlainMail = Pick<ReceivedMail, 'mailFrom' | 'raw'> &
  Pick<ProcessedEmail, 'kind' | 'client'> & { address: string; mailbox: MailTarget; source: Buffer };

/** Returns an e-mail that may be processed inline, as far as that shows before it is read. */
function plainOf({ recipients: [first, ...others], raw, mailFrom, client }: ReceivedMail): PlainMail | undefined {
  const { source } = raw;
  if (first === undefined || others.length > 0 || typeof source === 'string' || FILE.test(source.toString('latin1')))
    return undefined;
  const { address, mailbox } = first;
  const { kind } = mailbox;
  return kind === 'bounce' ? undefined : { mailFrom, client: client ?? null, raw, address, kind, mailbox, source };
}

/** Reads an e-mail that may be processed inline. Resolves to undefined if it may not, or if that takes too long. */
export async function readInTime(
  deps: InlineMailDeps,
  orgId: string,
  received: ReceivedMail,
): Promise<ReadMail | undefined> {
  const plain = readings < MAX_READINGS ? plainOf(received) : undefined;
  if (plain === undefined) return undefined;
  const late = Promise.withResolvers<undefined>();
  const signal = new AbortController();
  const timer = setTimeout(() => {
    signal.abort();
    late.resolve(undefined);
  }, MAX_READING_MS);
  readings++;
  const reading = read(deps, orgId, plain, signal.signal).finally(() => {
    readings--;
  });
  reading.catch(() => undefined); // after the time, nobody waits for it
  try {
    return await Promise.race([reading, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

async function read(
  deps: InlineMailDeps,
  orgId: string,
  { mailFrom, address, kind, mailbox, raw, source, client }: PlainMail,
  signal: AbortSignal,
): Promise<ReadMail | undefined> {
  await using reading = await deps.mailReader.read(orgId, async () => (signal.aborted ? null : mailInMemory(source)));
  const { mail } = reading;
  if (mail === undefined || mail.files.length > 0 || mail.isCut) return undefined;
  const inboxId = mailbox.kind === 'inbox' ? mailbox.inboxId : null;
  const deliveryId = mailbox.kind === 'inbox' ? null : mailbox.deliveryId;
  const delivery = deliveryId === null ? undefined : await findDelivery(deps.db, orgId, deliveryId);
  const rcptTo = address.toLowerCase();
  return {
    id: newId(),
    messageId: newId(),
    kind,
    inbox_id: inboxId,
    delivery_id: deliveryId,
    mail_from: mailFrom,
    rcpt_to: rcptTo,
    client,
    sha256: await hashOf(rcptTo, raw),
    raw: source,
    mail,
    authenticity: await authenticityOf(deps, { mailFrom, client, mail, raw }),
    to: delivery?.to ?? null,
  };
}

/**
 * Returns what each e-mail is to the org, with the team of its inbox. Those that would overtake an earlier one of their
 * sender, which waits for its workflow, are left out.
 */
export async function judgeMails(
  { db, tokens }: InlineMailDeps,
  orgId: string,
  mails: ReadMail[],
): Promise<JudgedMail[]> {
  const addresses = mails.flatMap(({ rcpt_to, mail }) => [rcpt_to, ...(mail.from === undefined ? [] : [mail.from])]);
  const [waiting, inboxes] = await Promise.all([
    listWaitingSenders(db, orgId, [...new Set(mails.map(({ mail_from }) => mail_from))]),
    listInboxesAt(db, orgId, [...new Set(addresses)]),
  ]);
  const isOwnInbox = async (address: string) => inboxes.some((inbox) => inbox.address === address);
  const judged: JudgedMail[] = [];
  for (const read of mails) {
    if (waiting.includes(read.mail_from)) continue;
    const { kind, delivery_id: deliveryId, mail_from: mailFrom, mail } = read;
    const arrival = { kind, deliveryId, to: read.to ?? '', mailFrom };
    const verdict = await verdictOn({ db, tokens, isOwnInbox }, orgId, { arrival, mail });
    judged.push({ ...read, verdict, teamId: inboxes.find(({ id }) => id === read.inbox_id)?.team_id ?? null });
  }
  return judged;
}
