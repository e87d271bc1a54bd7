import { BITS, GraphBuilder, MICROSOFT } from './graph-builder.ts';
import { DATA_TYPE, type Graph } from './onnx.ts';
import { addToRows } from './packed-blocks.rules.ts';
import { type Architecture, BLOCK_SIZE, type PackedModel } from './packed-model.ts';
import type { ReadingAdapter } from './reading-adapter.ts';

export const INPUT = { tokens: 'tokens', positions: 'positions' } as const;
export const OUTPUT = { embedding: 'embedding', states: 'states', reading: 'reading' } as const;

/**
 * Returns the graph of a BERT encoder (Devlin 2018) for one text: its last layer, and the average of that over all tokens,
 * of length 1. Weights stay in 4 bits, by the operators MatMulNBits and GatherBlockQuantized of ONNX Runtime.
 */
export function encoderGraph({ architecture, tensors }: PackedModel): Graph {
  const builder = new GraphBuilder(tensors);
  const last = addLayers(builder, architecture);
  builder.add({ opType: 'Identity', input: [last], output: OUTPUT.states });
  addAverage(builder, last);
  const { hiddenSize } = architecture;
  return graphOf(builder, [
    { name: OUTPUT.embedding, dataType: DATA_TYPE.float, dims: [1, hiddenSize] },
    { name: OUTPUT.states, dataType: DATA_TYPE.float, dims: [1, 'tokens', hiddenSize] },
  ]);
}

/**
 * Returns the graph of the encoder with an adapter for a question and a passage in one text: the logarithm of the odds that
 * the passage answers the question, by the state of the first token.
 */
export function readerGraph({ architecture, tensors }: PackedModel, adapter: ReadingAdapter): Graph {
  const builder = new GraphBuilder(tensors, adapter);
  const last = addLayers(builder, architecture);
  const begin = builder.add({
    opType: 'Gather',
    input: [last, builder.integer('first', 0, [])],
    output: 'begin',
    attributes: { axis: 1 },
  });
  const dense = builder.add({
    opType: 'Add',
    input: [builder.product(begin, 'dense.w'), builder.adapted('dense.b')],
    output: 'dense',
  });
  const active = builder.add({ opType: 'Tanh', input: [dense], output: 'active' });
  builder.add({
    opType: 'Add',
    input: [builder.product(active, 'out.w'), builder.adapted('out.b')],
    output: OUTPUT.reading,
  });
  return graphOf(builder, [{ name: OUTPUT.reading, dataType: DATA_TYPE.float, dims: [1, 1] }]);
}

const graphOf = ({ nodes, tensors }: GraphBuilder, outputs: Graph['outputs']): Graph => ({
  nodes,
  tensors,
  inputs: Object.values(INPUT).map((name) => ({ dataType: DATA_TYPE.int64, dims: [1, 'tokens'], name })),
  outputs,
});

function addLayers(builder: GraphBuilder, architecture: Architecture): string {
  let last = addEmbeddings(builder, architecture);
  for (let nth = 0; nth < architecture.layers; nth++) {
    const layer = { builder, architecture, name: `l${nth}` };
    last = addFeedForward(layer, addAttention(layer, last));
  }
  return last;
}

/** Adds the sum of each token's word, position and type, normalized. */
function addEmbeddings(builder: GraphBuilder, { hiddenSize, words, maxTokens, epsilon }: Architecture): string {
  const dims = { weights: [words, hiddenSize / 2], scales: [words, hiddenSize / BLOCK_SIZE] };
  const [weights, scales] = builder.blocks('emb.word', dims);
  const firstType = builder.packed('emb.type').subarray(0, hiddenSize * Float32Array.BYTES_PER_ELEMENT);
  const positions = addToRows(builder.packed('emb.pos'), firstType);
  const table = builder.floats('emb.pos', [maxTokens, hiddenSize], positions);
  builder.add({
    opType: 'GatherBlockQuantized',
    domain: MICROSOFT,
    input: [weights, INPUT.tokens, scales],
    output: 'words',
    attributes: { gather_axis: 0, quantize_axis: 1, block_size: BLOCK_SIZE, bits: BITS },
  });
  builder.add({ opType: 'Gather', input: [table, INPUT.positions], output: 'places' });
  builder.add({ opType: 'Add', input: ['words', 'places'], output: 'sum' });
  const input = ['sum', ...normsOf(builder, 'emb.ln', hiddenSize)];
  return builder.add({ opType: 'LayerNormalization', input, output: 'embedded', attributes: { axis: -1, epsilon } });
}

interface Layer {
  builder: GraphBuilder;
  architecture: Architecture;
  name: string;
}

function addAttention(layer: Layer, input: string): string {
  const { builder, architecture, name } = layer;
  const { hiddenSize, heads } = architecture;
  const parts = ['q', 'k', 'v'].map((part) => builder.linear(input, `${name}.${part}`, [hiddenSize, hiddenSize]));
  const attended = builder.add({
    opType: 'MultiHeadAttention',
    domain: MICROSOFT,
    input: parts,
    output: `${name}.attention`,
    attributes: { num_heads: heads },
  });
  return addNormalized(layer, input, [builder.linear(attended, `${name}.ao`, [hiddenSize, hiddenSize]), 'aln']);
}

function addFeedForward(layer: Layer, input: string): string {
  const { builder, architecture, name } = layer;
  const { hiddenSize, feedForwardSize } = architecture;
  const wide = builder.linear(input, `${name}.fi`, [hiddenSize, feedForwardSize]);
  const active = builder.add({ opType: 'Gelu', domain: MICROSOFT, input: [wide], output: `${name}.gelu` });
  return addNormalized(layer, input, [builder.linear(active, `${name}.fo`, [feedForwardSize, hiddenSize]), 'oln']);
}

/** Adds the sum of a sublayer's input and output, normalized. */
function addNormalized(
  { builder, architecture: { hiddenSize, epsilon }, name }: Layer,
  input: string,
  [output, norm]: [string, string],
): string {
  return builder.add({
    opType: 'SkipLayerNormalization',
    domain: MICROSOFT,
    input: [input, output, ...normsOf(builder, `${name}.${norm}`, hiddenSize)],
    output: `${name}.${norm}`,
    attributes: { epsilon },
  });
}

const normsOf = (builder: GraphBuilder, name: string, size: number): string[] => [
  builder.floats(`${name}.w`, [size]),
  builder.floats(`${name}.b`, [size]),
];

function addAverage(builder: GraphBuilder, input: string): void {
  const axis = builder.integer('axis', 1, [1]);
  builder.add({ opType: 'ReduceMean', input: [input, axis], output: 'average', attributes: { keepdims: 0 } });
  builder.add({
    opType: 'LpNormalization',
    input: ['average'],
    output: OUTPUT.embedding,
    attributes: { axis: -1, p: 2 },
  });
}
