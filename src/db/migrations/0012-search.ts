import { type Kysely, sql } from 'kysely';

/** Written by people without spaces between words, or with particles that grow into them. */
const RUNS =
  '\\u0e01-\\u0e3a\\u0e40-\\u0e4e\\u0e81-\\u0ebd\\u0ec0-\\u0ece\\u1000-\\u1049\\u1780-\\u17d3\\u3005-\\u3007\\u3041-\\u3096\\u309d-\\u309f\\u30a1-\\u30fa\\u30fc-\\u30ff\\u3105-\\u312f\\u31f0-\\u31ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\uac00-\\ud7a3\\U00020000-\\U0003ffff';
/** Vowel points, accents that stand alone and what nobody sees. */
const MARKS =
  '\\u00ad\\u0300-\\u036f\\u0591-\\u05bd\\u05bf\\u05c1-\\u05c7\\u0610-\\u061a\\u0640\\u064b-\\u065f\\u0670\\u06d6-\\u06ed\\u200c-\\u200f\\u202a-\\u202e\\u2060-\\u2069\\ufe00-\\ufe0f\\ufeff\\U000e0000-\\U000e01ff';
const SYMBOLS =
  '\\u0001-/:-@[-`{-\\u00a9\\u00ab-\\u00b1\\u00b4\\u00b6-\\u00b8\\u00bb-\\u00bf\\u00d7\\u00f7\\u037e\\u0387\\u055a-\\u055f\\u0589\\u05be\\u05c0\\u05f3\\u05f4\\u060c\\u060d\\u061b-\\u061f\\u066a-\\u066d\\u06d4\\u0964\\u0965\\u0e3f\\u0e4f\\u0e5a\\u0e5b\\u104a-\\u104f\\u1361-\\u1368\\u17d4-\\u17dc\\u2000-\\u200b\\u2010-\\u2029\\u202f-\\u205f\\u2070-\\u209f\\u20a0-\\u20cf\\u2190-\\u2bff\\u2e00-\\u2e7f\\u3000-\\u3004\\u3008-\\u3020\\u3030\\u303d-\\u3040\\u30a0\\u30fb\\ud7fc-\\ud7ff\\ue000-\\uf8ff\\ufd3e\\ufd3f\\ufe10-\\ufe6f\\ufff0-\\uffff\\U0001f000-\\U0001faff';
const ASCII_SYMBOLS = '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~';

const ON = sql.raw;
const quoted = (text: string) => ON(`'${text.replaceAll("'", "''")}'`);

/**
 * Full-text search in any language. The column follows its row by itself: a message whose content becomes null is found no more once that
 * is committed. Words count without case, accents and punctuation; text that has no spaces counts by pairs of letters; a session's language
 * adds the stems of its words. The functions name all that they use by its schema, so that a dump can be restored. New texts wait in a
 * short list (kB) before they are worked into an index: one by one they cost five times as much, and a longer list would slow the search down.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create extension if not exists unaccent with schema public;
    create extension if not exists pg_trgm with schema public;
    create extension if not exists btree_gin with schema public;

    create function public.plain_text(content text) returns text
      language plpgsql immutable strict parallel safe cost 500 as $$
    begin
      if octet_length(content) = length(content) then
        return lower(translate(content, ${quoted(ASCII_SYMBOLS)}, ${quoted(' '.repeat(ASCII_SYMBOLS.length))}));
      end if;
      return regexp_replace(
        regexp_replace(lower(public.unaccent('public.unaccent', normalize(content, NFKC))), ${quoted(`[${MARKS}]+`)}, '', 'g'),
        ${quoted(`[${SYMBOLS}]+`)}, ' ', 'g');
    end $$;

    create function public.search_words(content text) returns text
      language plpgsql immutable strict parallel safe cost 500 as $$
    declare
      words text := public.plain_text(content);
      runs text;
    begin
      if octet_length(words) = length(words) or words !~ ${quoted(`[${RUNS}]`)} then return words; end if;
      runs := regexp_replace(words, ${quoted(`[^${RUNS}]+`)}, ' ', 'g');
      return regexp_replace(words, ${quoted(`[${RUNS}]+`)}, ' ', 'g')
        || ' ' || regexp_replace(runs, '([^ ])([^ ])', '\\1\\2 ', 'g')
        || ' ' || regexp_replace(regexp_replace(runs, '(^| )[^ ]', '\\1', 'g'), '([^ ])([^ ])', '\\1\\2 ', 'g');
    end $$;

    create function public.search_config(language text) returns regconfig
      language sql immutable strict parallel safe as $$
      select case language
        when 'ar' then 'pg_catalog.arabic' when 'hy' then 'pg_catalog.armenian' when 'eu' then 'pg_catalog.basque'
        when 'ca' then 'pg_catalog.catalan' when 'da' then 'pg_catalog.danish' when 'nl' then 'pg_catalog.dutch'
        when 'en' then 'pg_catalog.english' when 'fi' then 'pg_catalog.finnish' when 'fr' then 'pg_catalog.french'
        when 'de' then 'pg_catalog.german' when 'el' then 'pg_catalog.greek' when 'hi' then 'pg_catalog.hindi'
        when 'hu' then 'pg_catalog.hungarian' when 'id' then 'pg_catalog.indonesian' when 'ga' then 'pg_catalog.irish'
        when 'it' then 'pg_catalog.italian' when 'lt' then 'pg_catalog.lithuanian' when 'no' then 'pg_catalog.norwegian'
        when 'pt' then 'pg_catalog.portuguese' when 'ro' then 'pg_catalog.romanian' when 'ru' then 'pg_catalog.russian'
        when 'sr' then 'pg_catalog.serbian' when 'es' then 'pg_catalog.spanish' when 'sv' then 'pg_catalog.swedish'
        when 'ta' then 'pg_catalog.tamil' when 'tr' then 'pg_catalog.turkish'
      end::regconfig
    $$;

    create function public.search_vector(language text, content text) returns tsvector
      language plpgsql immutable parallel safe cost 1000 as $$
    declare
      words text := public.search_words(left(content, 50000));
      config regconfig := public.search_config(language);
    begin
      if config is null then return to_tsvector('pg_catalog.simple', words); end if;
      return to_tsvector('pg_catalog.simple', words) || strip(to_tsvector(config, words));
    end $$;

    create function public.contact_text(name text, email text, phone_number text) returns text
      language sql immutable parallel safe cost 1000 as $$
      select public.plain_text(' ' || coalesce(name, '') || ' ' || coalesce(email, '') || ' ' || coalesce(phone_number, '') || ' ')
    $$;

    alter table session_events
      add column language text,
      add column search tsvector generated always as (public.search_vector(language, content)) stored;
    create index session_events_by_words on session_events using gin (org_id, search) with (gin_pending_list_limit = 512)
      where search is not null;

    create index contacts_by_text on contacts using gin (
      org_id, public.search_vector(null, public.contact_text(name, email, phone_number)),
      public.contact_text(name, email, phone_number) gin_trgm_ops
    ) with (gin_pending_list_limit = 512);

    create index sessions_by_last_message on sessions (org_id, last_message_at desc nulls last, id desc);
    create index sessions_by_custom_data on sessions using gin (org_id, custom_data jsonb_path_ops) with (fastupdate = off)
      where custom_data <> '{}';
    create index sessions_by_channel on sessions (org_id, channel);
    create index sessions_by_status on sessions (org_id, status_code);
    create index sessions_by_closure on sessions (org_id, ai_closure_type) where ai_closure_type is not null;
    create index sessions_by_sentiment on sessions (org_id, sentiment) where sentiment is not null;
    create index sessions_by_language on sessions (org_id, language) where language is not null;
    create index sessions_of_assignee on sessions (org_id, assignee_id) where assignee_id is not null;
  `.execute(db);
}
