import { type RawBuilder, sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import { sendAhead } from '../../db/connections/pipeline.ts';
import { PLANNED_EACH_TIME } from '../../db/connections/preparing-client.ts';
import { newId } from '../../ids.ts';
import type { EndpointRef } from '../contract.ts';
import { VERSION } from '../endpoints/shared.queries.ts';

/** A webhook for one endpoint. */
export interface NewDelivery {
  /** The same for the same event and endpoint. */
  id: string;
  endpoint_id: string;
  event_id: string;
  event_type: string;
  occurred_at: Date;
  session_id: string | null;
  /** As JSON. */
  data: string;
}

/** What is to be sent now to an endpoint. */
export interface StoredDeliveries {
  endpoint_id: string;
  /** The version of the endpoint, and whether its sender works or comes back by itself. */
  version: string;
  is_sending: boolean;
  /** The deliveries' numbers in their sessions, by id. */
  sequences: Record<string, number | null>;
}

/** So many deliveries are planned anew, by the present size of the tables. */
const MANY_DELIVERIES = 20;

/**
 * Inserts deliveries in their order, each id once, and numbers those of a session. They are held while their endpoint is
 * disabled. `wakeUps` is the SQL of insertOfCommands, for commands to the senders of the endpoints: those that are idle
 * get theirs. The rows say what is to be sent now, by endpoint. They come with the commit.
 */
export async function insertDeliveries(
  trx: Trx,
  orgId: string,
  deliveries: NewDelivery[],
  wakeUps: RawBuilder<unknown>,
): Promise<{ rows: Promise<StoredDeliveries[]> }> {
  const areMany = deliveries.length >= MANY_DELIVERIES;
  const { places, texts } = withoutRepeats(deliveries);
  return sendAhead(
    trx,
    sql<StoredDeliveries>`
    ${sql.raw(areMany ? PLANNED_EACH_TIME : '')}
    with new as materialized (
      select delivery.*, ${texts}::jsonb -> place as data, endpoint.enabled
      from rows from (
        jsonb_to_recordset(${JSON.stringify(places)}::jsonb) as (id uuid, endpoint_id uuid, event_id uuid, event_type text,
          occurred_at timestamptz, session_id uuid, place integer)
      ) with ordinality as delivery (id, endpoint_id, event_id, event_type, occurred_at, session_id, place, position)
      join webhook_endpoints as endpoint on endpoint.org_id = ${orgId} and endpoint.id = delivery.endpoint_id
    ), numbers as (
      insert into webhook_sequences as numbers (org_id, endpoint_id, session_id, last)
      select ${orgId}::uuid, endpoint_id, session_id, count(*) from new
      where session_id is not null group by endpoint_id, session_id order by endpoint_id, session_id
      on conflict (org_id, endpoint_id, session_id) do update set last = numbers.last + excluded.last
      returning endpoint_id, session_id, last
    ), inserted as (
      insert into webhook_deliveries (org_id, id, endpoint_id, event_id, event_type, occurred_at, session_id, sequence, data, status)
      select ${orgId}::uuid, new.id, new.endpoint_id, new.event_id, new.event_type, new.occurred_at, new.session_id,
        numbers.last + 1 - row_number() over (partition by new.endpoint_id, new.session_id order by new.position desc),
        new.data, case when new.enabled then 'pending' else 'held' end
      from new left join numbers on numbers.endpoint_id = new.endpoint_id and numbers.session_id = new.session_id
      order by new.position
      on conflict (org_id, id) do nothing
      returning id, endpoint_id, sequence, status
    ), pending as (
      select endpoint_id, jsonb_object_agg(id, sequence) as sequences
      from inserted where status = 'pending' group by endpoint_id
    ), stored as (
      select endpoint.id as endpoint_id, endpoint.${VERSION} as version, endpoint.is_sending, pending.sequences from pending
      join webhook_endpoints as endpoint on endpoint.org_id = ${orgId} and endpoint.id = pending.endpoint_id
    ), woken as (
      ${wakeUps}
      where exists (select from stored where stored.endpoint_id = command.subject_id and not is_sending)
    )
    select * from stored`,
  );
}

/** Returns deliveries with the places of their data in a JSON array: endpoints that get the same share it. */
function withoutRepeats(deliveries: NewDelivery[]) {
  const placeOf = new Map<string, number>();
  const places = deliveries.map(({ data, ...delivery }) => {
    const index = placeOf.get(data) ?? placeOf.size;
    placeOf.set(data, index);
    return { ...delivery, place: index };
  });
  return { places, texts: `[${[...placeOf.keys()].join(',')}]` };
}

/** Inserts a test of an endpoint, and returns its id. */
export async function insertTestDelivery(trx: Trx, orgId: string, endpointId: string, data: object): Promise<string> {
  const [id, eventId] = [newId(), newId()];
  await trx
    .insertInto('webhook_deliveries')
    .values({
      org_id: orgId,
      id,
      endpoint_id: endpointId,
      event_id: eventId,
      event_type: 'webhook.test',
      occurred_at: sql<Date>`now()`,
      session_id: null,
      sequence: null,
      data: JSON.stringify(data),
      status: 'pending',
      next_attempt_at: null,
    })
    .execute();
  return id;
}

/** A step of work on many deliveries: few enough that nobody who needs the endpoint or its deliveries waits for long. */
export const DELIVERIES_PER_STEP = 2_000;

/** Holds some of what an endpoint would have got. Returns the number of deliveries. */
export async function holdDeliveries(trx: Trx, { orgId, endpointId }: EndpointRef, limit: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    update webhook_deliveries set status = 'held', next_attempt_at = null, updated_at = now()
    where org_id = ${orgId} and id = any(array(
      select id from webhook_deliveries
      where org_id = ${orgId} and endpoint_id = ${endpointId} and status in ('pending', 'retrying')
      limit ${limit} for update
    ))
  `.execute(trx);
  return Number(numAffectedRows);
}

const SENT_COLUMNS = [
  'id',
  'org_id',
  'endpoint_id',
  'event_id',
  'event_type',
  'occurred_at',
  'session_id',
  'sequence',
  'data',
  'attempts',
  'round_attempts',
  'status',
] as const;

/**
 * Lists the oldest pending deliveries of an endpoint besides some that are under way. In an ordered endpoint, only the
 * first open one of each session.
 */
export function listPendingDeliveries(
  db: Db,
  { orgId, endpointId }: EndpointRef,
  { limit, except, isOrdered }: { limit: number; except: string[]; isOrdered: boolean },
) {
  const pending = db
    .selectFrom('webhook_deliveries as delivery')
    .modifyFront(sql.raw(PLANNED_EACH_TIME))
    .select(SENT_COLUMNS)
    .where('org_id', '=', orgId)
    .where('endpoint_id', '=', endpointId)
    .where(sql<boolean>`status = 'pending'`)
    .where('id', '<>', sql<string>`all(${except}::uuid[])`)
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit);
  return (isOrdered ? pending.where(IS_FIRST_OF_SESSION) : pending).execute();
}

const IS_FIRST_OF_SESSION: RawBuilder<boolean> = sql`not exists (
  select from webhook_deliveries as earlier
  where earlier.org_id = delivery.org_id and earlier.endpoint_id = delivery.endpoint_id
    and earlier.session_id = delivery.session_id and earlier.sequence < delivery.sequence
    and earlier.status in ('pending', 'retrying')
)`;

export const findDelivery = (db: Db, orgId: string, endpointId: string, id: string) =>
  db
    .selectFrom('webhook_deliveries')
    .select(SENT_COLUMNS)
    .select(sql<number>`coalesce(extract(epoch from next_attempt_at - now()) * 1000, 0)::float8`.as('due_in_ms'))
    .where('org_id', '=', orgId)
    .where('endpoint_id', '=', endpointId)
    .where('id', '=', id)
    .executeTakeFirst();

export type DeliveryRow = Awaited<ReturnType<typeof listPendingDeliveries>>[number];
