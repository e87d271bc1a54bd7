import type { Db } from '../../../db/connect.ts';
import type { MailAuthenticator, MailAuthenticity } from '../../../providers/email/authenticator.ts';
import { trustedResult } from '../../mail/authentication-results.rules.ts';
import type { ParsedEmail } from '../../mail/parsed-mail.rules.ts';
import type { RawMail } from '../../mail/raw-mail.ts';
import { findDelivery } from '../../queries.ts';
import type { MailTokens } from '../mail-tokens.ts';
import { type AnsweredDelivery, type Classification, classify, type ReceivedEmail } from './rules.ts';
import type { MailClient } from './table.ts';

interface VerdictDeps {
  db: Db;
  tokens: MailTokens;
  /** Whether one of the org's inboxes has the address. */
  isOwnInbox(address: string): Promise<boolean>;
}

/** Returns what an e-mail is to the org that it came to, by what the org has sent and where it receives. */
export async function verdictOn(
  { db, tokens, isOwnInbox }: VerdictDeps,
  orgId: string,
  { arrival, mail }: { arrival: ReceivedEmail; mail: ParsedEmail | undefined },
): Promise<Classification> {
  if (mail === undefined) return classify(arrival, mail, { answered: undefined, isOwn: false });
  const isOfOrg = (messageId = '') => tokens.findRef(messageId)?.orgId === orgId;
  return classify(arrival, mail, {
    answered: await findAnswered(db, tokens, orgId, mail),
    isOwn: isOfOrg(mail.messageId) || (mail.from !== undefined && (await isOwnInbox(mail.from))),
  });
}

export interface AuthenticityDeps {
  authenticator: MailAuthenticator;
  /** The ids of mail servers whose Authentication-Results count, in lower case. */
  trustedAuthservIds: readonly string[];
}

export const NOTHING_PROVEN: MailAuthenticity = { isAuthentic: false, isForged: false };

/** Returns what a trusted mail server has found out about an e-mail, or what its signatures and its way show. */
export async function authenticityOf(
  { authenticator, trustedAuthservIds: trusted }: AuthenticityDeps,
  { mailFrom, client, mail, raw }: { mailFrom: string; client: MailClient | null; mail: ParsedEmail; raw: RawMail },
): Promise<MailAuthenticity> {
  const { from, authentication } = mail;
  if (from === undefined) return NOTHING_PROVEN;
  const result = trustedResult(authentication, { trusted, domain: from.slice(from.lastIndexOf('@') + 1) });
  if (result !== undefined) return { isAuthentic: result === 'pass', isForged: result === 'fail' };
  return authenticator.authenticate(raw.open(), {
    from,
    mailFrom,
    client: trusted.length > 0 ? null : client,
    signatures: authentication.signatures,
  });
}

/** Finds the org's delivery whose Message-ID an e-mail names. */
async function findAnswered(
  db: Db,
  tokens: MailTokens,
  orgId: string,
  { answers }: ParsedEmail,
): Promise<AnsweredDelivery | undefined> {
  const ref = answers.map(tokens.findRef).find((delivery) => delivery?.orgId === orgId);
  if (ref === undefined) return undefined;
  const { deliveryId } = ref;
  return { deliveryId, to: (await findDelivery(db, orgId, deliveryId))?.to ?? '' };
}
