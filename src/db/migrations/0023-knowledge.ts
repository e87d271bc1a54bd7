import { type Kysely, sql } from 'kysely';

/**
 * Training, and the index over all that an org knows. An item is a text of some source; its chunks are what is found. Chunks that are written
 * together are a segment, with one row of postings for each lexeme: which of them hold it, how often, and how long each is, so that scoring
 * reads these rows alone. A chunk names its segment and its lexemes, so that its postings are found again without an index of their own; an item names its
 * chunks, so that a filter reads items alone. How many chunks hold a lexeme is counted when it is asked for: writers share no row, and the
 * count is always right. A word may stand twice in `knowledge_words` where two transactions brought it at once, so that neither waits for the
 * other; one that no chunk holds any more is passed over. Chunks and postings have no foreign keys: whoever writes them holds their items, and
 * before its first statistics Postgres reads the whole table for each check, which took most of an import's time.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table training_directories (
      org_id uuid not null references orgs (id),
      id uuid not null,
      name text not null,
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      primary key (org_id, id)
    );
    create index training_directories_by_creation on training_directories (org_id, created_at, id);

    create table training_items (
      org_id uuid not null references orgs (id),
      id uuid not null,
      title text not null,
      content text not null,
      type text not null check (type in ('BEHAVIORAL', 'SCENARIO_SPECIFIC')),
      is_draft boolean not null,
      directory_id uuid,
      restricted_to_channels text[] not null,
      restricted_to_segments text[] not null,
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      primary key (org_id, id),
      foreign key (org_id, directory_id) references training_directories (org_id, id) on delete set null (directory_id)
    );
    create index training_items_by_creation on training_items (org_id, created_at, id);
    create index training_items_of_directory on training_items (org_id, directory_id, created_at, id)
      where directory_id is not null;
    create index training_items_always_active on training_items (org_id, created_at, id)
      where type = 'BEHAVIORAL' and not is_draft;

    create table knowledge_items (
      org_id uuid not null references orgs (id),
      id uuid not null,
      source_type text not null check (source_type in ('custom_training', 'help_center', 'website', 'integration')),
      source text not null,
      title text not null,
      url text,
      visibility text not null check (visibility in ('internal', 'public')),
      language text,
      channels text[] not null,
      segments text[] not null,
      chunks int not null default 0,
      words int not null default 0,
      chunk_ids bigint[] not null default '{}',
      primary key (org_id, id)
    );
    create index knowledge_items_by_language on knowledge_items (org_id, language) include (chunks, words);

    create table knowledge_chunks (
      org_id uuid not null,
      id bigint generated always as identity,
      item_id uuid not null,
      position int not null,
      start_offset int not null,
      end_offset int not null,
      hash bytea not null,
      path text[] not null,
      content text not null,
      length int not null,
      lexemes text[] not null,
      segment bigint not null,
      primary key (org_id, id)
    );
    alter table knowledge_chunks set (toast_tuple_target = 8160); -- to compress them would take longer than to write them

    create table knowledge_postings (
      org_id uuid not null,
      lexeme text not null collate "C",
      segment bigint not null,
      hits bigint[] not null,
      primary key (org_id, lexeme, segment)
    );

    alter table knowledge_postings set (toast_tuple_target = 8160); -- as above: a segment of 900 chunks just fits

    create table knowledge_embeddings (
      org_id uuid not null,
      chunk_id bigint not null,
      model text not null,
      vector bytea not null,
      xid xid8 not null default pg_current_xact_id(),
      primary key (org_id, chunk_id),
      foreign key (org_id, chunk_id) references knowledge_chunks (org_id, id) on delete cascade
    );
    alter table knowledge_embeddings alter column vector set storage external;
    create index knowledge_embeddings_by_change on knowledge_embeddings (org_id, model, xid);

    create table knowledge_words (
      org_id uuid not null references orgs (id),
      word text not null collate "C"
    );
    create index knowledge_words_by_spelling on knowledge_words using gin (org_id, word gin_trgm_ops)
      with (gin_pending_list_limit = 64);
    create index knowledge_words_by_word on knowledge_words (org_id, word);
  `.execute(db);
}
