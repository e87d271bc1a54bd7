import { type Kysely, sql } from 'kysely';

/**
 * HTTP calls that the AI and workflows make for an org: few, so that their list needs no index. `action_calls` are those that are made at most
 * once, with what came back; they are kept for a week. What overrides say is sealed; the org's own stand masked in its settings.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table actions (
      org_id uuid not null references orgs (id),
      id uuid not null,
      name text not null,
      description text,
      api_endpoint text not null,
      request_type text not null check (request_type in ('GET', 'POST', 'PUT', 'PATCH', 'DELETE')),
      operation_id text not null,
      payload jsonb not null,
      channels text[] not null,
      pinned boolean not null,
      tags text[] not null,
      require_form_submission boolean not null,
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      primary key (org_id, id),
      unique (org_id, operation_id)
    );

    create table action_calls (
      org_id uuid not null references orgs (id),
      key text not null,
      answer jsonb,
      began_at timestamptz(3) not null default now(),
      primary key (org_id, key)
    );
    create index action_calls_by_age on action_calls (org_id, began_at);

    create table message_overrides (
      org_id uuid not null,
      message_id uuid not null,
      sealed text not null,
      primary key (org_id, message_id),
      foreign key (org_id, message_id) references session_events (org_id, id) on delete cascade
    );

    alter table orgs add column http_action_overrides text;
  `.execute(db);
}
