import { Validator } from '@cfworker/json-schema';
import {
  type ApiDocument,
  JSON_TYPE,
  type Operation,
  operationsOf,
} from '../../src/api/edge/documents/openapi-document/document.ts';
import { EXAMPLES, type Example } from '../../src/api/edge/documents/openapi-document/examples.ts';
import { oddTextsIn } from '../examples/odd-texts.ts';

/** Returns whether the document allows what the example sends and gets. Of JSON and a text, it has to be JSON. */
export function isTrueExample(document: ApiDocument, operation: Operation, example: Example): boolean {
  const { requestBody, responses = {} } = operation;
  const isAllowed = (schema: object | undefined, value: unknown) =>
    schema === undefined || value === undefined
      ? schema === value
      : new Validator({ ...schema, components: document.components } as object, '2020-12').validate(value).valid;
  const { content = {} } = responses[example.status] ?? {};
  const isPreferred = example.type === undefined || content[JSON_TYPE] === undefined;
  const isRequestLeftOut = example.request === undefined && requestBody?.required === false;
  return (
    responses[example.status] !== undefined &&
    isPreferred &&
    (isRequestLeftOut || isAllowed(requestBody?.content?.[JSON_TYPE]?.schema, example.request)) &&
    isAllowed(content[example.type ?? JSON_TYPE]?.schema, example.answer)
  );
}

/** Returns the operations without an example, those whose example the document does not allow, and odd texts in examples. */
export function examplesIn(document: ApiDocument): { missing: string[]; untrue: string[]; odd: string[] } {
  const operations = operationsOf(document).map(({ operation }) => operation);
  const exampleOf = ({ operationId = '' }: Operation) => EXAMPLES[operationId];
  const idsOf = (list: Operation[]) => list.flatMap(({ operationId }) => operationId ?? []);
  return {
    odd: Object.entries(EXAMPLES).flatMap(([id, example]) => oddTextsIn(example).map((path) => `${id}: ${path}`)),
    missing: idsOf(operations.filter((operation) => exampleOf(operation) === undefined)),
    untrue: idsOf(
      operations.filter((operation) => {
        const example = exampleOf(operation);
        return example !== undefined && !isTrueExample(document, operation, example);
      }),
    ),
  };
}
