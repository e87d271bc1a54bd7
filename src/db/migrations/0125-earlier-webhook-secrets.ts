import { type Kysely, sql } from 'kysely';

/** Each earlier secret of an endpoint signs until its own time: a rotation does not end the one before. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table webhook_endpoints add column earlier_secrets jsonb not null default '[]';
    update webhook_endpoints set earlier_secrets = jsonb_build_array(jsonb_build_object('secret', old_secret, 'until', old_secret_until))
    where old_secret is not null;
    alter table webhook_endpoints drop column old_secret, drop column old_secret_until;
  `.execute(db);
}
