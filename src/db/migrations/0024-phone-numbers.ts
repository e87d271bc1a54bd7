import { type Kysely, sql } from 'kysely';

/** Numbers of the voice platform are answered by phone agents, which can name a model. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table phone_numbers (
      org_id uuid not null references orgs (id),
      provider_id text not null,
      number text,
      phone_agent_id uuid not null,
      bound_at timestamptz(3) not null default now(),
      primary key (org_id, provider_id),
      foreign key (org_id, phone_agent_id) references phone_agents (org_id, id) on delete cascade
    )
  `.execute(db);
  await sql`create index phone_numbers_of_agent on phone_numbers (org_id, phone_agent_id)`.execute(db);
  await sql`alter table phone_agents add column model text`.execute(db);
  // Agents of both types could call until now. Those that are named where calls are made still can.
  await sql`
    update phone_agents as agent set type = 'outbound'
    where type = 'inbound' and (exists (
      select from sequence_steps as step where step.org_id = agent.org_id and step.deleted_at is null
        and step.action ->> 'type' = 'make_phone_calls' and lower(step.action #>> '{data,aiPhoneAgentId}') = agent.id::text
    ) or exists (
      select from deliveries as delivery where delivery.org_id = agent.org_id and delivery.channel = 'voice'
        and lower(delivery.content ->> 'agentId') = agent.id::text
    ))
  `.execute(db);
}
