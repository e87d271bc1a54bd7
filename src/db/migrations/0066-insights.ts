import { type Kysely, sql } from 'kysely';

/**
 * Insights, their statements and their centroids. An insight that was merged leads to another one by `merged_into`, and
 * by `root_id` to the last of the chain; a statement remembers both its own insight and the root. `insight_sessions` has
 * what lists filter by, so that they read no session: a trigger copies each change of a session. Its indexes alone answer a filter;
 * the one of all columns is for several at once.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table insight_counters (
      org_id uuid primary key references orgs (id),
      last_number integer not null
    );

    create table insights (
      org_id uuid not null references orgs (id),
      id uuid not null,
      number integer not null,
      content text not null,
      named_by text not null check (named_by in ('quote', 'model', 'person', 'redaction')),
      name_sources uuid[] not null default '{}',
      named_at_count integer not null default 1,
      category text,
      category_by text check (category_by in ('person', 'classifier')),
      status text not null default 'unresolved' check (status in ('unresolved', 'resolved', 'archived')),
      sentiment text check (sentiment in ('angry', 'happy', 'neutral')),
      angry integer not null default 0,
      happy integer not null default 0,
      neutral integer not null default 0,
      occurrence_count integer not null default 0,
      first_seen_at timestamptz(3),
      last_seen_at timestamptz(3),
      team_id uuid,
      resolved_at timestamptz(3),
      resolved_by uuid,
      archived_reason text,
      reopened_because uuid,
      merged_into uuid,
      root_id uuid not null,
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      primary key (org_id, id),
      unique (org_id, number),
      foreign key (org_id, team_id) references teams (org_id, id) on delete set null (team_id),
      foreign key (org_id, merged_into) references insights (org_id, id),
      foreign key (org_id, root_id) references insights (org_id, id),
      foreign key (org_id, reopened_because) references sessions (org_id, id),
      check ((category is null) = (category_by is null)),
      check ((merged_into is null) = (root_id = id))
    );
    create index insights_by_occurrences on insights (org_id, occurrence_count) where merged_into is null;
    create index insights_by_team on insights (org_id, team_id) where team_id is not null;
    create index insights_by_merge on insights (org_id, merged_into) where merged_into is not null;
    create index insights_by_root on insights (org_id, root_id);
    create index insights_by_reopening on insights (org_id, reopened_because) where reopened_because is not null;

    create table insight_statements (
      org_id uuid not null,
      id uuid not null,
      session_id uuid not null,
      message_id uuid not null,
      own_insight_id uuid,
      insight_id uuid,
      kind text check (kind in ('problem', 'request', 'complaint', 'praise', 'question')),
      content text not null,
      quote text not null,
      sentiment text check (sentiment in ('angry', 'happy', 'neutral')),
      said_at timestamptz(3) not null,
      space text,
      vector bytea,
      created_at timestamptz(3) not null default now(),
      primary key (org_id, id),
      foreign key (org_id, session_id) references sessions (org_id, id),
      foreign key (org_id, own_insight_id) references insights (org_id, id),
      foreign key (org_id, insight_id) references insights (org_id, id),
      check ((own_insight_id is null) = (insight_id is null)),
      check ((space is null) = (vector is null))
    );
    create index insight_statements_by_session on insight_statements (org_id, session_id);
    create index insight_statements_by_insight on insight_statements (org_id, insight_id, said_at, id);
    create index insight_statements_by_own_insight on insight_statements (org_id, own_insight_id, said_at, id);

    create table insight_extractions (
      org_id uuid not null,
      session_id uuid not null,
      number integer not null,
      made_by text not null,
      statements integer not null,
      created_at timestamptz(3) not null default now(),
      primary key (org_id, session_id, number),
      foreign key (org_id, session_id) references sessions (org_id, id)
    );

    create table insight_sessions (
      org_id uuid not null,
      insight_id uuid not null,
      session_id uuid not null,
      sentiment text,
      channel text not null,
      language text,
      status text not null,
      ticket_sentiment text,
      contact_id uuid,
      session_created_at timestamptz(3) not null,
      primary key (org_id, insight_id, session_id),
      foreign key (org_id, insight_id) references insights (org_id, id),
      foreign key (org_id, session_id) references sessions (org_id, id)
    );
    create index insight_sessions_by_session on insight_sessions (org_id, session_id, insight_id);
    create index insight_sessions_by_sentiment on insight_sessions (org_id, sentiment, insight_id) where sentiment is not null;
    create index insight_sessions_by_channel on insight_sessions (org_id, channel, insight_id);
    create index insight_sessions_by_language on insight_sessions (org_id, language, insight_id) where language is not null;
    create index insight_sessions_by_status on insight_sessions (org_id, status, insight_id);
    create index insight_sessions_by_ticket_sentiment on insight_sessions (org_id, ticket_sentiment, insight_id)
      where ticket_sentiment is not null;
    create index insight_sessions_by_contact on insight_sessions (org_id, contact_id, insight_id) where contact_id is not null;
    create index insight_sessions_by_creation on insight_sessions (org_id, session_created_at, insight_id);
    create index insight_sessions_by_all on insight_sessions (org_id, session_created_at)
      include (insight_id, channel, language, status, ticket_sentiment, sentiment);

    create function copy_session_to_insights() returns trigger language plpgsql as $$
    begin
      update insight_sessions set language = new.language, status = new.status, ticket_sentiment = new.sentiment,
        contact_id = new.contact_id
      where org_id = new.org_id and session_id = new.id;
      return null;
    end $$;
    create trigger sessions_copied_to_insights after update of language, status, sentiment, contact_id on sessions for each row
      when (old.language is distinct from new.language or old.status is distinct from new.status
        or old.sentiment is distinct from new.sentiment or old.contact_id is distinct from new.contact_id)
      execute function copy_session_to_insights();

    create table insight_spaces (
      org_id uuid primary key references orgs (id),
      space text not null,
      sum bytea not null,
      vectors integer not null,
      revision bigint not null
    );

    create table insight_centroids (
      org_id uuid not null,
      insight_id uuid not null,
      space text not null,
      sum bytea not null,
      vectors integer not null,
      revision bigint not null,
      primary key (org_id, insight_id),
      foreign key (org_id, insight_id) references insights (org_id, id)
    );
    create index insight_centroids_by_space on insight_centroids (org_id, space);
    create index insight_centroids_by_revision on insight_centroids (org_id, revision);

    create table insight_terms (
      org_id uuid not null references orgs (id),
      bucket integer not null,
      texts integer not null,
      primary key (org_id, bucket)
    );
  `.execute(db);
}
