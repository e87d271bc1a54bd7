import { type Kysely, sql } from 'kysely';

/**
 * Customers' workflows with an ai-trigger as tools of the AI: how each is offered, and its calls in the ledger beside
 * those of actions. The id of such a call is that of its run.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table ai_workflow_tools (
      org_id uuid not null,
      workflow_id uuid not null,
      name text not null,
      description text,
      arguments jsonb,
      channels text[],
      confirm text not null check (confirm in ('auto', 'always')),
      requires_verified boolean not null,
      limits jsonb,
      created_at timestamptz(3) not null default now(),
      primary key (org_id, workflow_id),
      foreign key (org_id, workflow_id) references automations (org_id, id) on delete cascade
    );
    insert into ai_workflow_tools (org_id, workflow_id, name, description, confirm, requires_verified)
    select version.org_id, version.automation_id, version.name, version.description, 'auto', false
    from automations as automation
    join automation_versions as version on version.org_id = automation.org_id and version.id = automation.active_version
    where version.trigger_type = 'ai-trigger';

    alter table ai_calls
      alter column action_id drop not null,
      add column workflow_id uuid,
      add column deferred_at timestamptz(3),
      add check (num_nonnulls(action_id, workflow_id) = 1);
    create index ai_calls_of_workflow on ai_calls (org_id, workflow_id) where state = 'running' and workflow_id is not null;
  `.execute(db);
}
