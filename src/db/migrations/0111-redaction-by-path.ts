import { type Kysely, sql } from 'kysely';

/**
 * Replaces all that is at no kept path: what is free text is told by where it is, not by how a field is named. A path
 * has the keys to a value with points between them. The items of an array are at its path.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function without_texts_but(value jsonb, path text, kept text[]) returns jsonb language plpgsql immutable as $$
    begin
      if path = any(kept) then return value; end if;
      case jsonb_typeof(value)
        when 'object' then
          return (select coalesce(jsonb_object_agg(key, without_texts_but(inner_value, ltrim(path || '.' || key, '.'), kept)), '{}')
            from jsonb_each(value) as entry (key, inner_value));
        when 'array' then
          return (select coalesce(jsonb_agg(without_texts_but(item, path, kept) order by position), '[]')
            from jsonb_array_elements(value) with ordinality as entry (item, position));
        when 'null' then
          return value;
        else
          return '"[redacted]"';
      end case;
    end $$;
  `.execute(db);
}
