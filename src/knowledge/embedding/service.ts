import type { Db, Trx } from '../../db/connect.ts';
import { findConnection, listConnections } from '../../orgs/integrations/service.ts';
import { addDueWork, beginDueWork, endBegunWork } from '../../outbox/due-work.ts';
import { type Command, enqueue, signalWithStart } from '../../outbox/outbox.ts';
import type { Reaction } from '../../outbox/reactions.ts';
import type { Secrets } from '../../secrets.ts';
import { WAKE } from '../../temporal/contract.ts';
import { EMBED_KNOWLEDGE, type EmbeddingProgress } from './contract.ts';
import { embedInParts, type PartHandlers, partSizeOf } from './parts.ts';
import { deleteRefusals, listUnembedded, upsertRefusal, upsertVectors } from './queries.ts';

const CHUNKS_PER_BATCH = 32;

/** An org's embedding model. */
export interface EmbeddingModel {
  base_url?: string | undefined;
  api_key: string;
  embedding_model: string;
  /** Whether the model is told what is a question and what is knowledge. */
  embedding_input_type?: boolean | undefined;
}

/** Returns the name that a model's vectors are stored under. Told what the texts are, a model gives other vectors. */
export const vectorModelOf = ({ embedding_model, embedding_input_type = false }: EmbeddingModel): string =>
  embedding_input_type ? `${embedding_model} (passage)` : embedding_model;

/** Returns a vector of length 1 for each text. */
export type Embed = (model: EmbeddingModel, texts: string[]) => Promise<Float32Array[]>;

/** Returns whether the org has set an embedding model. */
export async function hasEmbeddingModel(trx: Trx, orgId: string): Promise<boolean> {
  const settings = (await listConnections(trx, orgId)).get('llm');
  return typeof settings?.embedding_model === 'string';
}

/** Returns the command to embed the chunks of an org that lack a vector. */
export const embedKnowledge = (orgId: string): Command =>
  signalWithStart(EMBED_KNOWLEDGE, { orgId }, WAKE, {
    subjectId: orgId,
    summary: 'Compute embeddings of the knowledge',
  });

/** Schedules embedding after the commit. It is due until all chunks have been gone through. */
export async function requestEmbedding(trx: Trx, orgId: string): Promise<void> {
  await addDueWork(trx, orgId, 'embedding', [{ subjectId: orgId }]);
  await enqueue(trx, orgId, embedKnowledge(orgId));
}

/** Schedules embedding when the org changes its llm integration. What was left out is tried again. */
export const embedOnChange: Reaction<'integration-changed'> = async (trx, orgId, events) => {
  if (!events.some(({ payload }) => payload.kind === 'llm')) return;
  if (!(await hasEmbeddingModel(trx, orgId))) return;
  await deleteRefusals(trx, orgId);
  await requestEmbedding(trx, orgId);
};

/** Returns the embedding model of the org's llm integration, or undefined if none is set. */
export async function findEmbeddingModel(db: Db, secrets: Secrets, orgId: string): Promise<EmbeddingModel | undefined> {
  const settings = await findConnection(db, secrets, orgId, 'llm');
  if (settings?.embedding_model === undefined) return undefined;
  const { base_url, api_key, embedding_model, embedding_input_type } = settings;
  return { base_url, api_key, embedding_model, embedding_input_type };
}

interface EmbeddingDeps extends Pick<PartHandlers<unknown>, 'pause'> {
  secrets: Secrets;
  embed: Embed;
}

/** The org's chunks after one, and in which attempt they are embedded. */
interface EmbeddingBatch {
  after: number;
  size?: number | undefined;
  attempt: number;
}

/**
 * Embeds a batch of chunks that lack a vector of the org's model. A repeated run goes on with those that still lack one.
 * A chunk that the provider refuses or fails at for good is left out, and found by its words only. It is tried again
 * after a day, or once the settings of the provider are saved. Throws if the provider embeds nothing.
 */
export async function embedNextBatch(
  db: Db,
  deps: EmbeddingDeps,
  orgId: string,
  batch: EmbeddingBatch,
): Promise<EmbeddingProgress> {
  const subject = { subjectId: orgId };
  if (batch.after === 0) await beginDueWork(db, orgId, 'embedding', subject);
  const progress = await embedBatch(db, deps, orgId, batch);
  if (progress.after === null) await endBegunWork(db, orgId, 'embedding', subject);
  return progress;
}

async function embedBatch(
  db: Db,
  { secrets, embed, pause }: EmbeddingDeps,
  orgId: string,
  { after, size = CHUNKS_PER_BATCH, attempt }: EmbeddingBatch,
): Promise<EmbeddingProgress> {
  const model = await findEmbeddingModel(db, secrets, orgId);
  if (model === undefined) return { after: null };
  const vectorModel = vectorModelOf(model);
  const chunks = await listUnembedded(db, orgId, vectorModel, { after, limit: size });
  const last = chunks.at(-1);
  if (last === undefined) return { after: null };
  const leftOut: NonNullable<EmbeddingProgress['leftOut']> = [];
  const { hasFailed } = await embedInParts(
    chunks.map(({ id, path, content }) => ({ id, text: `${path.join(' > ')}\n\n${content}` })),
    {
      embed: (texts) => embed(model, texts),
      pause,
      attempt,
      store: (part, vectors) =>
        upsertVectors(
          db,
          orgId,
          vectorModel,
          part.map(({ id }, nth) => rowOf(id, vectors[nth])),
        ),
      async leaveOut({ id }, { reason }) {
        await upsertRefusal(db, orgId, vectorModel, { chunk_id: id, reason });
        leftOut.push({ chunkId: id, reason });
      },
    },
  );
  return { after: last.id, size: nextSize(partSizeOf(size, attempt), { hasFailed, attempt }), leftOut };
}

const rowOf = (chunk_id: number, { buffer, byteOffset, byteLength }: Float32Array = new Float32Array()) => ({
  chunk_id,
  vector: Buffer.from(buffer, byteOffset, byteLength),
});

/** A provider that was too slow for the last batch gets fewer texts at once, and more again as long as it keeps up. */
function nextSize(size: number, { hasFailed, attempt }: { hasFailed: boolean; attempt: number }): number {
  if (hasFailed) return Math.ceil(size / 2);
  return attempt > 1 ? size : Math.min(CHUNKS_PER_BATCH, 2 * size);
}
