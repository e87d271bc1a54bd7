import type { FastifyBaseLogger } from 'fastify';
import type { Closeness, ComparedPassage } from './comparison.ts';
import { createEncoderProcess, type EncoderProcess, EncodingFailed } from './encoder-process.ts';
import { DEFAULT_MODELS_FOLDER, findModelFiles, MODEL } from './model-folder.ts';

/** Questions are asked again and again, while passages are encoded in jobs. */
const IDLE_MS = { query: 10 * 60_000, passage: 60_000 };
/** Passages get the processor that others leave. */
const NICENESS = { query: 0, passage: 10 };
/** A query with more tokens outside the vocabulary is alike to anything. */
const MAX_UNKNOWN_SHARE = 0.1;

/** The embedding model that comes with the product. */
export interface Embedder {
  /** The name that its vectors are stored under. */
  readonly model: string;
  /** Whether its files are there, and it can run here. */
  isAvailable(): boolean;
  /**
   * Returns the vector of a question, of length 1, or undefined if the model does not know its words. Throws
   * EncodingFailed if it takes too long.
   */
  embedQuery(text: string, signal: AbortSignal): Promise<Float32Array | undefined>;
  /** Returns how close passages are to a question, word by word. Throws EncodingFailed if it takes too long. */
  comparePassages(question: string, passages: ComparedPassage[], signal: AbortSignal): Promise<Closeness[]>;
  /** Returns the vectors of passages, of length 1. Throws EncodingFailed. */
  embedPassages(texts: string[], signal: AbortSignal): Promise<Float32Array[]>;
  /** Returns the vectors of texts that are compared with each other, of length 1. Throws EncodingFailed. */
  embedAlike(texts: string[], signal: AbortSignal): Promise<Float32Array[]>;
  close(): void;
}

export type { Closeness, ComparedPassage } from './comparison.ts';
export { EncodingFailed } from './encoder-process.ts';

/** An installation without the model. */
export const NO_EMBEDDER: Embedder = {
  model: 'none',
  isAvailable: () => false,
  embedQuery: async () => undefined,
  comparePassages: async () => [],
  embedPassages: refuse,
  embedAlike: refuse,
  close: () => undefined,
};

async function refuse(): Promise<never> {
  throw new EncodingFailed('This installation has no embedding model');
}

/**
 * Creates the embedder with the model of a folder of models. Questions and passages have a process each, which are
 * started when they are needed: no question waits for passages.
 */
export function createEmbedder(log: Pick<FastifyBaseLogger, 'warn'>, models = DEFAULT_MODELS_FOLDER): Embedder {
  const files = () => findModelFiles(models);
  const create = (kind: 'query' | 'passage'): EncoderProcess =>
    createEncoderProcess({ files, idleMs: IDLE_MS[kind], niceness: NICENESS[kind], log });
  const queries = create('query');
  const passages = create('passage');
  return {
    model: MODEL,
    isAvailable: () => isSupported() && files() !== undefined,
    async embedQuery(text, signal) {
      const [encoded] = await queries.encode([text], 'query', signal);
      return encoded === undefined || encoded.unknownShare > MAX_UNKNOWN_SHARE ? undefined : encoded.vector;
    },
    comparePassages: (question, compared, signal) => queries.compare(question, compared, signal),
    async embedPassages(texts, signal) {
      const encoded = await passages.encode(texts, 'passage', signal);
      const cut = encoded.filter(({ cutTokens }) => cutTokens > 0).length;
      if (cut > 0)
        log.warn({ passages: cut }, 'passages are longer than the embedding model reads: their end is not compared');
      return encoded.map(({ vector }) => vector);
    },
    async embedAlike(texts, signal) {
      const encoded = await passages.encode(texts, 'query', signal);
      return encoded.map(({ vector }) => vector);
    },
    close() {
      queries.close();
      passages.close();
    },
  };
}

/** Creates the embedder that the configuration names. */
export const createConfiguredEmbedder = (
  { EMBEDDING_MODEL, MODELS_FOLDER }: { EMBEDDING_MODEL: string; MODELS_FOLDER?: string | undefined },
  log: Pick<FastifyBaseLogger, 'warn'>,
): Embedder => (EMBEDDING_MODEL === 'none' ? NO_EMBEDDER : createEmbedder(log, MODELS_FOLDER));

/** The platforms that ONNX Runtime has programs for. */
const PLATFORMS = new Set(['linux x64', 'linux arm64', 'darwin arm64']);

const isSupported = (): boolean => PLATFORMS.has(`${process.platform} ${process.arch}`);
