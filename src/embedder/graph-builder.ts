import { DATA_TYPE, type Node, type Tensor } from './onnx.ts';
import { BYTES_PER_BLOCK, splitBlocks } from './packed-blocks.rules.ts';
import { BLOCK_SIZE, type PackedModel } from './packed-model.ts';
import type { ReadingAdapter } from './reading-adapter.ts';

export const MICROSOFT = 'com.microsoft';
export const BITS = 4;
/** Weights are multiplied as integers: activations are rounded to 8 bits, with a separate scale for each block of a token. */
const INTEGER_ACCURACY = 4;

/** Collects the nodes of a graph, with the tensors of a packed model, and of an adapter to it, that they use. */
export class GraphBuilder {
  readonly nodes: Node[] = [];
  readonly tensors: Tensor[] = [];
  readonly #packed: PackedModel['tensors'];
  readonly #adapter: ReadingAdapter;

  constructor(packed: PackedModel['tensors'], adapter: ReadingAdapter = new Map()) {
    this.#packed = packed;
    this.#adapter = adapter;
  }

  /** Returns the bytes of a packed tensor. */
  packed(name: string): Buffer {
    const bytes = this.#packed.get(name);
    if (bytes === undefined) throw new Error(`The model lacks the tensor ${name}`);
    return bytes;
  }

  /** Adds a node, and returns the name of its output. */
  add(node: Node): string {
    this.nodes.push(node);
    return node.output;
  }

  tensor(tensor: Tensor): string {
    this.tensors.push(tensor);
    return tensor.name;
  }

  floats(name: string, dims: number[], bytes = this.packed(name)): string {
    return this.tensor({ name, dims, dataType: DATA_TYPE.float, bytes });
  }

  /** Adds an integer of these dimensions, each of which is 1. */
  integer(name: string, value: number, dims: number[]): string {
    const bytes = Buffer.from(BigInt64Array.of(BigInt(value)).buffer);
    return this.tensor({ name, dims, dataType: DATA_TYPE.int64, bytes });
  }

  /** Adds the weights and the scales of a packed tensor of 4-bit blocks. */
  blocks(name: string, { weights, scales }: { weights: number[]; scales: number[] }): [string, string] {
    const split = splitBlocks(this.packed(name));
    const bits = { name: `${name}.bits`, dims: weights, dataType: DATA_TYPE.uint8, bytes: split.weights };
    return [this.tensor(bits), this.floats(`${name}.scales`, scales, split.scales)];
  }

  /** Adds a linear layer from `rows` to `columns` values. */
  linear(input: string, name: string, [rows, columns]: [number, number]): string {
    const blocks = rows / BLOCK_SIZE;
    const dims = { weights: [columns, blocks, BYTES_PER_BLOCK], scales: [columns * blocks] };
    const isAdapted = this.#adapter.has(`${name}.down`);
    const output = this.add({
      opType: 'MatMulNBits',
      domain: MICROSOFT,
      input: [input, ...this.blocks(`${name}.w`, dims), '', '', this.floats(`${name}.b`, [columns])],
      output: isAdapted ? `${name}.unadapted` : name,
      attributes: { K: rows, N: columns, bits: BITS, block_size: BLOCK_SIZE, accuracy_level: INTEGER_ACCURACY },
    });
    if (!isAdapted) return output;
    const narrow = this.product(input, `${name}.down`);
    return this.add({ opType: 'Add', input: [output, this.product(narrow, `${name}.up`)], output: name });
  }

  /** Adds the product with a matrix of the adapter. */
  product(input: string, name: string): string {
    return this.add({ opType: 'MatMul', input: [input, this.adapted(name)], output: `${name}.product` });
  }

  /** Adds a tensor of the adapter. */
  adapted(name: string): string {
    const tensor = this.#adapter.get(name);
    if (tensor === undefined) throw new Error(`The adapter lacks the tensor ${name}`);
    return this.floats(name, tensor.dims, tensor.bytes);
  }
}
