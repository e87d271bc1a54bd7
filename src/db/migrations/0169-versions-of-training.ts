import { type Kysely, sql } from 'kysely';

/** Each publication of a training item is kept as a version. What is published already is the first one. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table training_versions (
      org_id uuid not null,
      training_id uuid not null,
      id uuid not null,
      version int not null,
      title text not null,
      content text not null,
      published_key_id uuid,
      created_at timestamptz(3) not null default now(),
      primary key (org_id, training_id, version),
      foreign key (org_id, training_id) references training_items (org_id, id) on delete cascade
    )
  `.execute(db);
  await sql`
    alter table training_items
      add column version int not null default 0,
      add column published_at timestamptz(3)
  `.execute(db);
  await sql`
    insert into training_versions (org_id, training_id, id, version, title, content, created_at)
    select org_id, id, gen_random_uuid(), 1, title, content, updated_at from training_items where not is_draft
  `.execute(db);
  await sql`update training_items set version = 1, published_at = updated_at where not is_draft`.execute(db);
}
