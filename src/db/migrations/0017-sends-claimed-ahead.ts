import { type Kysely, sql } from 'kysely';

/**
 * Sends of a sequence are claimed in large sets, and what has begun of them is known. Events are announced only where a
 * workflow or an endpoint waits for them.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table sequence_attempts (
      org_id uuid not null,
      sequence_id uuid not null,
      lease uuid not null,
      begun_through integer not null default 0,
      primary key (org_id, sequence_id),
      foreign key (org_id, sequence_id) references sequences (org_id, id) on delete cascade
    )
  `.execute(db);
  await sql`alter table deliveries add column lease_position integer`.execute(db);
  await sql`
    create function is_awaited(org uuid, event_type text) returns boolean language plpgsql as $$
    begin
      return has_subscribers(org, event_type) or exists (
        select from automations as automation
        join automation_versions as version on version.org_id = automation.org_id and version.id = automation.active_version
        where automation.org_id = org and automation.active_version is not null and version.trigger_type = event_type
      ) or exists (select from automation_listeners where org_id = org and trigger_type = event_type);
    end
    $$
  `.execute(db);
}
