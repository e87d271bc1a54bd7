import { type Kysely, sql } from 'kysely';

/**
 * Which policy a session is under, and what its clocks did: one row of sla_clocks a metric and cycle. `changes_told`, `warned_at` and
 * `breached_at` say what was announced; `outcome` and `decided_at` are what analytics count.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table sla_policies (
      org_id uuid not null references orgs (id),
      id uuid not null,
      name text not null,
      office_hours_id uuid,
      first_reply_target_seconds integer check (first_reply_target_seconds >= 60),
      next_reply_target_seconds integer check (next_reply_target_seconds >= 60),
      resolution_target_seconds integer check (resolution_target_seconds >= 300),
      assignment jsonb,
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      primary key (org_id, id),
      foreign key (org_id, office_hours_id) references office_hours (org_id, id)
    );
    create index sla_policies_by_creation on sla_policies (org_id, created_at, id);
    create index sla_policies_by_office_hours on sla_policies (org_id, office_hours_id) where office_hours_id is not null;

    create table session_slas (
      org_id uuid not null,
      session_id uuid not null,
      policy_id uuid not null,
      is_over boolean not null default false,
      applied_at timestamptz(3) not null default now(),
      primary key (org_id, session_id),
      foreign key (org_id, session_id) references sessions (org_id, id) on delete cascade,
      foreign key (org_id, policy_id) references sla_policies (org_id, id) on delete cascade
    );
    create index session_slas_by_policy on session_slas (org_id, policy_id, is_over, session_id);

    create table sla_clocks (
      org_id uuid not null,
      session_id uuid not null,
      metric text not null check (metric in ('first_reply', 'next_reply', 'resolution')),
      cycle integer not null,
      policy_id uuid,
      target_seconds integer not null,
      elapsed_seconds double precision not null,
      changes_told integer not null,
      warned_at timestamptz(3),
      breached_at timestamptz(3),
      stopped_at timestamptz(3),
      outcome text check (outcome in ('met', 'breached')),
      decided_at timestamptz(3),
      primary key (org_id, session_id, metric, cycle),
      foreign key (org_id, session_id) references sessions (org_id, id) on delete cascade,
      foreign key (org_id, policy_id) references sla_policies (org_id, id) on delete set null (policy_id),
      check ((outcome is null) = (decided_at is null))
    );
    create index sla_clocks_by_decision on sla_clocks (org_id, decided_at) where decided_at is not null;
    create index sla_clocks_by_policy on sla_clocks (org_id, policy_id) where policy_id is not null;

    create index sessions_open on sessions (org_id, id) where status = 'open';
  `.execute(db);
}
