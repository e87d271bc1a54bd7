import { type Kysely, sql } from 'kysely';

const CHANNELS = sql`'email', 'sms', 'whatsapp', 'voice', 'messenger', 'instagram', 'slack'`;

/**
 * Messages go out and come in on Messenger, Instagram and Slack. The wider checks are not validated: rows of the narrower
 * ones hold, and a large table is not read.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ['deliveries', 'inbound_messages']) {
    const check = sql.ref(`${table}_channel_check`);
    await sql`alter table ${sql.table(table)} drop constraint ${check}`.execute(db);
    await sql`
      alter table ${sql.table(table)} add constraint ${check} check (channel in (${CHANNELS})) not valid
    `.execute(db);
  }
  await sql`
    create table channel_users (
      org_id uuid not null,
      channel text not null check (channel in ('messenger', 'instagram', 'slack')),
      user_id text not null,
      contact_id uuid not null,
      seen_at timestamptz(3) not null default now(),
      primary key (org_id, channel, user_id),
      foreign key (org_id, contact_id) references contacts (org_id, id) on delete cascade
    )
  `.execute(db);
  await sql`create index channel_users_by_contact on channel_users (org_id, contact_id, channel, seen_at)`.execute(db);
}
