import { sql } from 'kysely';
import type { Db } from '../../db/connect.ts';

export interface StoredVector {
  chunk_id: number;
  /** 32-bit floats in the machine's byte order. */
  vector: Buffer;
}

/** Returns the next chunks without a vector of the model, by id. */
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
    on conflict (org_id, chunk_id) do update
    set model = excluded.model, vector = excluded.vector, xid = pg_current_xact_id()
  `.execute(db);
}

/** Whether the org has any vector of the model. */
export async function hasVectors(db: Db, orgId: string, model: string): Promise<boolean> {
  const found = await db
    .selectFrom('knowledge_embeddings')
    .select('chunk_id')
    .where('org_id', '=', orgId)
    .where('model', '=', model)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

/** Returns the oldest transaction still in progress: everything written before it is visible. */
export async function findHorizon(db: Db): Promise<string> {
  const { rows } = await sql<{ horizon: string }>`
    select pg_snapshot_xmin(pg_current_snapshot())::text as horizon
  `.execute(db);
  return rows[0]?.horizon ?? '0';
}

/** Returns the vectors of the model written by this or later transactions. */
export async function listVectors(db: Db, orgId: string, model: string, since: string): Promise<StoredVector[]> {
  const { rows } = await sql<StoredVector>`
    select chunk_id, vector from knowledge_embeddings
    where org_id = ${orgId} and model = ${model} and xid >= ${since}::xid8
  `.execute(db);
  return rows;
}
