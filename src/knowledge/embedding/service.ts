import type { Db, Trx } from '../../db/connect.ts';
import { InputRefused } from '../../errors.ts';
import { findConnection, listConnections } from '../../orgs/integrations/service.ts';
import { enqueue, signalWithStart } from '../../outbox/outbox.ts';
import type { Reaction } from '../../outbox/reactions.ts';
import type { Secrets } from '../../secrets.ts';
import { WAKE } from '../../temporal/contract.ts';
import { EMBED_KNOWLEDGE, type EmbeddingProgress } from './contract.ts';
import { hasVectors, listUnembedded, upsertVectors } from './queries.ts';

const CHUNKS_PER_BATCH = 32;
/** Longer text is cut off: it could exceed the model's limit. */
const MAX_TEXT_LENGTH = 4_000;
/** Length of the second attempt for a text too long for the model. */
const MAX_RETRIED_LENGTH = 500;

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

/** Schedules embedding after the commit. */
export async function requestEmbedding(trx: Trx, orgId: string): Promise<void> {
  const subject = { subjectId: orgId, summary: 'Embed what the org knows' };
  await enqueue(trx, orgId, signalWithStart(EMBED_KNOWLEDGE, { orgId }, WAKE, subject));
}

/** Schedules embedding when the org changes its llm integration. */
export const embedOnChange: Reaction<'integration-changed'> = async (trx, orgId, events) => {
  if (!events.some(({ payload }) => payload.kind === 'llm')) return;
  if (await hasEmbeddingModel(trx, orgId)) await requestEmbedding(trx, orgId);
};

/** Returns the embedding model of the org's llm integration, or undefined if none is set. */
export async function findEmbeddingModel(db: Db, secrets: Secrets, orgId: string): Promise<EmbeddingModel | undefined> {
  const settings = await findConnection(db, secrets, orgId, 'llm');
  if (settings?.embedding_model === undefined) return undefined;
  const { base_url, api_key, embedding_model, embedding_input_type } = settings;
  return { base_url, api_key, embedding_model, embedding_input_type };
}

/**
 * Embeds a batch of chunks that lack a vector of the org's model. A repeated run computes the vectors again.
 * A text refused even when shortened is found by its words only. Throws if the model has never accepted a text.
 */
export async function embedNextBatch(
  db: Db,
  { secrets, embed }: { secrets: Secrets; embed: Embed },
  orgId: string,
  after: number,
): Promise<EmbeddingProgress> {
  const model = await findEmbeddingModel(db, secrets, orgId);
  if (model === undefined) return { after: null };
  const vectorModel = vectorModelOf(model);
  const chunks = await listUnembedded(db, orgId, vectorModel, { after, limit: CHUNKS_PER_BATCH });
  const last = chunks.at(-1);
  if (last === undefined) return { after: null };
  const texts = chunks.map(({ id, path, content }) => ({ id, text: `${path.join(' > ')}\n\n${content}` }));
  const keep = async (some: Text[], most: number) => {
    const vectors = await embed(
      model,
      some.map(({ text }) => text.slice(0, most).toWellFormed()),
    );
    const rows = vectors.map((vector, nth) => ({
      chunk_id: some[nth]?.id ?? last.id,
      vector: Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength),
    }));
    await upsertVectors(db, orgId, vectorModel, rows);
  };
  const prove = async () => {
    if (!(await hasVectors(db, orgId, vectorModel))) await keep(texts.slice(0, 1), MAX_RETRIED_LENGTH);
  };
  await unlessRefused(
    () => keep(texts, MAX_TEXT_LENGTH),
    async () => {
      await prove();
      await storeInParts(keep, texts);
    },
  );
  return { after: last.id };
}

interface Text {
  /** The id of the chunk. */
  id: number;
  text: string;
}

type StoreVectors = (texts: Text[], most: number) => Promise<void>;

/** Embeds the halves of texts refused together, and the beginning of a text refused alone. */
async function storeInParts(keep: StoreVectors, texts: Text[]): Promise<void> {
  if (texts.length === 1) {
    return unlessRefused(
      () => keep(texts, MAX_RETRIED_LENGTH),
      async () => undefined,
    );
  }
  const half = Math.ceil(texts.length / 2);
  for (const part of [texts.slice(0, half), texts.slice(half)]) {
    await unlessRefused(
      () => keep(part, MAX_TEXT_LENGTH),
      () => storeInParts(keep, part),
    );
  }
}

async function unlessRefused(attempt: () => Promise<void>, otherwise: () => Promise<void>): Promise<void> {
  try {
    await attempt();
  } catch (refusal) {
    if (!(refusal instanceof InputRefused)) throw refusal;
    await otherwise();
  }
}
