import type { z } from 'zod';
import { MAX_NAME_LENGTH, nearestName } from '../../../schemas/names.ts';
import { defOf } from '../../../schemas/parts.ts';

const MAX_FOUND = 20;

/** A field of a request that its schema does not have. */
export interface UnknownField {
  path: string;
  trail: (string | number)[];
  /** The field of the schema that was probably meant: the field itself, if it is of another alternative. */
  nearest: string | undefined;
}

/**
 * Returns the fields of a value that parsing it by a schema has dropped, at any depth, at most 20. `path` names the
 * value.
 */
export function unknownFieldsIn(schema: z.ZodType, path: string, given: unknown, parsed: unknown): UnknownField[] {
  const fields: UnknownField[] = [];
  compare(fields, [schema], [path], { given, parsed });
  return fields;
}

function compare(
  found: UnknownField[],
  schemas: z.ZodType[],
  trail: (string | number)[],
  { given, parsed }: { given: unknown; parsed: unknown },
): void {
  if (given === parsed || found.length >= MAX_FOUND) return;
  if (Array.isArray(given) && Array.isArray(parsed)) {
    const items = schemas
      .flatMap(alternativesOf)
      .map((schema) => defOf(schema).element)
      .filter((one) => one !== undefined);
    for (const [nth, item] of given.slice(0, parsed.length).entries())
      compare(found, items, [...trail, nth], { given: item, parsed: parsed[nth] });
  } else if (isObject(given) && isObject(parsed)) {
    const shapes = schemas
      .flatMap(alternativesOf)
      .map((schema) => defOf(schema).shape)
      .filter((one) => one !== undefined);
    for (const [name, value] of Object.entries(given)) {
      if (Object.hasOwn(parsed, name) && parsed[name] === value) continue;
      if (found.length >= MAX_FOUND) return;
      const below = [...trail, name.slice(0, MAX_NAME_LENGTH)];
      if (Object.hasOwn(parsed, name)) {
        const fields = shapes.flatMap((shape) => (Object.hasOwn(shape, name) ? (shape[name] ?? []) : []));
        compare(found, fields, below, { given: value, parsed: parsed[name] });
      } else {
        const names = shapes.flatMap((shape) => Object.keys(shape));
        found.push({ path: below.join('.'), trail: below, nearest: nearestName(name, names) });
      }
    }
  }
}

/** Whether values of a schema may have a field. */
export function hasField(schema: z.ZodType, [first, ...others]: (string | number)[]): boolean {
  if (first === undefined) return true;
  const inner = alternativesOf(schema).map((one) => {
    const { element, shape } = defOf(one);
    return typeof first === 'number' ? element : shape?.[first];
  });
  return inner.some((one) => one !== undefined && hasField(one, others));
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const alternatives = new WeakMap<z.ZodType, z.ZodType[]>();

/** Returns the schemas that a value may have to fit, without what wraps them. */
function alternativesOf(schema: z.ZodType): z.ZodType[] {
  const known = alternatives.get(schema) ?? unwrapped(schema);
  alternatives.set(schema, known);
  return known;
}

function unwrapped(schema: z.ZodType): z.ZodType[] {
  const { innerType, in: input, getter, options, left, right } = defOf(schema);
  const inner = [innerType, input, getter?.(), ...(options ?? []), left, right].filter((one) => one !== undefined);
  return inner.length === 0 ? [schema] : inner.flatMap(alternativesOf);
}
