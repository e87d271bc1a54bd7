import { type Kysely, sql } from 'kysely';

/** What the audit records of a merge: the contact that stayed, and the id of the other one. */
const AUDIT = JSON.stringify({
  kind: 'contact',
  ref: 'contact_id',
  name: null,
  as: null,
  org: 'org_id',
  isPart: true,
  shown: ['absorbed_id'],
  expanded: [],
  ignored: ['org_id', 'contact_id', 'email', 'phone_number', 'external_id', 'result', 'merged_at'],
});

/**
 * Contacts that were merged into others, with what identified them and the other one has too. Of two enrollments in one
 * sequence, and of two visitors of the widget, one stays the contact's by `contact_id`. The other one names it by
 * `merged_contact_id` alone, as only one of them may be the contact's.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table contact_merges (
      org_id uuid not null,
      absorbed_id uuid not null,
      contact_id uuid not null,
      email text,
      phone_number text,
      external_id text,
      result jsonb not null,
      merged_at timestamptz(3) not null default now(),
      primary key (org_id, absorbed_id)
    )
  `.execute(db);
  await sql`create index contact_merges_by_contact on contact_merges (org_id, contact_id)`.execute(db);
  await sql`create index contact_merges_by_email on contact_merges (org_id, email) where email is not null`.execute(db);
  await sql`
    create index contact_merges_by_phone_number on contact_merges (org_id, phone_number) where phone_number is not null
  `.execute(db);
  await sql`
    create index contact_merges_by_external_id on contact_merges (org_id, external_id) where external_id is not null
  `.execute(db);
  await sql`
    create trigger audit_rows after insert on contact_merges for each row execute function record_audit(${sql.lit(AUDIT)})
  `.execute(db);

  for (const table of ['widget_visitors', 'enrollments']) {
    await sql`
      alter table ${sql.table(table)} alter contact_id drop not null, add column if not exists merged_contact_id uuid
    `.execute(db);
  }
  // Last what needs a lock on the contacts. The indexes have migrations of their own: none is built under these locks.
  await sql`
    alter table contact_merges add foreign key (org_id, contact_id) references contacts (org_id, id) on delete cascade
  `.execute(db);
  for (const table of ['widget_visitors', 'enrollments']) {
    await sql`
      alter table ${sql.table(table)} add constraint ${sql.ref(`${table}_merged_contact_fkey`)}
        foreign key (org_id, merged_contact_id) references contacts (org_id, id) on delete cascade not valid
    `.execute(db);
  }
}
