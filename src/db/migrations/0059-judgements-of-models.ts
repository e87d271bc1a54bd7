import { type Kysely, sql } from 'kysely';

/**
 * What models say of sessions: `ai_summaries` notes which handoffs and resolutions a model was asked about, so that it is
 * asked once. A suggestion without a score is a model's.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table ai_summaries (
      org_id uuid not null,
      session_id uuid not null,
      occasion text not null check (occasion in ('handoff', 'resolution')),
      at timestamptz(3) not null,
      created_at timestamptz(3) not null default now(),
      primary key (org_id, session_id, occasion),
      foreign key (org_id, session_id) references sessions (org_id, id) on delete cascade
    );

    alter table tags add column description text;
    alter table ai_tag_suggestions alter column score drop not null, add column model text;
    alter table ai_tag_suggestions add check ((score is null) = (model is not null));
  `.execute(db);
}
