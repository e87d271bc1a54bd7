-- Returns whether somebody waits for a type of event. No new subscription is missed: it waits for a change of them, and
-- reads with its own snapshot.
create function has_subscribers(org uuid, event_type text) returns boolean language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('subscriptions ' || org, 0));
  return exists (select from event_subscriptions where org_id = org and type = event_type);
end
$$;

-- Locks the next org's events for a relay, in one call. Its plans are made once for each connection, often while the
-- outbox is empty. They must serve a backlog too, therefore all of them use the indexes. An event is held back while an
-- earlier one of its subject waits because a process ended while it handled that one.
create function claim_events(behind uuid, max_events integer, share_after_failure float8)
  returns table (id bigint, org_id uuid, type text, subject_id uuid, payload jsonb, depth integer,
    created_at timestamptz, may_be_interrupted boolean)
  language plpgsql set enable_seqscan = off as $$
#variable_conflict use_column
declare
  org uuid;
  tries integer;
  taken uuid[] := '{}';
begin
  loop
    select org_id, attempts into org, tries from outbox as event
    where kind = 'event' and available_at <= now() and org_id > behind and not exists (
        select from outbox as held
        where held.org_id = event.org_id and held.subject_id = event.subject_id and held.id < event.id
          and held.kind = 'event' and held.interruptions > 0 and held.available_at > now()
          and held.available_at < 'infinity'
      )
    order by org_id, id limit 1;
    if not found then
      select org_id, attempts into org, tries from outbox as event
      where kind = 'event' and available_at <= now() and not exists (
          select from outbox as held
          where held.org_id = event.org_id and held.subject_id = event.subject_id and held.id < event.id
            and held.kind = 'event' and held.interruptions > 0 and held.available_at > now()
            and held.available_at < 'infinity'
        )
      order by org_id, id limit 1;
    end if;
    if not found or org = any(taken) then return; end if;
    exit when pg_try_advisory_xact_lock(hashtextextended('events ' || org, 0));
    taken := taken || org;
    behind := org;
  end loop;
  return query
    select id, org_id, type, subject_id, payload, depth, created_at,
      exists (select from outbox_claims where org_id = org)
    from outbox as event
    where org_id = org and kind = 'event' and available_at <= now() and attempts = tries and not exists (
        select from outbox as held
        where held.org_id = event.org_id and held.subject_id = event.subject_id and held.id < event.id
          and held.kind = 'event' and held.interruptions > 0 and held.available_at > now()
          and held.available_at < 'infinity'
      )
    order by id limit greatest(1, floor(max_events * share_after_failure ^ tries))::bigint
    for update skip locked;
end
$$;
