import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import { orderedByCreation, type PageRequest } from '../../db/cursor.ts';
import { lockName } from '../../db/locks.ts';
import type { PutInbox } from './schema.ts';

const COLUMNS = [
  'inbox.id',
  'inbox.address',
  'inbox.display_name',
  'inbox.team_id',
  'inbox.signature',
  'inbox.is_default_sender',
  'inbox.created_at',
  'inbox.updated_at',
] as const;

/** SQL: whether the domain of an `inbox`, or a parent of it, is a verified sending domain of its org. */
const IS_VERIFIED = sql<boolean>`exists (
  select from sending_domains as domain where domain.org_id = inbox.org_id and domain.status = 'verified'
    and '.' || split_part(inbox.address, '@', 2) like '%.' || domain.domain
)`;

const selectInboxes = (db: Db, orgId: string) =>
  db
    .selectFrom('email_inboxes as inbox')
    .select(COLUMNS)
    .select([IS_VERIFIED.as('is_verified'), sql<boolean>`(inbox.is_hosted or ${IS_VERIFIED})`.as('is_receiving')])
    .where('inbox.org_id', '=', orgId);

export type InboxRow = Awaited<ReturnType<ReturnType<typeof selectInboxes>['execute']>>[number];

/** Locks the inboxes of the org against other changes until the transaction ends. */
export const lockInboxes = (trx: Trx, orgId: string): Promise<unknown> => lockName(trx, `email inboxes ${orgId}`);

export async function countInboxes(db: Db, orgId: string): Promise<number> {
  const { count } = await db
    .selectFrom('email_inboxes')
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .where('org_id', '=', orgId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Inserts an inbox, or replaces what is known of the address. */
export async function upsertInbox(
  trx: Trx,
  orgId: string,
  inbox: PutInbox & { id: string; is_hosted: boolean },
): Promise<void> {
  const { id: _id, address: _address, ...change } = inbox;
  await trx
    .insertInto('email_inboxes')
    .values({ org_id: orgId, ...inbox })
    .onConflict((conflict) =>
      conflict.columns(['org_id', 'address']).doUpdateSet({ ...change, updated_at: sql<Date>`now()` }),
    )
    .execute();
}

/** Takes the role of the default sender from the org's inbox that has it. */
export async function clearDefaultSender(trx: Trx, orgId: string, except: string): Promise<void> {
  await trx
    .updateTable('email_inboxes')
    .set({ is_default_sender: false, updated_at: sql<Date>`now()` })
    .where('org_id', '=', orgId)
    .where('is_default_sender', '=', true)
    .where('address', '<>', except)
    .execute();
}

/** Returns whether another org has the address at this installation's own domain. */
export async function isHostedElsewhere(db: Db, orgId: string, address: string): Promise<boolean> {
  const { rows } = await sql`
    select from email_inboxes where address = ${address} and is_hosted and org_id <> ${orgId} limit 1
  `.execute(db);
  return rows.length > 0;
}

export const findInboxByAddress = (db: Db, orgId: string, address: string) =>
  selectInboxes(db, orgId).where('inbox.address', '=', address.toLowerCase()).executeTakeFirst();

export const findInbox = (db: Db, orgId: string, id: string) =>
  selectInboxes(db, orgId).where('inbox.id', '=', id).executeTakeFirst();

export const findDefaultInbox = (db: Db, orgId: string) =>
  selectInboxes(db, orgId).where('inbox.is_default_sender', '=', true).executeTakeFirst();

/** Lists a page of inboxes by creation. */
export const listInboxes = (db: Db, orgId: string, page: PageRequest) =>
  db.selectFrom(selectInboxes(db, orgId).as('inbox')).selectAll().$call(orderedByCreation(page)).execute();

/** Returns those of the addresses that are inboxes of the org. */
export async function listInboxesAt(db: Db, orgId: string, addresses: string[]): Promise<InboxRow[]> {
  return selectInboxes(db, orgId)
    .where(sql<SqlBool>`inbox.address = any(${addresses}::text[])`)
    .orderBy('inbox.created_at')
    .execute();
}

export async function deleteInbox(db: Db, orgId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('email_inboxes')
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** An e-mail that is announced by SMTP. */
export interface AnnouncedMail {
  address: string;
  mailFrom: string;
}

interface ReceivingLook {
  mails: AnnouncedMail[];
  isDevelopment: boolean;
  /** SQL: whether `inbox` takes no more of the sender `mail.mail_from` for now. */
  isFlooded: RawBuilder<boolean>;
}

/** An inbox that an e-mail is for. */
export interface ReceivingInbox {
  orgId: string;
  inboxId: string;
  isFlooded: boolean;
}

/**
 * Finds the inboxes of all orgs that take e-mails by SMTP, for each e-mail in order. In development, unverified ones do
 * too.
 */
export async function listReceivingInboxes(
  db: Db,
  { mails, isDevelopment, isFlooded }: ReceivingLook,
): Promise<ReceivingInbox[][]> {
  const addresses = mails.map(({ address }) => address.toLowerCase());
  const { rows } = await sql<ReceivingInbox & { place: string }>`
    select mail.place, inbox.org_id as "orgId", inbox.id as "inboxId", ${isFlooded} as "isFlooded"
    from unnest(${addresses}::text[], ${mails.map(({ mailFrom }) => mailFrom)}::text[]) with ordinality
      as mail (address, mail_from, place)
    join email_inboxes as inbox on inbox.address = mail.address
    where inbox.is_hosted or ${isDevelopment}::boolean or ${IS_VERIFIED}
    order by inbox.created_at
  `.execute(db);
  const found = mails.map((): ReceivingInbox[] => []);
  for (const { place, ...inbox } of rows) found[Number(place) - 1]?.push(inbox);
  return found;
}
