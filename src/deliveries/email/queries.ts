import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import type { EmailContent } from './schema.ts';

export interface NewEmail {
  id: string;
  to: string;
  content: EmailContent;
}

/**
 * Inserts a request and its e-mails, each with the contact of its address, if there is one, with the commands that send
 * them: SQL that inserts these.
 */
export async function insertEmails(
  db: Db,
  orgId: string,
  request: { id: string; from_email: string; delayMs: number },
  { emails, commands }: { emails: NewEmail[]; commands: RawBuilder<unknown> },
): Promise<void> {
  await sql`
    with request as (
      insert into email_requests (org_id, id, from_email, due_at)
      values (${orgId}::uuid, ${request.id}::uuid, ${request.from_email}, now() + ${request.delayMs}::float8 * interval '1 millisecond')
    ),
    requested as (
    insert into deliveries (org_id, id, channel, email_request_id, contact_id, "to", sender, status, content)
    select ${orgId}::uuid, email.id, 'email', ${request.id}::uuid, coalesce(contact.id, (
        select contact_id from contact_merges as merge where merge.org_id = ${orgId} and merge.email = email."to" limit 1
      )), email."to", ${request.from_email}, 'queued', email.content
    from jsonb_to_recordset(${JSON.stringify(emails)}::jsonb) as email (id uuid, "to" text, content jsonb)
    left join contacts as contact on contact.org_id = ${orgId} and contact.email = email."to"
    )
    ${commands}
  `.execute(db);
}

/** Lists the contacts with these e-mail addresses, as templates show them. */
export const listContactsByEmail = (db: Db, orgId: string, emails: string[]) =>
  db
    .selectFrom('contacts')
    .select(['id', 'name', 'email', 'phone_number', 'custom_data'])
    .where('org_id', '=', orgId)
    .where('email', '=', sql<string>`any(${emails}::text[])`)
    .execute();

/** Lists the e-mails of a request in its order. */
export const listRequestedEmails = (db: Db, orgId: string, requestId: string) =>
  db
    .selectFrom('deliveries')
    .select('id')
    .where('org_id', '=', orgId)
    .where('email_request_id', '=', requestId)
    .orderBy('id')
    .execute();
