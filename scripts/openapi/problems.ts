import {
  type ApiDocument,
  nameOfRef,
  operationsOf,
  partsOf,
  rootsOf,
  type Schema,
  visitSchema,
  visitSchemas,
} from '../../src/api/edge/documents/openapi-document/document.ts';
import { hasContainer } from '../../src/api/edge/documents/openapi-document/shapes.ts';

/** Returns what a reader or a generator of clients would stumble over, one sentence each. */
export function problemsOf(document: ApiDocument): string[] {
  return [
    ...unusedSchemas(document).map((name) => `The schema ${name} is used nowhere`),
    ...Object.keys(document.components.schemas)
      .filter((name) => name.endsWith('Input'))
      .map((name) => `The schema ${name} is named after a side, not after what it is`),
    ...sharedNames(document).map((name) => `The schema ${name} has the name that generators give a member of another`),
    ...takenNames(document).map((name) => `The schema ${name} has the name that generators give a union of another`),
    ...constructorNames(document).map((name) => `The schema ${name} has the name of a constructor in Go`),
    ...problemsOfTags(document),
    ...operationsOf(document).flatMap(({ operation }) => problemsOfOperation(operation)),
    ...problemsOfSchemas(document),
  ];
}

function unusedSchemas(document: ApiDocument): string[] {
  const { schemas } = document.components;
  const used = new Set<string>();
  const use = (schema: Schema) =>
    visitSchema(schema, (part) => {
      const name = nameOfRef(part);
      if (used.has(name)) return;
      used.add(name);
      use(schemas[name] ?? {});
    });
  for (const root of rootsOf(document)) use(root);
  return Object.keys(schemas).filter((name) => !used.has(name));
}

/** Generators name the values of a member after its schema and the member: another schema may not be called the same. */
function sharedNames({ components: { schemas } }: ApiDocument): string[] {
  const guessed = Object.entries(schemas).flatMap(([owner, { properties = {} }]) =>
    Object.entries(properties).flatMap(([key, part]) => (part.enum === undefined ? [] : `${owner}_${key}`)),
  );
  const spellings = new Set(guessed.map(spellingOf));
  return Object.keys(schemas).filter((name) => spellings.has(spellingOf(name)) && schemas[name]?.enum === undefined);
}

/** Generators make a type of a union that is written where it is used, and overwrite a schema of that name with it. */
function takenNames({ components: { schemas } }: ApiDocument): string[] {
  const guessed = Object.entries(schemas).flatMap(([owner, { properties = {} }]) =>
    Object.entries(properties).flatMap(([key, part]) => (isUnion(part) ? [spellingOf(owner + key)] : [])),
  );
  return Object.keys(schemas).filter((name) => guessed.includes(spellingOf(name)));
}

const isUnion = ({ anyOf, oneOf }: Schema) => (oneOf ?? anyOf ?? []).filter((part) => part.type !== 'null').length > 1;

/** The client of Go has a function `NewX` for every schema `X`. */
const constructorNames = ({ components: { schemas } }: ApiDocument): string[] =>
  Object.keys(schemas).filter((name) => name.startsWith('New') && schemas[name.slice('New'.length)] !== undefined);

const spellingOf = (name: string) => name.toLowerCase().replaceAll('_', '');

function problemsOfTags({ tags = [], ...document }: ApiDocument): string[] {
  const described = tags.map(({ name }) => name);
  const used = new Set(operationsOf(document).flatMap(({ operation }) => operation.tags ?? []));
  return [...used].filter((tag) => !described.includes(tag)).map((tag) => `The tag ${tag} is not described`);
}

type Operation = ReturnType<typeof operationsOf>[number]['operation'];

function problemsOfOperation({
  operationId,
  summary,
  description,
  parameters = [],
  responses = {},
}: Operation): string[] {
  const problems = [
    summary === undefined && 'has no summary',
    description === undefined && 'has no description',
    parameters.some((parameter) => 'style' in parameter) && 'has a parameter with its own style',
    responses['204']?.content !== undefined && 'has content in a 204',
    Object.values(responses).some((answer) => answer.description === 'Default Response') && 'has an undescribed answer',
  ];
  return problems.flatMap((problem) => (problem === false ? [] : [`${operationId} ${problem}`]));
}

function problemsOfSchemas(document: ApiDocument): string[] {
  const problems = new Set<string>();
  visitSchemas(document, (schema) => {
    for (const problem of problemsOfSchema(schema)) problems.add(problem);
  });
  return [...problems];
}

const shown = (schema: Schema) => JSON.stringify(schema).slice(0, 120);

function problemsOfSchema(schema: Schema): string[] {
  const union = schema.oneOf ?? schema.anyOf ?? [];
  const spellings = (schema.enum ?? []).map((value) =>
    String(value)
      .toLowerCase()
      .replace(/[^a-z0-9]/g, ''),
  );
  const problems = [
    new Set(spellings).size < spellings.length && 'Values differ by marks alone',
    union.some((part) => part.properties !== undefined) && 'An object in a union has no name',
    hasContainer(schema) && 'A union has a list or a free object',
    schema.properties !== undefined && schema.default !== undefined && 'An object has a default',
    schema.oneOf !== undefined && schema.discriminator === undefined && 'A union of variants has no discriminator',
    partsOf(schema).some((part) => part.type === 'null' && !union.includes(part)) && 'A member is always null',
  ];
  return problems.flatMap((problem) => (problem === false ? [] : [`${problem}: ${shown(schema)}`]));
}
