import type { Db, Trx } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { listConnections } from '../../orgs/integrations/service.ts';
import { addDueWork, beginDueWork, endBegunWork } from '../../outbox/due-work.ts';
import { type Command, enqueue, signalWithStart } from '../../outbox/outbox.ts';
import { WAKE } from '../../temporal/contract.ts';
import { EMBED_KNOWLEDGE, type EmbeddingProgress } from './contract.ts';
import { isModelInstalled } from './installed-models.queries.ts';
import type { KnowledgeModel } from './models.ts';
import { embedInParts, type PartHandlers, partSizeOf } from './parts.ts';
import { deleteRefusals, listUnembedded, upsertRefusal, upsertVectors } from './queries.ts';
import { deleteOtherVectors, findSearchedModel, upsertSearchedModel } from './searched-models.queries.ts';

const CHUNKS_PER_BATCH = 32;
const VECTORS_PER_DELETION = 5_000;
const NOTHING_LEFT: EmbeddingProgress = { after: null };

/** Returns whether new chunks of an org are to be embedded: it has connected a model, or the product's own is installed. */
export const hasKnowledgeModel = async (trx: Trx, orgId: string): Promise<boolean> =>
  (await hasConnectedModel(trx, orgId)) || (await isModelInstalled(trx));

/** Returns whether an org has connected an embedding model. */
export async function hasConnectedModel(trx: Trx, orgId: string): Promise<boolean> {
  const settings = (await listConnections(trx, orgId)).get('llm');
  return typeof settings?.embedding_model === 'string';
}

/** Returns whether an org's questions are compared with the vectors of a model. */
export const isComparedByModel = async (db: Db, orgId: string): Promise<boolean> =>
  (await findSearchedModel(db, orgId)) !== undefined;

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

/** Schedules embedding when the org changes or deletes its llm integration. What was left out is tried again. */
export async function embedOnChange(
  trx: Trx,
  orgId: string,
  events: readonly { payload: { kind: string } }[],
): Promise<void> {
  if (!events.some(({ payload }) => payload.kind === 'llm')) return;
  if (!(await hasKnowledgeModel(trx, orgId))) return;
  await deleteRefusals(trx, orgId);
  await requestEmbedding(trx, orgId);
}

interface EmbeddingDeps extends Pick<PartHandlers<unknown>, 'pause'> {
  /** Returns the model that embeds an org's knowledge. */
  findModel(db: Db, orgId: string): Promise<KnowledgeModel | undefined>;
  /** Throws if the activity is to end. */
  signal: AbortSignal;
  /** What else changes with the model that questions are compared with, in the same transaction. */
  onSwitch(trx: Trx, orgId: string): Promise<void>;
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
  const model = await deps.findModel(db, orgId);
  const progress = model === undefined ? NOTHING_LEFT : await embedBatch(db, deps, orgId, { ...batch, model });
  if (progress.after !== null) return progress;
  if (model !== undefined) await switchTo(db, deps, orgId, model);
  await endBegunWork(db, orgId, 'embedding', subject);
  return progress;
}

/** Compares questions with the vectors of a model that has embedded all knowledge, and deletes those of the one before. */
async function switchTo(
  db: Db,
  { onSwitch }: EmbeddingDeps,
  orgId: string,
  { name, source }: KnowledgeModel,
): Promise<void> {
  await inTransaction(db, async (trx) => {
    if (await upsertSearchedModel(trx, orgId, { model: name, source })) await onSwitch(trx, orgId);
  });
  while ((await deleteOtherVectors(db, orgId, VECTORS_PER_DELETION)) > 0);
}

async function embedBatch(
  db: Db,
  { pause, signal }: EmbeddingDeps,
  orgId: string,
  { model, after, size = CHUNKS_PER_BATCH, attempt }: EmbeddingBatch & { model: KnowledgeModel },
): Promise<EmbeddingProgress> {
  const chunks = await listUnembedded(db, orgId, model.name, { after, limit: size });
  const last = chunks.at(-1);
  if (last === undefined) return NOTHING_LEFT;
  const leftOut: NonNullable<EmbeddingProgress['leftOut']> = [];
  const { hasFailed } = await embedInParts(
    chunks.map(({ id, path, content }) => ({ id, text: `${path.join(' > ')}\n\n${content}` })),
    {
      embed: (texts) => model.embedPassages(texts, signal),
      pause,
      attempt,
      store: (part, vectors) =>
        upsertVectors(
          db,
          orgId,
          model.name,
          part.map(({ id }, nth) => rowOf(id, vectors[nth])),
        ),
      async leaveOut({ id }, { reason }) {
        await upsertRefusal(db, orgId, model.name, { chunk_id: id, reason });
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
