import { Root } from 'protobufjs';

/** The types of tensors that are used, by their numbers in ONNX. */
export const DATA_TYPE = { float: 1, uint8: 2, int64: 7 } as const;
const ATTRIBUTE_TYPE = { float: 1, int: 2 } as const;
const EXTERNAL = 1;
/** The version of the form of the file, and those of the operators. */
const IR_VERSION = 8;
const OPSETS = [
  { domain: '', version: 18 },
  { domain: 'com.microsoft', version: 1 },
];

export interface Tensor {
  name: string;
  dims: number[];
  dataType: number;
  bytes: Buffer;
}

export interface Node {
  opType: string;
  domain?: string;
  input: string[];
  output: string;
  attributes?: Record<string, number>;
}

/** A value that the graph takes or gives. A dimension with a name has any size. */
export interface Value {
  name: string;
  dataType: number;
  dims: (number | string)[];
}

export interface Graph {
  nodes: Node[];
  tensors: Tensor[];
  inputs: Value[];
  outputs: Value[];
}

/** Where a tensor's bytes are in the data file. */
interface Location {
  offset: number;
  length: number;
}

type Fields = Record<string, [type: string, id: number, rule?: 'repeated']>;

const message = (fields: Fields) => ({
  fields: Object.fromEntries(
    Object.entries(fields).map(([name, [type, id, rule]]) => [name, { type, id, ...(rule && { rule }) }]),
  ),
});

/** The messages and fields of onnx.proto that are used. */
const ModelMessage = Root.fromJSON({
  nested: {
    Model: message({ irVersion: ['int64', 1], graph: ['Graph', 7], opsetImport: ['Opset', 8, 'repeated'] }),
    Opset: message({ domain: ['string', 1], version: ['int64', 2] }),
    Graph: message({
      node: ['Node', 1, 'repeated'],
      name: ['string', 2],
      initializer: ['Tensor', 5, 'repeated'],
      input: ['Value', 11, 'repeated'],
      output: ['Value', 12, 'repeated'],
    }),
    Node: message({
      input: ['string', 1, 'repeated'],
      output: ['string', 2, 'repeated'],
      name: ['string', 3],
      opType: ['string', 4],
      attribute: ['Attribute', 5, 'repeated'],
      domain: ['string', 7],
    }),
    Attribute: message({ name: ['string', 1], f: ['float', 2], i: ['int64', 3], type: ['int32', 20] }),
    Tensor: message({
      dims: ['int64', 1, 'repeated'],
      dataType: ['int32', 2],
      name: ['string', 8],
      rawData: ['bytes', 9],
      externalData: ['Entry', 13, 'repeated'],
      dataLocation: ['int32', 14],
    }),
    Entry: message({ key: ['string', 1], value: ['string', 2] }),
    Value: message({ name: ['string', 1], type: ['Type', 2] }),
    Type: message({ tensorType: ['TensorType', 1] }),
    TensorType: message({ elemType: ['int32', 1], shape: ['Shape', 2] }),
    Shape: message({ dim: ['Dimension', 1, 'repeated'] }),
    Dimension: message({ dimValue: ['int64', 1], dimParam: ['string', 2] }),
  },
}).lookupType('Model');

/**
 * Writes a graph as an ONNX model, and the tensors whose name has a location as references to a data file beside it, which the
 * runtime maps into memory instead of reading it.
 */
export function encodeModel(graph: Graph, dataFile: string, locations: ReadonlyMap<string, Location>): Uint8Array {
  const tensorOf = (tensor: Tensor) => {
    const { name, dims, dataType, bytes } = tensor;
    const location = locations.get(name);
    if (location === undefined) return { name, dims, dataType, rawData: bytes };
    const entries = { location: dataFile, offset: location.offset, length: location.length };
    const externalData = Object.entries(entries).map(([key, value]) => ({ key, value: String(value) }));
    return { name, dims, dataType, externalData, dataLocation: EXTERNAL };
  };
  const content = {
    irVersion: IR_VERSION,
    opsetImport: OPSETS,
    graph: {
      name: 'encoder',
      node: graph.nodes.map(nodeOf),
      initializer: graph.tensors.map(tensorOf),
      input: graph.inputs.map(describeValue),
      output: graph.outputs.map(describeValue),
    },
  };
  return ModelMessage.encode(ModelMessage.fromObject(content)).finish();
}

const nodeOf = ({ opType, domain = '', input, output, attributes = {} }: Node) => ({
  opType,
  domain,
  input,
  output: [output],
  name: output,
  attribute: Object.entries(attributes).map(([name, value]) =>
    Number.isInteger(value)
      ? { name, i: value, type: ATTRIBUTE_TYPE.int }
      : { name, f: value, type: ATTRIBUTE_TYPE.float },
  ),
});

const describeValue = ({ name, dataType, dims }: Value) => ({
  name,
  type: {
    tensorType: {
      elemType: dataType,
      shape: { dim: dims.map((size) => (typeof size === 'string' ? { dimParam: size } : { dimValue: size })) },
    },
  },
});
