import { sql } from 'kysely';
import type { Db, Trx } from '../../../db/connect.ts';
import { behindInOrder } from '../../../db/cursor.ts';
import type { InboundEmailRef, InboundEmailResult } from '../../contract.ts';
import type { MailClient, MailTarget } from './table.ts';

/** More than a person writes. A program that sends more waits, as its server repeats what is deferred. */
export const MAX_MAILS_PER_HOUR = 60;
const MAILS_PER_BATCH = 200;
/** Of half a MB each. */
const PARTS_PER_BATCH = 200;

/** How long an e-mail waits for a storage that is away before it comes without its files. */
const PATIENCE = sql`interval '1 hour'`;

export interface NewInboundEmail {
  id: string;
  target: MailTarget;
  mailFrom: string;
  rcptTo: string;
  sha256: Buffer;
  /** All of it, or its beginning. */
  raw: Buffer;
  client: MailClient | null;
}

/** Stores an e-mail once. Returns false if it was stored before, or if its delivery or inbox was deleted. */
export async function insertInboundEmail(db: Db, orgId: string, email: NewInboundEmail): Promise<boolean> {
  const { id, target, mailFrom, rcptTo, sha256, raw, client } = email;
  const owner =
    target.kind === 'inbox'
      ? sql`select org_id, null::uuid as delivery_id, id as inbox_id from email_inboxes where org_id = ${orgId} and id = ${target.inboxId}`
      : sql`select org_id, id as delivery_id, null::uuid as inbox_id from deliveries where org_id = ${orgId} and id = ${target.deliveryId}`;
  const { numAffectedRows } = await sql`
    insert into inbound_emails (org_id, id, kind, delivery_id, inbox_id, mail_from, rcpt_to, sha256, raw, client)
    select org_id, ${id}::uuid, ${target.kind}, delivery_id, inbox_id, ${mailFrom}, ${rcptTo}, ${sha256}::bytea, ${raw}::bytea,
      ${client === null ? null : JSON.stringify(client)}::jsonb
    from (${owner}) as owner
    on conflict (org_id, sha256) do nothing
  `.execute(db);
  return numAffectedRows === 1n;
}

/** Finds the e-mail that was stored with these contents for this recipient. */
export const findInboundEmailBySha256 = (db: Db, orgId: string, sha256: Buffer) =>
  db
    .selectFrom('inbound_emails')
    .select('id')
    .where('org_id', '=', orgId)
    .where('sha256', '=', sha256)
    .executeTakeFirst();

/** The number as a constant: with a parameter, Postgres plans the statement anew for each e-mail. */
const MAX_MAILS = sql.lit(MAX_MAILS_PER_HOUR);

/** SQL: whether `inbox` has taken as many e-mails of the sender of `mail` within an hour as it takes. */
export const IS_FLOODED = sql<boolean>`(
  select count(*) >= ${MAX_MAILS} from (
    select from inbound_emails as taken
    where taken.org_id = inbox.org_id and taken.inbox_id = inbox.id and taken.mail_from = mail.mail_from
      and taken.received_at > now() - interval '1 hour'
    limit ${MAX_MAILS}
  ) as taken
)`;

/** Whether an inbox takes no more e-mail of a sender, whose address is in lower case, for now. */
export async function isFlooded(db: Db, orgId: string, inboxId: string, mailFrom: string): Promise<boolean> {
  const { rows } = await sql`
    select from (select ${orgId}::uuid as org_id, ${inboxId}::uuid as id) as inbox
    cross join (select ${mailFrom}::text as mail_from) as mail where ${IS_FLOODED}
  `.execute(db);
  return rows.length > 0;
}

/**
 * Returns whether an earlier e-mail of the sender of one still waits to be processed. One that waits for longer than any
 * e-mail waits for a storage holds nothing up.
 */
export async function hasEarlierUnprocessed(db: Db, orgId: string, id: string): Promise<boolean> {
  const { rows } = await sql`
    select from inbound_emails as email
    join inbound_emails as earlier on earlier.org_id = email.org_id and earlier.mail_from = email.mail_from
    where email.org_id = ${orgId} and email.id = ${id} and email.mail_from <> '' and earlier.processed_at is null
      and (earlier.received_at, earlier.id) < (email.received_at, email.id) and earlier.received_at > now() - ${PATIENCE}
    limit 1
  `.execute(db);
  return rows.length > 0;
}

/** Finds an e-mail without its text, together with the recipient and contact of its delivery, or with its inbox. */
export function findInboundEmail(db: Db, orgId: string, id: string) {
  return db
    .selectFrom('inbound_emails as email')
    .leftJoin('deliveries as delivery', (join) =>
      join.onRef('delivery.org_id', '=', 'email.org_id').onRef('delivery.id', '=', 'email.delivery_id'),
    )
    .select(['email.kind', 'email.delivery_id', 'email.inbox_id', 'email.mail_from', 'email.rcpt_to', 'email.result'])
    .select(['email.client'])
    .select(['delivery.to', 'delivery.contact_id'])
    .select(sql<boolean>`email.received_at > now() - ${PATIENCE}`.as('is_recent'))
    .where('email.org_id', '=', orgId)
    .where('email.id', '=', id)
    .executeTakeFirst();
}

/** Stores a part of an e-mail after its beginning. They are numbered from 1. */
export async function insertMailPart(
  trx: Trx,
  orgId: string,
  { emailId, position, bytes }: { emailId: string; position: number; bytes: Buffer },
): Promise<void> {
  await trx.insertInto('inbound_email_parts').values({ org_id: orgId, email_id: emailId, position, bytes }).execute();
}

/** Finds the beginning of an e-mail, and the number of parts that follow. Its `raw` is null after its deletion. */
export const findRawMail = (db: Db, orgId: string, id: string) =>
  db
    .selectFrom('inbound_emails as email')
    .select('raw')
    .select(({ selectFrom }) =>
      selectFrom('inbound_email_parts as part')
        .select(sql<number>`count(*)::int`.as('parts'))
        .whereRef('part.org_id', '=', 'email.org_id')
        .whereRef('part.email_id', '=', 'email.id')
        .$asScalar()
        .$notNull()
        .as('parts'),
    )
    .where('email.org_id', '=', orgId)
    .where('email.id', '=', id)
    .executeTakeFirst();

/** Finds a part of an e-mail. */
export const findMailPart = (
  db: Db,
  orgId: string,
  { emailId, position }: { emailId: string; position: number },
): Promise<{ bytes: Buffer } | undefined> =>
  db
    .selectFrom('inbound_email_parts')
    .select('bytes')
    .where('org_id', '=', orgId)
    .where('email_id', '=', emailId)
    .where('position', '=', position)
    .executeTakeFirst();

/** Counts a reading of an e-mail that took too long, and returns their number. */
export async function addTimeout(db: Db, orgId: string, id: string): Promise<number> {
  const { timeouts } = await db
    .updateTable('inbound_emails')
    .set((eb) => ({ timeouts: eb('timeouts', '+', 1) }))
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returning('timeouts')
    .executeTakeFirstOrThrow();
  return timeouts;
}

/** Records the classification of an e-mail. Returns false if one was recorded before. */
export async function updateResult(db: Db, orgId: string, id: string, result: InboundEmailResult): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('inbound_emails')
    .set({ result, processed_at: sql<Date>`now()` })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('processed_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Deletes raw e-mails older than 30 days, a bounded size per call, but at least one. Returns the number of deleted ones. */
export async function deleteOldRawMail(db: Db): Promise<number> {
  const { numAffectedRows } = await sql`
    with due as (
      select org_id, id, received_at from inbound_emails
      where raw is not null and received_at < now() - interval '30 days' order by received_at limit ${MAILS_PER_BATCH}
    ), measured as (
      select org_id, id, sum(parts) over (order by received_at, org_id, id rows between unbounded preceding and 1 preceding) as before
      from due, lateral (
        select count(*) as parts from inbound_email_parts as part where part.org_id = due.org_id and part.email_id = due.id
      ) as counted
    )
    update inbound_emails set raw = null
    where (org_id, id) in (select org_id, id from measured where coalesce(before, 0) < ${PARTS_PER_BATCH})
  `.execute(db);
  return Number(numAffectedRows ?? 0n);
}

/** Returns inbound e-mails of all orgs that are not processed, behind an e-mail, in a fixed order. */
export async function listUnprocessedEmails(
  db: Db,
  after: InboundEmailRef | undefined,
  limit: number,
): Promise<InboundEmailRef[]> {
  const { rows } = await sql<InboundEmailRef>`
    select org_id as "orgId", id as "inboundEmailId" from inbound_emails
    where processed_at is null
      and ${behindInOrder(after?.orgId, after?.inboundEmailId, limit)}
  `.execute(db);
  return rows;
}
