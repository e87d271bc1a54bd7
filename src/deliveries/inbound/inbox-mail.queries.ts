import { type RawBuilder, sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';

export interface ContinuedSession {
  id: string;
  contact_id: string | null;
}

/** SQL: whether an address takes part in a `session`: it is the contact's, or on one of its e-mails. */
const takesPart = (address: string): RawBuilder<boolean> => sql`(
  exists (select from contacts as contact where contact.org_id = session.org_id and contact.id = session.contact_id and contact.email = ${address})
  or exists (select from contact_merges as merge where merge.org_id = session.org_id and merge.contact_id = session.contact_id and merge.email = ${address})
  or exists (
    select from session_events as event join inbound_messages as part on part.org_id = event.org_id and part.id = event.id
    where event.org_id = session.org_id and event.session_id = session.id and event.sender = 'contact'
      and (part."from" = ${address} or ${address} = any(part.cc))
  )
)`;

/** Finds the session of an inbox that has an e-mail with one of these Message-IDs, the first of them counting most. */
export async function findSessionByMessageIds(
  trx: Trx,
  orgId: string,
  { inboxId, ids, from }: { inboxId: string; ids: string[]; from: string },
): Promise<ContinuedSession | undefined> {
  const { rows } = await sql<ContinuedSession>`
    select session.id, session.contact_id from inbound_messages as message
    join session_events as event on event.org_id = message.org_id and event.id = message.id
    join sessions as session on session.org_id = event.org_id and session.id = event.session_id
    where message.org_id = ${orgId} and message.provider in ('smtp', ${`inbox/${inboxId}`}) and message.provider_id = any(${ids}::text[])
      and message.inbox_id = ${inboxId} and session.channel = 'email' and ${takesPart(from)}
    order by array_position(${ids}::text[], message.provider_id) limit 1
  `.execute(trx);
  return rows[0];
}

/** Finds the session of an inbox with a ticket number. */
export async function findSessionByTicketNumber(
  trx: Trx,
  orgId: string,
  { inboxId, ticketNumber, from }: { inboxId: string; ticketNumber: number; from: string },
): Promise<ContinuedSession | undefined> {
  const { rows } = await sql<ContinuedSession>`
    select session.id, session.contact_id from sessions as session
    where session.org_id = ${orgId} and session.ticket_number = ${ticketNumber} and session.channel = 'email'
      and ${takesPart(from)} and not exists (
        select from session_events as event join inbound_messages as message on message.org_id = event.org_id and message.id = event.id
        where event.org_id = session.org_id and event.session_id = session.id and message.inbox_id <> ${inboxId}
      )
  `.execute(trx);
  return rows[0];
}

/** Returns those of the addresses that are inboxes of any org of this installation. */
export async function listInboxAddresses(db: Db, addresses: string[]): Promise<string[]> {
  const { rows } = await sql<{ address: string }>`
    select distinct address from email_inboxes where address = any(${addresses}::text[])
  `.execute(db);
  return rows.map(({ address }) => address);
}
