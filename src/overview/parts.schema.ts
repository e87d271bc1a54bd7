import { z } from 'zod';

/** What an item of an overview is about. */
export const ItemRef = z
  .object({ kind: z.string().describe('Such as `session` or `contact`.'), id: z.string() })
  .meta({ id: 'ItemRef' });

/** Returns a schema of some of the values, separated by commas. All of them where nothing is said. */
export const kindsOf = <Kind extends string>(kinds: readonly Kind[]) =>
  z
    .string()
    .max(500)
    .transform((text) => text.split(','))
    .pipe(z.array(z.enum(kinds, { error: `must be one or more of ${kinds.join(', ')}, separated by commas` })))
    .optional()
    .describe(`Only these of ${kinds.join(', ')}, separated by commas.`);

/** Returns those of the kinds that a caller may read. */
export const readableKinds = <Kind extends string>(
  scopes: Record<Kind, string>,
  held: ReadonlySet<string> | null,
  asked?: Kind[],
): Kind[] =>
  (Object.keys(scopes) as Kind[]).filter(
    (kind) => (held === null || held.has(scopes[kind])) && (asked === undefined || asked.includes(kind)),
  );
