-- Replaces the texts of a document. Ids, times and short codes stay, as the names of their fields tell.
create function without_texts(value jsonb, name text) returns jsonb language plpgsql immutable as $$
begin
  case jsonb_typeof(value)
    when 'object' then
      return (select coalesce(jsonb_object_agg(key, without_texts(inner_value, key)), '{}')
        from jsonb_each(value) as entry (key, inner_value));
    when 'array' then
      return (select coalesce(jsonb_agg(without_texts(item, name) order by position), '[]')
        from jsonb_array_elements(value) with ordinality as entry (item, position));
    when 'string' then
      return case
        when value #>> '{}' ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then value
        when name ~ '(^|_)(ids?|at|until|type|status|channel|language|number)$' and length(value #>> '{}') <= 64 then value
        else '"[redacted]"' end;
    else
      return value;
  end case;
end
$$;

-- Replaces all that is at no kept path. A path has the keys to a value with points between them. The items of an array
-- are at its path.
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
end
$$;
