import { type Kysely, sql } from 'kysely';

/**
 * Merges and splits of insights, which can be undone, and merges that are proposed. `insight_reviews` has when an org's
 * insights were reviewed, and what the categories that people gave have taught.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table insight_operations (
      org_id uuid not null,
      id uuid not null,
      kind text not null check (kind in ('merge', 'split')),
      insight_id uuid not null,
      other_id uuid not null,
      done_by uuid not null,
      undone_by uuid,
      created_at timestamptz(3) not null default now(),
      undone_at timestamptz(3),
      primary key (org_id, id),
      foreign key (org_id, insight_id) references insights (org_id, id),
      foreign key (org_id, other_id) references insights (org_id, id),
      check ((undone_by is null) = (undone_at is null))
    );
    create index insight_operations_by_creation on insight_operations (org_id, created_at, id);
    create index insight_operations_by_insight on insight_operations (org_id, insight_id);
    create index insight_operations_by_other on insight_operations (org_id, other_id);

    create table insight_proposals (
      org_id uuid not null,
      id uuid not null,
      insight_id uuid not null,
      other_id uuid not null,
      likeness double precision not null,
      dismissed_at timestamptz(3),
      created_at timestamptz(3) not null default now(),
      primary key (org_id, id),
      unique (org_id, insight_id, other_id),
      foreign key (org_id, insight_id) references insights (org_id, id),
      foreign key (org_id, other_id) references insights (org_id, id)
    );
    create index insight_proposals_by_other on insight_proposals (org_id, other_id);

    create table insight_reviews (
      org_id uuid primary key references orgs (id),
      requested_at timestamptz(3) not null default now(),
      tags jsonb,
      model bytea,
      reviewed_at timestamptz(3),
      check ((model is null) = (tags is null))
    );
  `.execute(db);
}
