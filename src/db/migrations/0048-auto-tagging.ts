import { type Kysely, sql } from 'kysely';

/**
 * What an org's tagged sessions have taught, and the tags that it suggests. `is_auto` marks a session's tag that was
 * applied by it and that nobody has confirmed: it teaches nothing.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table session_tags add column is_auto boolean not null default false;

    create table ai_tag_models (
      org_id uuid primary key references orgs (id),
      sessions integer,
      tags jsonb,
      model bytea,
      requested_at timestamptz(3) not null default now(),
      learnt_at timestamptz(3),
      check ((learnt_at is null) = (model is null)),
      check ((learnt_at is null) = (tags is null)),
      check ((learnt_at is null) = (sessions is null))
    );

    create table ai_tag_suggestions (
      org_id uuid not null,
      session_id uuid not null,
      tag_key text not null,
      score double precision not null,
      created_at timestamptz(3) not null default now(),
      primary key (org_id, session_id, tag_key),
      foreign key (org_id, session_id) references sessions (org_id, id) on delete cascade,
      foreign key (org_id, tag_key) references tags (org_id, tag_key) on delete cascade
    );
    create index ai_tag_suggestions_by_tag on ai_tag_suggestions (org_id, tag_key);
  `.execute(db);
}
