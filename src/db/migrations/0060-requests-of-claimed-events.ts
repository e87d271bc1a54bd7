import { type Kysely, sql } from 'kysely';

/**
 * Locks events as `claim_events` does, and returns them with the request and the trace of their cause. Its statements read
 * one after the other: a subquery beside `claim_events` reads by an older snapshot than the function, and misses events
 * committed in between.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function claim_events_with_causes(behind uuid, max_events integer, share_after_failure float8)
      returns table (id bigint, org_id uuid, type text, subject_id uuid, payload jsonb, depth integer,
        created_at timestamptz, request_id text, trace text, may_be_interrupted boolean)
      language plpgsql set enable_seqscan = off as $$
    #variable_conflict use_column
    declare
      claimed bigint[];
      interrupted boolean;
    begin
      select array_agg(id), bool_or(may_be_interrupted) into claimed, interrupted
      from claim_events(behind, max_events, share_after_failure);
      return query
        select id, org_id, type, subject_id, payload, depth, created_at, request_id, trace, interrupted
        from outbox where id = any(claimed) order by id;
    end
    $$
  `.execute(db);
}
