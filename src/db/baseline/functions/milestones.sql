-- Milestones of deliveries and of the AI's calls are announced where somebody waits for them. Many statements change these
-- states in batches, and a statement's trigger sees the rows of each. Where nobody waits it costs one look.
create function announce_delivery_milestones() returns trigger language plpgsql as $$
declare
  org uuid;
begin
  for org in
    select distinct org_id from after where status in ('accepted', 'sent', 'delivered', 'read', 'failed', 'bounced', 'unknown')
  loop
    if has_subscribers(org, 'delivery-changed') then
      insert into outbox (org_id, kind, type, subject_id, payload)
      select org, 'event', 'delivery-changed', id, jsonb_build_object('milestone', milestone) from (
        select after.id, case
          when after.status in ('accepted', 'sent') and before.status not in ('accepted', 'sent', 'delivered', 'read') then 'sent'
          when after.status in ('delivered', 'read') and before.status not in ('delivered', 'read') then 'delivered'
          when after.status in ('failed', 'bounced') and before.status not in ('failed', 'bounced') then 'failed'
          when after.status = 'unknown' and before.status <> 'unknown' then 'unknown' end as milestone
        from after join before on before.org_id = after.org_id and before.id = after.id where after.org_id = org
      ) as reached where milestone is not null order by id;
    end if;
  end loop;
  return null;
end
$$;

create function announce_ai_call_milestones() returns trigger language plpgsql as $$
declare
  org uuid;
begin
  for org in select distinct org_id from after where state in ('needs_confirmation', 'done', 'failed', 'unknown') loop
    if has_subscribers(org, 'ai-call-changed') then
      if tg_op = 'INSERT' then
        insert into outbox (org_id, kind, type, subject_id, payload)
        select org, 'event', 'ai-call-changed', session_id, jsonb_build_object('call_id', id, 'milestone', 'confirmation_requested')
        from after where org_id = org and state = 'needs_confirmation';
      else
        insert into outbox (org_id, kind, type, subject_id, payload)
        select org, 'event', 'ai-call-changed', after.session_id, jsonb_build_object('call_id', after.id, 'milestone',
          case after.state when 'unknown' then 'unknown' else 'called' end)
        from after join before on before.org_id = after.org_id and before.id = after.id
        where after.org_id = org and before.state <> after.state and after.tries > 0
          and after.state in ('done', 'failed', 'unknown');
      end if;
    end if;
  end loop;
  return null;
end
$$;
