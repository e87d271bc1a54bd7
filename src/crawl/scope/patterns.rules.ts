import { normalizeEscapes } from './urls.rules.ts';

export const MAX_PATTERN_LENGTH = 255;
const MAX_WILDCARDS = 10;

const ANY = 0;
const ANY_IN_SEGMENT = 1;
type Token = string | typeof ANY | typeof ANY_IN_SEGMENT;

/** Whether a path matches the pattern. */
export type PathMatch = (path: string) => boolean;

/** Returns the problem with a pattern, or undefined for a valid one. */
export function problemOfPattern(pattern: string): string | undefined {
  const path = pattern.replace(/^=/, '');
  if (/\*{3}/.test(path)) return 'must not hold ***: * stands for anything within a segment, ** across segments';
  if ((path.match(/\*+/g)?.length ?? 0) > MAX_WILDCARDS) return `must have at most ${MAX_WILDCARDS} wildcards`;
  if (/[?#\s]/.test(path)) return 'must be of a path alone: no query, no fragment and no spaces';
  return undefined;
}

/**
 * Compiles a pattern. `/a` matches /a and everything below it, `=/a` only /a; `*` matches anything within a segment,
 * `**` across segments.
 */
export function compilePattern(pattern: string): PathMatch {
  const isExact = pattern.startsWith('=');
  const pure = normalizeEscapes(encodeURI(pattern.replace(/^=/, '')).replace(/%25(?=[0-9a-f]{2})/gi, '%'));
  const stem = isExact ? pure : pure.replace(/\/$/, '');
  const tokens = [...tokensOf(stem)];
  const beginning = stem.split('*', 1)[0] ?? '';
  return (path) => {
    const written = normalizeEscapes(path);
    return written.startsWith(beginning) && matches(tokens, written, isExact);
  };
}

function* tokensOf(text: string): Generator<Token> {
  for (const [part] of text.matchAll(/\*\*|\*|[^*]/g)) yield part === '**' ? ANY : part === '*' ? ANY_IN_SEGMENT : part;
}

/** Reads the path once and tracks all possible positions in the pattern, so that no pattern is slow. */
function matches(tokens: Token[], path: string, isExact: boolean): boolean {
  let positions = expandWildcards(tokens, new Set([0]));
  for (const [index, character] of [...path].entries()) {
    if (!isExact && character === '/' && index > 0 && positions.has(tokens.length)) return true;
    const next = new Set<number>();
    for (const position of positions) {
      const token = tokens[position];
      if (token === ANY || (token === ANY_IN_SEGMENT && character !== '/')) next.add(position);
      else if (token === character) next.add(position + 1);
    }
    if (!isExact && tokens.length === 0) return true;
    positions = expandWildcards(tokens, next);
    if (positions.size === 0) return false;
  }
  return positions.has(tokens.length);
}

/** A wildcard may match nothing. */
function expandWildcards(tokens: Token[], positions: Set<number>): Set<number> {
  for (const position of positions) if (typeof tokens[position] === 'number') positions.add(position + 1);
  return positions;
}
