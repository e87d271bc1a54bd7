import type { Db } from '../../db/connect.ts';
import { type Closeness, type ComparedPassage, type Embedder, EncodingFailed } from '../../embedder/embedder.ts';
import { InputFailed, ProviderError } from '../../errors.ts';
import type { ConnectionCalls } from '../../orgs/integrations/calls.service.ts';
import { findConnection } from '../../orgs/integrations/service.ts';
import type { HttpClient } from '../../providers/egress/egress.ts';
import { embedTexts, type InputType } from '../../providers/llm/embeddings.ts';
import type { Secrets } from '../../secrets.ts';
import type { SimilarityScale } from '../search/confidence.rules.ts';
import answerNetwork from './answer-network.json' with { type: 'json' };
import { countEmbedded } from './queries.ts';
import type { EmbeddingInUse } from './schema.ts';
import { findSearchedModel } from './searched-models.queries.ts';
import type { ModelSource } from './table.ts';

/**
 * The scale of multilingual-e5-small. The numbers of cosines were learned on the small help centers of `bench/ai/centers`
 * whose purpose is `tuning`. The network was trained by `bench/ai/learning` on these and on those whose purpose is
 * `learning`: about 5 % of their plain questions without an answer pass the usual threshold.
 */
const BUILT_IN_SCALE: SimilarityScale = {
  related: 0.84,
  betweenLanguages: 0.13,
  absolute: 11,
  relative: 13.5,
  closeness: answerNetwork,
};
const TIMEOUT_MS = { query: 5_000, passage: 60_000 };

/** The embedding model that an org has connected. */
export interface ConnectedModel {
  base_url?: string | undefined;
  api_key: string;
  embedding_model: string;
  /** Whether requests say what is a question and what is knowledge. */
  embedding_input_type?: boolean | undefined;
}

/** The model that compares an org's questions with its knowledge. */
export interface KnowledgeModel {
  /** The name that its vectors are stored under. Told what the texts are, a model gives other vectors. */
  name: string;
  /** Null for the model that comes with the product. */
  source: ModelSource | null;
  /** How its cosines are read, if that is known. */
  scale?: SimilarityScale;
  /** Returns the vector of a question, of length 1, or undefined if the model gives none now. */
  embedQuery(text: string): Promise<Float32Array | undefined>;
  /** Returns how close passages are to a question, word by word, or undefined if the model does not say it now. */
  comparePassages?(question: string, passages: ComparedPassage[]): Promise<Closeness[] | undefined>;
  /** Returns the vector of each passage. Throws ProviderError: InputRefused and InputFailed for one of them. */
  embedPassages(texts: string[], signal: AbortSignal): Promise<Float32Array[]>;
}

export interface KnowledgeModelDeps {
  /** For requests to addresses set by customers. */
  egress: HttpClient;
  secrets: Secrets;
  calls: Pick<ConnectionCalls, 'observe'>;
  embedder: Embedder;
}

/** Returns the embedding model of the org's llm integration, or undefined if none is set. */
export async function findConnectedModel(db: Db, secrets: Secrets, orgId: string): Promise<ConnectedModel | undefined> {
  const settings = await findConnection(db, secrets, orgId, 'llm');
  if (settings?.embedding_model === undefined) return undefined;
  const { base_url, api_key, embedding_model, embedding_input_type } = settings;
  return { base_url, api_key, embedding_model, embedding_input_type };
}

/** Returns the model that embeds an org's knowledge: the org's own, or else the one that comes with the product. */
export async function findKnowledgeModel(
  db: Db,
  orgId: string,
  deps: KnowledgeModelDeps,
): Promise<KnowledgeModel | undefined> {
  const connected = await findConnectedModel(db, deps.secrets, orgId);
  if (connected !== undefined) return connectedModelOf(deps, orgId, connected);
  return deps.embedder.isAvailable() ? builtInModelOf(deps.embedder) : undefined;
}

/**
 * Returns the model whose vectors an org's questions are compared with: one that has embedded all of its knowledge. While
 * another one embeds it, that is still the one before, if it can be asked.
 */
export async function findSearchModel(
  db: Db,
  orgId: string,
  deps: KnowledgeModelDeps,
): Promise<KnowledgeModel | undefined> {
  const [searched, connected] = await Promise.all([
    findSearchedModel(db, orgId),
    findConnectedModel(db, deps.secrets, orgId),
  ]);
  if (searched === undefined) return undefined;
  if (searched.source === null) return deps.embedder.isAvailable() ? builtInModelOf(deps.embedder) : undefined;
  if (connected === undefined || connected.base_url !== searched.source.base_url) return undefined;
  return connectedModelOf(deps, orgId, { ...connected, ...searched.source });
}

/** Returns which models embed an org's knowledge and are compared with its questions, and how far the first is. */
export async function getEmbeddingInUse(db: Db, orgId: string, deps: KnowledgeModelDeps): Promise<EmbeddingInUse> {
  const [model, answering] = await Promise.all([findKnowledgeModel(db, orgId, deps), findSearchModel(db, orgId, deps)]);
  return {
    model: shownName(model),
    source: model === undefined ? null : model.source === null ? 'built_in' : 'connected',
    answering: shownName(answering),
    ...(await countEmbedded(db, orgId, model?.name)),
  };
}

const shownName = (model: KnowledgeModel | undefined): string | null =>
  model?.source?.embedding_model ?? model?.name ?? null;

function connectedModelOf(
  { egress, calls }: KnowledgeModelDeps,
  orgId: string,
  settings: ConnectedModel,
): KnowledgeModel {
  const { base_url, embedding_model, embedding_input_type = false } = settings;
  const embed = (texts: string[], inputType: InputType) =>
    embedTexts(calls.observe(egress, { orgId, kind: 'llm', settings }), settings, texts, {
      inputType,
      timeoutMs: TIMEOUT_MS[inputType],
    });
  return {
    name: embedding_input_type ? `${embedding_model} (passage)` : embedding_model,
    source: { base_url, embedding_model, embedding_input_type },
    async embedQuery(text) {
      const [vector] = await embed([text], 'query').catch((error: unknown) => {
        if (error instanceof ProviderError) return []; // the search by words still works
        throw error;
      });
      return vector;
    },
    embedPassages: (texts) => embed(texts, 'passage'),
  };
}

const undefinedIfFailed = (error: unknown): undefined => {
  if (!(error instanceof EncodingFailed)) throw error;
};

const builtInModelOf = (embedder: Embedder): KnowledgeModel => ({
  name: embedder.model,
  source: null,
  scale: BUILT_IN_SCALE,
  embedQuery: (text) => embedder.embedQuery(text, AbortSignal.timeout(TIMEOUT_MS.query)).catch(undefinedIfFailed),
  comparePassages: (question, passages) =>
    embedder.comparePassages(question, passages, AbortSignal.timeout(TIMEOUT_MS.query)).catch(undefinedIfFailed),
  embedPassages: (texts, signal) => builtIn(embedder.embedPassages(texts, signal), signal),
});

/** Returns the vectors of texts that are compared with each other, by the model that comes with the product. Throws InputFailed. */
export const embedAlike = (embedder: Embedder, texts: string[], signal: AbortSignal): Promise<Float32Array[]> =>
  builtIn(embedder.embedAlike(texts, signal), signal);

const builtIn = (vectors: Promise<Float32Array[]>, signal: AbortSignal): Promise<Float32Array[]> =>
  vectors.catch((cause: unknown) => {
    signal.throwIfAborted();
    if (cause instanceof EncodingFailed) throw new InputFailed(cause.message, { transient: true, cause });
    throw cause;
  });
