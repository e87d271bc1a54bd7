import { type Kysely, sql } from 'kysely';

/**
 * Where nobody waits for the milestones of deliveries, an update of deliveries costs one look and no longer a comparison
 * of all rows before and after it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create or replace function announce_delivery_milestones() returns trigger language plpgsql as $$
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
      end $$;
  `.execute(db);
}
