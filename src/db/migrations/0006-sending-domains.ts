import { type Kysely, sql } from 'kysely';

/** Domains that orgs send from, each org with a DKIM key of its own for each. An org has few: its list needs no index. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table sending_domains (
      org_id uuid not null references orgs (id),
      id uuid not null,
      domain text not null,
      selector text not null,
      public_key text not null,
      private_key text not null,
      status text not null default 'pending' check (status in ('pending', 'verified', 'failed')),
      dmarc_status text not null default 'pending' check (dmarc_status in ('pending', 'verified', 'failed')),
      checked_at timestamptz(3),
      created_at timestamptz(3) not null default now(),
      primary key (org_id, id),
      unique (org_id, domain)
    );
  `.execute(db);
}
