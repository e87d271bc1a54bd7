import { sql } from 'kysely';
import type { Db } from '../../src/db/connect.ts';
import { createOrg, createPartner } from '../../src/partners/service.ts';
import { createSequence } from '../../src/sequences/definitions/service.ts';

/** The e-mail sent by every bench. */
export const EMAIL = {
  from_email: 'hello@shop.example',
  email_sender_name: 'Shop',
  email_subject: 'News of this week',
  email_body: 'Good to have you here. '.repeat(40),
  email_is_transactional: false,
};

/** The same e-mail as the content of one message. */
export const EMAIL_CONTENT = {
  from_email: EMAIL.from_email,
  subject: EMAIL.email_subject,
  sender_name: EMAIL.email_sender_name,
  body: EMAIL.email_body,
  is_transactional: false,
};

const CONTACTS_AT_ONCE = 100_000;

/** Creates an org with this many contacts. */
export async function seedOrg(db: Db, contacts: number): Promise<string> {
  const partner = await createPartner(db, { name: 'Bench' });
  const { id: orgId } = await createOrg(db, partner.id, { name: 'Bench' });
  for (let first = 1; first <= contacts; first += CONTACTS_AT_ONCE)
    await sql`
      insert into contacts (org_id, id, email, name, custom_data)
      select ${orgId}::uuid, uuidv7(), 'person' || n || '@customers.example', 'Person ' || n, '{"plan": "pro"}'
      from generate_series(${first}::int, ${Math.min(first + CONTACTS_AT_ONCE - 1, contacts)}::int) n
    `.execute(db);
  await sql`vacuum analyze`.execute(db);
  return orgId;
}

const SAVING = { isDevelopment: true };

/** Creates a one-off sequence of e-mails to all contacts, not yet started, with one e-mail for each delay. */
export async function seedSequence(db: Db, orgId: string, delays = [0]): Promise<string> {
  const action = { type: 'send_emails' as const, data: EMAIL };
  const steps = delays.map((delay_in_minutes) => ({ delay_in_minutes, action }));
  const { id } = await createSequence(
    db,
    orgId,
    { name: 'Bench', is_continuous: false, enroll_existing: false, filter: null, steps },
    SAVING,
  );
  return id;
}
