import { type Kysely, sql } from 'kysely';

/** An org has few phone agents: their list needs no index. Sessions outlive their contact. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table phone_agents (
      org_id uuid not null references orgs (id),
      id uuid not null,
      name text not null,
      type text not null check (type in ('inbound', 'outbound')),
      voice_id text,
      language text,
      first_message text not null,
      instructions text[],
      handoff_phone_number text,
      use_org_knowledgebase boolean not null,
      action_ids text[],
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      primary key (org_id, id)
    );

    create table sessions (
      org_id uuid not null references orgs (id),
      id uuid not null,
      contact_id uuid,
      channel text not null check (channel in
        ('web', 'email', 'phone_voice', 'slack', 'sms', 'whatsapp', 'instagram', 'messenger', 'api', 'web_voice')),
      status text not null default 'open' check (status in ('open', 'closed_resolved', 'closed_unresolved')),
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      last_message_at timestamptz(3),
      primary key (org_id, id),
      foreign key (org_id, contact_id) references contacts (org_id, id) on delete set null (contact_id)
    );
    create index sessions_by_contact on sessions (org_id, contact_id, created_at) where contact_id is not null;

    create table messages (
      org_id uuid not null references orgs (id),
      id uuid not null,
      session_id uuid not null,
      sender text not null check (sender in ('contact', 'ai', 'human_agent', 'system')),
      content text not null,
      created_at timestamptz(3) not null default now(),
      primary key (org_id, id),
      foreign key (org_id, session_id) references sessions (org_id, id)
    );
    create index messages_by_session on messages (org_id, session_id, created_at, id);
  `.execute(db);
}
