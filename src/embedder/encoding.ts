import { readFile } from 'node:fs/promises';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { INPUT, OUTPUT } from './encoder.ts';
import type { ModelFiles } from './model-folder.ts';
import { readPackedModel } from './packed-model.ts';
import { createTokenizer } from './tokenizer.rules.ts';

/** What a text is for. The model gets it too: vectors of a question and of what answers it are then alike. */
export type TextKind = 'query' | 'passage';

export interface EncodedText {
  /** Of length 1. */
  vector: Float32Array;
  /** The tokens that the model has read, and those past its limit, which it has not. */
  tokens: number;
  cutTokens: number;
  /** The share of tokens outside the vocabulary. */
  unknownShare: number;
}

/** Encodes one text. */
export type Encode = (text: string, kind: TextKind) => Promise<EncodedText>;

/** Computes on one processor core. Memory is given back after each text, whose length varies. */
const SESSION_OPTIONS: InferenceSession.SessionOptions = {
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  executionMode: 'sequential',
  enableCpuMemArena: false,
};

/** Loads the model. Each text is encoded alone: its vector does not depend on others. */
export async function loadModel({ header, graph }: ModelFiles): Promise<Encode> {
  const { architecture, vocabulary } = readPackedModel(await readFile(header));
  const tokenizer = createTokenizer(vocabulary);
  const session = await InferenceSession.create(graph, SESSION_OPTIONS);
  const { begin, end, unknown } = vocabulary;
  const maxPieces = architecture.maxTokens - 2;
  return async (text, kind) => {
    const pieces = tokenizer.encode(`${kind}: ${text}`);
    const ids = [begin, ...pieces.slice(0, maxPieces), end];
    const outputs = await session.run({ [INPUT.tokens]: integers(ids), [INPUT.positions]: integers([...ids.keys()]) });
    const vector = outputs[OUTPUT]?.data;
    if (!(vector instanceof Float32Array)) throw new Error('The model gave no vector');
    return {
      vector,
      tokens: ids.length,
      cutTokens: Math.max(0, pieces.length - maxPieces),
      unknownShare: pieces.filter((id) => id === unknown).length / Math.max(1, pieces.length),
    };
  };
}

const integers = (values: number[]): Tensor =>
  new Tensor('int64', BigInt64Array.from(values, BigInt), [1, values.length]);
