import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table contacts (
      org_id uuid not null references orgs (id),
      id uuid not null,
      email text,
      phone_number text,
      name text,
      custom_data jsonb not null default '{}',
      http_action_overrides jsonb,
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      primary key (org_id, id),
      constraint contacts_email_key unique (org_id, email),
      constraint contacts_phone_number_key unique (org_id, phone_number)
    );
    create index contacts_by_creation on contacts (org_id, created_at, id);
    create index contacts_by_update on contacts (org_id, updated_at, id);
    create index contacts_by_name on contacts (org_id, name, id);
    create index contacts_by_email_domain on contacts (org_id, split_part(email, '@', 2), id);
    create index contacts_by_custom_data on contacts using gin (custom_data jsonb_path_ops) with (fastupdate = off);

    create table segments (
      org_id uuid not null references orgs (id),
      id uuid not null,
      name text not null,
      filter jsonb,
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      primary key (org_id, id)
    );
    create index segments_by_creation on segments (org_id, created_at, id);

    create table blocked_contacts (
      org_id uuid not null references orgs (id),
      id uuid not null,
      email text not null,
      reason text,
      created_at timestamptz(3) not null default now(),
      primary key (org_id, id),
      unique (org_id, email)
    );
    create index blocked_contacts_by_creation on blocked_contacts (org_id, created_at, id);

    create table blocked_domains (
      org_id uuid not null references orgs (id),
      id uuid not null,
      domain text not null,
      reason text,
      created_at timestamptz(3) not null default now(),
      primary key (org_id, id),
      unique (org_id, domain)
    );
    create index blocked_domains_by_creation on blocked_domains (org_id, created_at, id);
  `.execute(db);
}
