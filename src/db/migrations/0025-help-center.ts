import { type Kysely, sql } from 'kysely';

/**
 * The help center: a tree of categories with articles, known by their paths, which are the slugs from the root on, joined by slashes. An
 * operation is one of its API document, found by the index alone. A content hash tells what a new tree changes.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table help_centers (
      org_id uuid not null primary key references orgs (id),
      openapi_spec text
    );

    create table help_center_categories (
      org_id uuid not null references orgs (id),
      id uuid not null,
      parent_id uuid,
      path text not null,
      slug text not null,
      name text not null,
      description text,
      icon text,
      position int not null,
      hash bytea not null,
      primary key (org_id, id),
      unique (org_id, path),
      foreign key (org_id, parent_id) references help_center_categories (org_id, id)
    );
    create index help_center_categories_of_parent on help_center_categories (org_id, parent_id);

    create table help_center_articles (
      org_id uuid not null references orgs (id),
      id uuid not null,
      category_id uuid not null,
      path text not null,
      slug text not null,
      title text not null,
      content_markdown text,
      meta_title text,
      meta_description text,
      position int not null,
      hash bytea not null,
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      primary key (org_id, id),
      unique (org_id, path),
      foreign key (org_id, category_id) references help_center_categories (org_id, id)
    );
    create index help_center_articles_of_category on help_center_articles (org_id, category_id);
    create index help_center_articles_by_creation on help_center_articles (org_id, created_at, id);

    create table help_center_operations (
      org_id uuid not null references orgs (id),
      id uuid not null,
      path text not null,
      hash bytea not null,
      primary key (org_id, id),
      unique (org_id, path)
    );
  `.execute(db);
}
