-- Returns the highest position that is stored, or null.
create function last_position() returns xid8 language sql stable begin atomic
  select last.xid from (
    select event.xid from public.orgs as org cross join lateral (
      select xid from public.session_events where org_id = org.id order by xid desc limit 1
    ) as event
    union all
    select embedding.xid from public.orgs as org cross join lateral (
      with recursive known as (
        (select model from public.knowledge_embeddings where org_id = org.id order by model limit 1)
        union all
        select (
          select next.model from public.knowledge_embeddings as next
          where next.org_id = org.id and next.model > known.model order by next.model limit 1
        ) from known where known.model is not null
      )
      select model from known where model is not null
    ) as used cross join lateral (
      select xid from public.knowledge_embeddings where org_id = org.id and model = used.model order by xid desc limit 1
    ) as embedding
  ) as last
  order by last.xid desc limit 1;
end;
