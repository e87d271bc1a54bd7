-- Full-text search in any language. Words are lower case without accents, marks and symbols.
create function plain_text(content text) returns text language plpgsql immutable parallel safe strict cost 500 as $$
begin
  if octet_length(content) = length(content) then
    return lower(translate(content, '!"#$%&''()*+,-./:;<=>?@[\]^_`{|}~', '                                '));
  end if;
  return regexp_replace(
    regexp_replace(lower(public.unaccent('public.unaccent', normalize(content, NFKC))), '[\u00ad\u0300-\u036f\u0591-\u05bd\u05bf\u05c1-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed\u200c-\u200f\u202a-\u202e\u2060-\u2069\ufe00-\ufe0f\ufeff\U000e0000-\U000e01ff]+', '', 'g'),
    '[\u0001-/:-@[-`{-\u00a9\u00ab-\u00b1\u00b4\u00b6-\u00b8\u00bb-\u00bf\u00d7\u00f7\u037e\u0387\u055a-\u055f\u0589\u05be\u05c0\u05f3\u05f4\u060c\u060d\u061b-\u061f\u066a-\u066d\u06d4\u0964\u0965\u0e3f\u0e4f\u0e5a\u0e5b\u104a-\u104f\u1361-\u1368\u17d4-\u17dc\u2000-\u200b\u2010-\u2029\u202f-\u205f\u2070-\u209f\u20a0-\u20cf\u2190-\u2bff\u2e00-\u2e7f\u3000-\u3004\u3008-\u3020\u3030\u303d-\u3040\u30a0\u30fb\ud7fc-\ud7ff\ue000-\uf8ff\ufd3e\ufd3f\ufe10-\ufe6f\ufff0-\uffff\U0001f000-\U0001faff]+', ' ', 'g');
end
$$;

-- Scripts without spaces between words are split into pairs of letters.
create function search_words(content text) returns text language plpgsql immutable parallel safe strict cost 500 as $$
declare
  words text := public.plain_text(content);
  runs text;
begin
  if octet_length(words) = length(words) or words !~ '[\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ebd\u0ec0-\u0ece\u1000-\u1049\u1780-\u17d3\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\U00020000-\U0003ffff]' then return words; end if;
  runs := regexp_replace(words, '[^\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ebd\u0ec0-\u0ece\u1000-\u1049\u1780-\u17d3\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\U00020000-\U0003ffff]+', ' ', 'g');
  return regexp_replace(words, '[\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ebd\u0ec0-\u0ece\u1000-\u1049\u1780-\u17d3\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\U00020000-\U0003ffff]+', ' ', 'g')
    || ' ' || regexp_replace(runs, '([^ ])([^ ])', '\1\2 ', 'g')
    || ' ' || regexp_replace(regexp_replace(runs, '(^| )[^ ]', '\1', 'g'), '([^ ])([^ ])', '\1\2 ', 'g');
end
$$;

-- The configuration that stems a language. Null where Postgres has none.
create function search_config(language text) returns regconfig language sql immutable parallel safe strict as $$
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

-- Words as they are, and their stems.
create function search_vector(language text, content text) returns tsvector
  language plpgsql immutable parallel safe cost 1000 as $$
declare
  words text := public.search_words(left(content, 50000));
  config regconfig := public.search_config(language);
begin
  if config is null then return to_tsvector('pg_catalog.simple', words); end if;
  return to_tsvector('pg_catalog.simple', words) || strip(to_tsvector(config, words));
end
$$;

-- What searches of contacts look through.
create function contact_text(name text, email text, phone_number text) returns text
  language sql immutable parallel safe cost 1000 as $$
select public.plain_text(' ' || coalesce(name, '') || ' ' || coalesce(email, '') || ' ' || coalesce(phone_number, '') || ' ')
$$;
