import { sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import { CURRENT_POSITION } from '../../db/positions.ts';
import { onlyRow } from '../../db/rows.ts';

export interface StoredVector {
  chunk_id: number;
  /** 32-bit floats in the machine's byte order. */
  vector: Buffer;
}

/** Returns the next chunks without a vector of the model, by id. Those that were left out are not among them. */
export async function listUnembedded(
  db: Db,
  orgId: string,
  model: string,
  { after, limit }: { after: number; limit: number },
) {
  const { rows } = await sql<{ id: number; path: string[]; content: string }>`
    select id, path, content from knowledge_chunks as chunk
    where org_id = ${orgId} and id > ${after} and (
      select true from knowledge_embeddings as known
      where known.org_id = ${orgId} and known.chunk_id = chunk.id and known.model = ${model}
    ) is null
    order by id limit ${limit}
  `.execute(db);
  return rows;
}

/** Counts an org's chunks, those with a vector of a model, and those that it left out. Indexes tell: no vector is read. */
export async function countEmbedded(db: Db, orgId: string, model: string | undefined) {
  const ofModel = sql`from knowledge_embeddings where org_id = ${orgId} and model = ${model ?? null}`;
  const counted = await sql<{ passages: number; embedded: number; left_out: number }>`
    select passages, gone_through - left_out as embedded, left_out from (select
      (select coalesce(sum(chunks), 0)::int from knowledge_items where org_id = ${orgId}) as passages,
      (select count(*)::int ${ofModel}) as gone_through,
      (select count(*)::int ${ofModel} and refused_at is not null) as left_out
      offset 0) as counts
  `.execute(db);
  return onlyRow(counted);
}

/** Stores the vectors of chunks that still exist. */
export async function upsertVectors(db: Db, orgId: string, model: string, vectors: StoredVector[]): Promise<void> {
  const ids = vectors.map(({ chunk_id }) => chunk_id);
  const bytes = vectors.map(({ vector }) => vector.toString('hex'));
  await sql`
    insert into knowledge_embeddings (org_id, chunk_id, model, vector)
    select ${orgId}::uuid, chunk.id, ${model}, decode(given.bytes, 'hex')
    from unnest(${ids}::bigint[], ${bytes}::text[]) as given (id, bytes)
    join knowledge_chunks as chunk on chunk.org_id = ${orgId} and chunk.id = given.id
    for key share of chunk
    on conflict (org_id, chunk_id, model) do update
    set vector = excluded.vector, xid = ${CURRENT_POSITION}, refused_at = null, refusal = null
  `.execute(db);
}

/** Records why a chunk has no vector of the model, if it still exists. */
export async function upsertRefusal(
  db: Db,
  orgId: string,
  model: string,
  { chunk_id, reason }: { chunk_id: number; reason: string },
): Promise<void> {
  await sql`
    insert into knowledge_embeddings (org_id, chunk_id, model, vector, refused_at, refusal)
    select ${orgId}::uuid, id, ${model}, '', now(), ${reason}
    from knowledge_chunks where org_id = ${orgId} and id = ${chunk_id} for key share
    on conflict (org_id, chunk_id, model) do update
    set vector = excluded.vector, xid = ${CURRENT_POSITION}, refused_at = now(), refusal = excluded.refusal
  `.execute(db);
}

/** Has the org's chunks that were left out tried again. */
export async function deleteRefusals(db: Db, orgId: string): Promise<void> {
  await db.deleteFrom('knowledge_embeddings').where('org_id', '=', orgId).where('refused_at', 'is not', null).execute();
}

/** Has the chunks tried again that an org left out a day ago. Returns that org for each of them. */
export async function deleteOldRefusals(db: Db): Promise<string[]> {
  const { rows } = await sql<{ org_id: string }>`
    delete from knowledge_embeddings
    where refused_at <= now() - interval '1 day' and org_id = (
      select org_id from knowledge_embeddings
      where refused_at <= now() - interval '1 day' order by refused_at limit 1
    )
    returning org_id
  `.execute(db);
  return rows.map(({ org_id }) => org_id);
}

/** Returns the position of the oldest transaction still in progress: everything written before it is visible. */
export async function findHorizon(db: Db): Promise<string> {
  const { rows } = await sql<{ horizon: string }>`
    select public.position_of_xid(pg_snapshot_xmin(pg_current_snapshot()))::text as horizon
  `.execute(db);
  return rows[0]?.horizon ?? '0';
}

/** A vector of an org in the order in which they were written. */
export interface VectorPosition {
  xid: string;
  chunk_id: number;
}

/** Returns the next vectors of the model, in the order in which they were written. */
export async function listVectors(
  db: Db,
  orgId: string,
  model: string,
  { after: { xid, chunk_id }, limit }: { after: VectorPosition; limit: number },
): Promise<(StoredVector & VectorPosition)[]> {
  const { rows } = await sql<StoredVector & VectorPosition>`
    select chunk_id, vector, xid::text from knowledge_embeddings
    where org_id = ${orgId} and model = ${model} and refused_at is null
      and xid >= ${xid}::xid8 and (xid > ${xid}::xid8 or chunk_id > ${chunk_id})
    order by knowledge_embeddings.xid, chunk_id limit ${limit}
  `.execute(db);
  return rows;
}

/** Returns the chunks that have a vector of the model. */
export async function listEmbeddedIds(db: Db, orgId: string, model: string): Promise<number[]> {
  const rows = await db
    .selectFrom('knowledge_embeddings')
    .select('chunk_id')
    .where('org_id', '=', orgId)
    .where('model', '=', model)
    .where('refused_at', 'is', null)
    .execute();
  return rows.map(({ chunk_id }) => chunk_id);
}
