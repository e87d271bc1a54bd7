import type { Db, Trx } from '../../db/connect.ts';
import { InputRefused } from '../../errors.ts';
import { findConnection, listConnections } from '../../orgs/integrations/service.ts';
import { enqueue, signalWithStart } from '../../outbox/outbox.ts';
import type { Reaction } from '../../outbox/relay.ts';
import type { Secrets } from '../../secrets.ts';
import { WAKE } from '../../temporal/contract.ts';
import { EMBED_KNOWLEDGE, type EmbeddingProgress } from './contract.ts';
import { hasVectors, listUnembedded, upsertVectors } from './queries.ts';

const CHUNKS_PER_BATCH = 32;
/** What is behind it would be too much for a model. */
const MAX_TEXT_LENGTH = 4_000;
/** Of a text that the model finds too long. */
const MAX_RETRIED_LENGTH = 500;

/** An org's own model. */
export interface EmbeddingModel {
  base_url?: string | undefined;
  api_key: string;
  embedding_model: string;
}

/** Makes a vector of length 1 of each text. */
export type Embed = (model: EmbeddingModel, texts: string[]) => Promise<Float32Array[]>;

/** Has vectors be made once the transaction commits, where the org has named a model. */
export async function requestEmbedding(trx: Trx, orgId: string): Promise<void> {
  const settings = (await listConnections(trx, orgId)).get('llm');
  if (typeof settings?.embedding_model !== 'string') return;
  const subject = { subjectId: orgId, summary: 'Embed what the org knows' };
  await enqueue(trx, orgId, signalWithStart(EMBED_KNOWLEDGE, { orgId }, WAKE, subject));
}

/** The same when the org names another model. */
export const embedOnChange: Reaction<'integration-changed'> = async (trx, orgId, events) => {
  if (events.some(({ payload }) => payload.kind === 'llm')) await requestEmbedding(trx, orgId);
};

/** The model of the org's llm integration. Undefined where it names none. */
export async function findEmbeddingModel(db: Db, secrets: Secrets, orgId: string): Promise<EmbeddingModel | undefined> {
  const settings = await findConnection(db, secrets, orgId, 'llm');
  if (settings?.embedding_model === undefined) return undefined;
  const { base_url, api_key, embedding_model } = settings;
  return { base_url, api_key, embedding_model };
}

/**
 * Makes the vectors of a batch of chunks that have none of the org's model. Done twice, they are made twice. A text that the model refuses even
 * when it is short is found by its words alone. Throws where the model has not taken any yet.
 */
export async function embedNextBatch(
  db: Db,
  secrets: Secrets,
  embed: Embed,
  orgId: string,
  after: number,
): Promise<EmbeddingProgress> {
  const model = await findEmbeddingModel(db, secrets, orgId);
  if (model === undefined) return { after: null };
  const chunks = await listUnembedded(db, orgId, model.embedding_model, after, CHUNKS_PER_BATCH);
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
    await upsertVectors(db, orgId, model.embedding_model, rows);
  };
  const prove = async () => {
    if (!(await hasVectors(db, orgId, model.embedding_model))) await keep(texts.slice(0, 1), MAX_RETRIED_LENGTH);
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
  /** Of the chunk. */
  id: number;
  text: string;
}

type StoreVectors = (texts: Text[], most: number) => Promise<void>;

/** The halves of texts that the model refuses together; of one alone, its beginning. */
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
