import { type Kysely, sql } from 'kysely';

/**
 * Tools of an org's MCP servers are actions. A tool is called by the definition that a person has accepted, and held
 * while its server lists another one.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table actions add column held boolean not null default false, add column read_only boolean not null default false
  `.execute(db);
  await sql`
    create table mcp_servers (
      org_id uuid not null,
      name text not null,
      kind text not null generated always as ('mcp') stored,
      verdict jsonb,
      protocol text,
      listed_at timestamptz(3),
      requested_at timestamptz(3) not null default now(),
      primary key (org_id, name),
      foreign key (org_id, kind, name) references integrations (org_id, kind, name) on delete cascade
    )
  `.execute(db);
  await sql`create index mcp_servers_by_request on mcp_servers (requested_at)`.execute(db);
  await sql`
    create table mcp_tools (
      org_id uuid not null,
      server text not null,
      tool text not null,
      action_id uuid not null,
      listed jsonb,
      listed_hash text,
      problem text,
      accepted jsonb,
      accepted_hash text,
      accepted_at timestamptz(3),
      changed_at timestamptz(3),
      primary key (org_id, server, tool),
      foreign key (org_id, server) references mcp_servers (org_id, name) on delete cascade,
      foreign key (org_id, action_id) references actions (org_id, id) on delete cascade
    )
  `.execute(db);
  await sql`create unique index mcp_tools_by_action on mcp_tools (org_id, action_id)`.execute(db);
}
