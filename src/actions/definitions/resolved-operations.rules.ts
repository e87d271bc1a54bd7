import { bodyTypeIn } from './body-types.rules.ts';
import { createResolver } from './references.rules.ts';
import type { ActionPayload, JsonSchema } from './schema.ts';
import { objectOf } from './schema-parts.rules.ts';

const MAX_VALUES = 20_000;
const MAX_CHARACTERS = 1_000_000;

type Content = NonNullable<ActionPayload['requestBody']>['content'];

/**
 * Returns an operation whose schemas hold no references: each is replaced with what it refers to in the payload, or in its
 * own schema. Throws UnresolvedReference.
 */
export function withoutReferences<Described extends { payload: ActionPayload }>(operation: Described): Described {
  const { payload } = operation;
  if (!JSON.stringify(payload).includes('"$ref"')) return operation;
  const resolve = resolverOf(payload);
  const resolved = (schema: JsonSchema | undefined) => objectOf(resolve(schema));
  const { parameters, requestBody } = payload;
  return {
    ...operation,
    payload: {
      ...payload,
      parameters: parameters?.map((parameter) => ({ ...parameter, schema: resolved(parameter.schema) })),
      requestBody: requestBody && { ...requestBody, content: contentOf(requestBody.content, resolved) },
    },
  };
}

/**
 * Returns a function that copies schemas of a payload without their references. It throws UnresolvedReference, also if the
 * copies together are too large.
 */
export const resolverOf = (payload: ActionPayload) =>
  createResolver(payload, {
    maxValues: MAX_VALUES,
    total: { maxValues: MAX_VALUES, maxCharacters: MAX_CHARACTERS },
  });

const contentOf = (content: Content, resolved: (schema: JsonSchema | undefined) => JsonSchema | undefined): Content =>
  Object.fromEntries(
    Object.entries(content).map(([type, described]) => [
      type,
      { ...described, schema: namedAsReferred(type, described.schema, resolved(described.schema)) },
    ]),
  );

/** The root element of an XML body has the name of the schema that its own refers to. */
export function namedAsReferred(
  mediaType: string,
  referring: unknown,
  schema: JsonSchema | undefined,
): JsonSchema | undefined {
  const reference = typeof referring === 'object' && referring !== null && '$ref' in referring ? referring.$ref : null;
  if (schema === undefined || typeof reference !== 'string') return schema;
  if (bodyTypeIn({ [mediaType]: {} })?.kind !== 'xml') return schema;
  const name = reference.split('/').at(-1);
  return { ...schema, xml: { name, ...objectOf(schema.xml) } };
}
