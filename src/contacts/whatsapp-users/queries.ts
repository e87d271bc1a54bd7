import { sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';

/** Finds the contact of a WhatsApp user. */
export const findContactOfUser = (db: Db, orgId: string, userId: string) =>
  db
    .selectFrom('whatsapp_users as user')
    .innerJoin('contacts as contact', (join) =>
      join.onRef('contact.org_id', '=', 'user.org_id').onRef('contact.id', '=', 'user.contact_id'),
    )
    .select(['contact.id', 'contact.phone_number'])
    .where('user.org_id', '=', orgId)
    .where('user.user_id', '=', userId)
    .executeTakeFirst();

/** Finds the id by which WhatsApp named a contact last. */
export async function findWhatsAppUserId(db: Db, orgId: string, contactId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('whatsapp_users')
    .select('user_id')
    .where('org_id', '=', orgId)
    .where('contact_id', '=', contactId)
    .orderBy('seen_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.user_id;
}

/** Records which contact a WhatsApp user is. A contact found later takes the place of an earlier one. */
export async function saveUser(trx: Trx, orgId: string, userId: string, contactId: string): Promise<void> {
  await sql`
    insert into whatsapp_users (org_id, user_id, contact_id) values (${orgId}, ${userId}, ${contactId})
    on conflict (org_id, user_id) do update set contact_id = excluded.contact_id, seen_at = now()
    where whatsapp_users.contact_id <> excluded.contact_id
  `.execute(trx);
}
