import type { OperationParameter } from './schema.ts';

/** OpenAPI's styles of each place. The first one is the default. */
const STYLES = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form', 'cookie'],
} as const;

type Style = (typeof STYLES)[keyof typeof STYLES][number];

/** Returns why a parameter cannot have its style. */
export function problemOfStyle({ in: place, style }: OperationParameter): string | undefined {
  const known: readonly string[] = STYLES[place];
  if (style === undefined || known.includes(style)) return undefined;
  return `must be ${known.join(', ').replace(/, ([^,]*)$/, ' or $1')} in a ${place}`;
}

/** Returns how a parameter is serialized. */
export function styleOf({ in: place, style, explode }: OperationParameter): { style: Style; explode: boolean } {
  const known: readonly Style[] = STYLES[place];
  const used = known.find((one) => one === style) ?? STYLES[place][0];
  return { style: used, explode: explode ?? (used === 'form' || used === 'cookie') };
}
