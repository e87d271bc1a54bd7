import type { Db } from '../../../db/connect.ts';
import { invalid, TooManyRequests, unprocessable } from '../../../errors.ts';
import { listInboxesAt } from '../../email-inboxes/service.ts';
import type { RawMail } from '../../mail/raw-mail.ts';
import type { MailTokens } from '../mail-tokens.ts';
import { isFlooded } from './queries.ts';
import { storeInboundEmail } from './service.ts';
import type { MailTarget } from './table.ts';

const RETRY_SECONDS = 600;

interface GivenMailDeps {
  db: Db;
  tokens: MailTokens;
  /** The domain of our bounce and reply addresses. */
  inboundDomain: string | undefined;
}

/**
 * Stores an e-mail that the org hands over, for the inboxes or our own addresses that it is for. Returns the id of the
 * first one. Throws invalid if it has no header, and unprocessable if it names no sender or
 * none of the addresses is the org's.
 */
export async function storeGivenMail(
  { db, tokens, inboundDomain }: GivenMailDeps,
  orgId: string,
  { raw, to }: { raw: RawMail; to: string | undefined },
): Promise<string> {
  const { readEnvelope } = await import('../../mail/envelope.ts'); // the api needs the parser of e-mails only here
  const envelope = await readEnvelope(raw);
  if (envelope === undefined) throw invalid('The body is no e-mail: it begins with header fields, such as From and To');
  const { mailFrom, addresses } = envelope;
  if (mailFrom === undefined)
    throw unprocessable('The e-mail names no sender: its From field has no address that can be answered');
  const candidates = to === undefined ? addresses : [to.toLowerCase()];
  const inboxes = await listInboxesAt(db, orgId, candidates);
  const targets = candidates.flatMap((address): { address: string; mailbox: MailTarget }[] => {
    const mailbox = inboundDomain === undefined ? undefined : tokens.readAddress(address, inboundDomain);
    if (mailbox?.orgId === orgId) return [{ address, mailbox }];
    const inbox = inboxes.find((one) => one.address === address);
    return inbox === undefined ? [] : [{ address, mailbox: { kind: 'inbox', orgId, inboxId: inbox.id } }];
  });
  for (const { mailbox } of targets)
    if (mailbox.kind === 'inbox' && (await isFlooded(db, orgId, mailbox.inboxId, mailFrom.toLowerCase())))
      throw new TooManyRequests(
        'This sender has sent too many e-mails in an hour: hand it over again later',
        RETRY_SECONDS,
      );
  const [id] = (await storeInboundEmail(db, { mailFrom, recipients: targets, raw })).filter((one) => one !== undefined);
  if (id === undefined)
    throw unprocessable(`No inbox of the organization is among ${shown(candidates)}: see PUT /email/inboxes`);
  return id;
}

const shown = (addresses: string[]) => (addresses.length === 0 ? 'its recipients' : addresses.slice(0, 5).join(', '));
