import type { Config } from '../config.ts';
import type { Db } from '../db/connect.ts';
import { inTransaction } from '../db/transaction.ts';
import { ProviderError } from '../errors.ts';
import { newId } from '../ids.ts';
import { addMember, getMember, type NewMember } from '../orgs/members/service.ts';
import { enqueue, start } from '../outbox/outbox.ts';
import type { EmailSender } from '../providers/email/port.ts';
import { type LoginMailRequest, SEND_LOGIN_LINK } from './contract.ts';
import { createLoginLink } from './links.service.ts';
import { findMemberToMail, findOrgToSignInTo } from './queries.ts';

export interface LoginMailDeps {
  db: Db;
  dashboardUrl: string;
  /** The installation's mail server. Undefined if it has none. */
  mailer: EmailSender | undefined;
  /** The sender of the mails. */
  from: string;
}

/** Returns the address that mails with login links come from. */
export function loginMailSenderOf({ SIGN_IN_FROM, PUBLIC_URL }: Pick<Config, 'SIGN_IN_FROM' | 'PUBLIC_URL'>): string {
  const { hostname } = new URL(PUBLIC_URL);
  return SIGN_IN_FROM ?? `sign-in@${/[a-z]$/i.test(hostname) ? hostname : 'localhost.localdomain'}`;
}

/**
 * Schedules a mail with a login link, if the address belongs to a member. The link leads to the org in which the member
 * was last. Nothing tells the caller whether there is such a member.
 */
export const requestLoginMail = (db: Db, email: string, next: string | null): Promise<void> =>
  inTransaction(db, async (trx) => {
    const member = await findOrgToSignInTo(trx, email);
    if (member === undefined) return;
    const request = { ...member, requestId: newId(), next };
    const subject = { subjectId: request.requestId, summary: 'Send a login link to a member' };
    await enqueue(trx, member.orgId, start(SEND_LOGIN_LINK, request, subject));
  });

/**
 * Adds a member as addMember does, and schedules a mail with a login link where the server sends mail. A member that the
 * org has keeps its name and role, and gets another link. Returns the member.
 */
export const inviteMember = (db: Db, orgId: string, person: NewMember, { isMailed }: { isMailed: boolean }) =>
  inTransaction(db, async (trx) => {
    const userId = await addMember(trx, orgId, person);
    if (isMailed) {
      const request = { orgId, userId, requestId: newId(), next: null, isInvite: true };
      const subject = { subjectId: request.requestId, summary: 'Send a login link to an invited member' };
      await enqueue(trx, orgId, start(SEND_LOGIN_LINK, request, subject));
    }
    return getMember(trx, orgId, userId);
  });

/**
 * Sends a new login link to a member, unless the membership has ended. Throws what the mail server answers if it is to
 * be tried again.
 */
export async function sendLoginMail({ db, dashboardUrl, mailer, from }: LoginMailDeps, request: LoginMailRequest) {
  const { orgId, userId, next, isInvite = false } = request;
  const member = await findMemberToMail(db, orgId, userId);
  if (member === undefined || mailer === undefined) return 'skipped';
  const link = await inTransaction(db, (trx) => createLoginLink(trx, dashboardUrl, { orgId, userId, opens: 'page' }));
  const url = next === null ? link.url : `${link.url}&next=${encodeURIComponent(next)}`;
  const sent = await mailer.send({
    messageId: `<${newId()}@${from.slice(from.lastIndexOf('@') + 1)}>`,
    from: { name: undefined, address: from },
    to: member.email,
    subject: isInvite ? `You were invited to ${member.org}` : `Sign in to ${member.org}`,
    body: isInvite ? invitationOf(member, url, dashboardUrl) : signInTextOf(member, url),
    isHtml: false,
    unsubscribeUrl: undefined,
    envelopeFrom: from,
    replyTo: undefined,
    dkim: undefined,
  });
  if (sent.kind === 'retry') throw new ProviderError(sent.reason, { transient: true });
  return sent.kind;
}

interface Addressee {
  name: string;
  org: string;
}

const signInTextOf = ({ name, org }: Addressee, url: string): string =>
  `Hello ${name},\n\nthis link signs you in to ${org}. It works once, within 15 minutes:\n\n${url}\n\nIf you did not ask for it, you need not do anything.\n`;

const invitationOf = ({ name, org }: Addressee, url: string, dashboardUrl: string): string =>
  `Hello ${name},\n\nyou were added to ${org}. This link signs you in. It works once, within 15 minutes:\n\n${url}\n\nAfterwards, get another one with your e-mail address at:\n\n${dashboardUrl}/console\n`;
