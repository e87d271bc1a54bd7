import { type Kysely, sql } from 'kysely';

/** Tags can be grouped by categories. A tag has at most one. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table tag_categories (
      org_id uuid not null references orgs (id),
      id uuid not null,
      name_key text not null,
      name text not null,
      description text,
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      primary key (org_id, id),
      unique (org_id, name_key)
    );

    alter table tags add column category_id uuid;
    alter table tags add foreign key (org_id, category_id) references tag_categories (org_id, id) on delete set null (category_id);
    create index tags_by_category on tags (org_id, category_id, tag_key) where category_id is not null;
  `.execute(db);
}
