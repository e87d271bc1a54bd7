import { sql } from 'kysely';
import type { Db } from '../../src/db/connect.ts';
import { createOrg, createPartner } from '../../src/partners/service.ts';
import { createSequence } from '../../src/sequences/service.ts';

/** What every bench sends. */
export const EMAIL = {
  from_email: 'hello@shop.example',
  email_sender_name: 'Shop',
  email_subject: 'News of this week',
  email_body: 'Good to have you here. '.repeat(40),
  email_is_transactional: false,
};

/** A new org with this many contacts. */
export async function seedOrg(db: Db, contacts: number): Promise<string> {
  const partner = await createPartner(db, { name: 'Bench' });
  const { id: orgId } = await createOrg(db, partner.id, { name: 'Bench' });
  await sql`
    insert into contacts (org_id, id, email, name, custom_data)
    select ${orgId}::uuid, uuidv7(), 'person' || n || '@customers.example', 'Person ' || n, '{"plan": "pro"}'
    from generate_series(1, ${contacts}::int) n
  `.execute(db);
  await sql`vacuum analyze`.execute(db);
  return orgId;
}

/** A one-off sequence of one e-mail to all contacts, not yet started. */
export async function seedSequence(db: Db, orgId: string): Promise<string> {
  const steps = [{ delay_in_minutes: 0, action: { type: 'send_emails' as const, data: EMAIL } }];
  const { id } = await createSequence(db, orgId, { name: 'Bench', is_continuous: false, filter: null, steps });
  return id;
}
