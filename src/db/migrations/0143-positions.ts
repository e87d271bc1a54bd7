import { type Kysely, sql } from 'kysely';

/**
 * Places among the events of an org, and among its vectors, were ids of transactions. These begin anew on another server,
 * where a dump is restored: everything new would be before everything old. A position is the id plus an offset, which
 * `npm run migrate` raises on such a server by replacing the function. The planner puts the constant in its place.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function position_offset() returns bigint language sql immutable parallel safe return 0::bigint;
    create function position_of_xid(writer xid8) returns xid8 language sql stable parallel safe
      return (public.position_offset() + writer::text::bigint)::text::xid8;
    create function xid_of_position(place xid8) returns xid8 language sql stable parallel safe
      return greatest(place::text::bigint - public.position_offset(), 0)::text::xid8;
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
    alter table session_events alter column xid set default position_of_xid(pg_current_xact_id());
    alter table knowledge_embeddings alter column xid set default position_of_xid(pg_current_xact_id());
  `.execute(db);
}
