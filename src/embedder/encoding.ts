import { readFile } from 'node:fs/promises';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { elementAt } from '../collections/checked-access.ts';
import { INPUT, OUTPUT } from './encoder.ts';
import type { ModelFiles } from './model-folder.ts';
import { readPackedModel, type Vocabulary } from './packed-model.ts';
import { normalizedRows } from './token-closeness.rules.ts';
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

/** A text with its tokens. */
export interface EncodedTokens extends EncodedText {
  /** The ids of its pieces. */
  pieces: number[];
  /** The vector of each piece in its text, of length 1. */
  states: Float32Array[];
}

export interface Model {
  vocabulary: Vocabulary;
  /** Encodes one text. */
  encode(text: string, kind: TextKind): Promise<EncodedTokens>;
  /** Returns the logarithm of the odds that a passage answers a question. Of a long one of either, the beginning is read. */
  read(question: string, passage: string): Promise<number>;
}

/** Computes on one processor core. Memory is given back after each text, whose length varies. */
const SESSION_OPTIONS: InferenceSession.SessionOptions = {
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  executionMode: 'sequential',
  enableCpuMemArena: false,
};

/** The tokens of a question that are read beside a passage: the rest is the passage's. */
const MAX_QUESTION_PIECES = 96;

/** Loads the model. Each text is encoded alone: its vectors do not depend on others. The reader is loaded when it is needed. */
export async function loadModel({ header, graph, reader }: ModelFiles): Promise<Model> {
  const { architecture, vocabulary } = readPackedModel(await readFile(header));
  const tokenizer = createTokenizer(vocabulary);
  const session = await InferenceSession.create(graph, SESSION_OPTIONS);
  const { begin, end, unknown } = vocabulary;
  const maxPieces = architecture.maxTokens - 2;
  let loading: Promise<InferenceSession> | undefined;
  return {
    vocabulary,
    async encode(text, kind) {
      const kindPieces = tokenizer.encode(`${kind}:`).length;
      const pieces = tokenizer.encode(`${kind}: ${text}`);
      const read = pieces.slice(0, maxPieces);
      const { vector, states } = await runOn(session, [begin, ...read, end]);
      return {
        vector,
        tokens: read.length + 2,
        cutTokens: pieces.length - read.length,
        unknownShare: pieces.filter((id) => id === unknown).length / Math.max(1, pieces.length),
        pieces: read.slice(kindPieces),
        states: normalizedRows(states, architecture.hiddenSize).slice(1 + kindPieces, -1),
      };
    },
    async read(question, passage) {
      loading ??= InferenceSession.create(reader, SESSION_OPTIONS).catch((error: unknown) => {
        loading = undefined; // the next question tries again
        throw error;
      });
      const asked = [begin, ...tokenizer.encode(`query: ${question}`).slice(0, MAX_QUESTION_PIECES), end];
      const pieces = tokenizer.encode(`passage: ${passage}`).slice(0, architecture.maxTokens - asked.length - 1);
      const outputs = await (await loading).run(inputOf([...asked, ...pieces, end]));
      return elementAt(floatsOf(outputs[OUTPUT.reading]), 0);
    },
  };
}

async function runOn(session: InferenceSession, ids: number[]) {
  const outputs = await session.run(inputOf(ids));
  return { vector: floatsOf(outputs[OUTPUT.embedding]), states: floatsOf(outputs[OUTPUT.states]) };
}

const inputOf = (ids: number[]) => ({ [INPUT.tokens]: integers(ids), [INPUT.positions]: integers([...ids.keys()]) });

function floatsOf(tensor: Tensor | undefined): Float32Array {
  if (!(tensor?.data instanceof Float32Array)) throw new Error('The model gave no vector');
  return tensor.data;
}

const integers = (values: number[]): Tensor =>
  new Tensor('int64', BigInt64Array.from(values, BigInt), [1, values.length]);
