import type { Db } from '../../db/connect.ts';
import { InputRefused } from '../../errors.ts';
import { findConnection, listConnections } from '../../orgs/integrations.service.ts';
import { enqueue, signalWithStart } from '../../outbox/outbox.ts';
import type { Reaction } from '../../outbox/relay.ts';
import type { Secrets } from '../../secrets.ts';
import { EMBED_KNOWLEDGE, EMBED_MORE, type EmbeddingProgress } from './embedding.contract.ts';
import { listUnembedded, upsertVectors } from './embedding.queries.ts';

const CHUNKS_A_BATCH = 32;
/** What is behind it would be too much for a model. */
const MAX_CHARACTERS = 4_000;
/** Of a text that the model finds too long. */
const FEW_CHARACTERS = 500;

/** An org's own model. */
export interface EmbeddingModel {
  base_url?: string | undefined;
  api_key: string;
  embedding_model: string;
}

/** Makes a vector of length 1 of each text. */
export type Embed = (model: EmbeddingModel, texts: string[]) => Promise<Float32Array[]>;

/** Has vectors be made once the transaction commits, where the org has named a model. */
export async function requestEmbedding(trx: Db, orgId: string): Promise<void> {
  const settings = (await listConnections(trx, orgId)).get('llm');
  if (typeof settings?.embedding_model !== 'string') return;
  const subject = { subjectId: orgId, summary: 'Embed what the org knows' };
  await enqueue(trx, orgId, signalWithStart(EMBED_KNOWLEDGE, { orgId }, EMBED_MORE, subject));
}

/** The same when the org names another model. */
export const embedOnChange: Reaction = async (trx, orgId, events) => {
  if (events.some(({ payload }) => payload.kind === 'llm')) await requestEmbedding(trx, orgId);
};

/** The model of the org's llm integration. Undefined where it names none. */
export async function findEmbeddingModel(db: Db, secrets: Secrets, orgId: string): Promise<EmbeddingModel | undefined> {
  const settings = await findConnection(db, secrets, orgId, 'llm');
  if (settings?.embedding_model === undefined) return undefined;
  const { base_url, api_key, embedding_model } = settings;
  return { base_url, api_key, embedding_model };
}

/** Makes the vectors of a batch of chunks that have none of the org's model. Done twice, they are made twice. */
export async function embedNext(
  db: Db,
  secrets: Secrets,
  embed: Embed,
  orgId: string,
  after: number,
): Promise<EmbeddingProgress> {
  const model = await findEmbeddingModel(db, secrets, orgId);
  if (model === undefined) return { after: null };
  const chunks = await listUnembedded(db, orgId, model.embedding_model, after, CHUNKS_A_BATCH);
  const last = chunks.at(-1);
  if (last === undefined) return { after: null };
  const texts = chunks.map(({ path, content }) => `${path.join(' > ')}\n\n${content}`.slice(0, MAX_CHARACTERS));
  const vectors = await embedAll(
    embed,
    model,
    texts.map((text) => text.toWellFormed()),
  );
  const rows = vectors.flatMap((vector, nth) =>
    vector === undefined
      ? []
      : [
          {
            chunk_id: chunks[nth]?.id ?? last.id,
            vector: Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength),
          },
        ],
  );
  await upsertVectors(db, orgId, model.embedding_model, rows);
  return { after: last.id };
}

/** Where the model refuses texts, each by itself, else its beginning: one that is refused even so is found by its words alone. Throws where all are. */
async function embedAll(embed: Embed, model: EmbeddingModel, texts: string[]): Promise<(Float32Array | undefined)[]> {
  try {
    return await embed(model, texts);
  } catch (refusal) {
    if (!(refusal instanceof InputRefused)) throw refusal;
    const vectors: (Float32Array | undefined)[] = [];
    for (const text of texts)
      vectors.push(await embedOne(embed, model, [text, text.slice(0, FEW_CHARACTERS).toWellFormed()]));
    if (vectors.every((vector) => vector === undefined)) throw refusal;
    return vectors;
  }
}

/** The vector of the first of these texts that the model takes. */
async function embedOne(embed: Embed, model: EmbeddingModel, texts: string[]): Promise<Float32Array | undefined> {
  for (const text of texts) {
    try {
      const [vector] = await embed(model, [text]);
      return vector;
    } catch (refusal) {
      if (!(refusal instanceof InputRefused)) throw refusal;
    }
  }
  return undefined;
}
