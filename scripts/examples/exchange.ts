/** A request to an operation and its answer. Bodies that are no JSON are left out. */
export interface Exchange {
  operationId: string;
  status: number;
  request?: unknown;
  answer?: unknown;
}

const MAX_BYTES = 3_000;
const MAX_TEXT = 300;
/** Texts of people and programs, not those that tests send to see them refused. */
const PLAIN = /^[\p{L}\p{N}\s.,:;!?'"()/@#%&*+=_{}[\]|$~^-]*$/u;
const SENTENCE_CHARS = 80;

/** Returns how much an exchange shows to a reader, by the fields with a value; 0 if it is too long or odd. */
export function scoreOf({ request, answer, status }: Exchange): number {
  if (status < 200 || status > 299) return 0;
  const text = JSON.stringify([request, answer]);
  if (text.length > MAX_BYTES) return 0;
  const leaves = [...leavesOf(request), ...leavesOf(answer)];
  if (leaves.some(([, value]) => typeof value === 'string' && !isPlain(value))) return 0;
  const filled = new Set(leaves.filter(([, value]) => value !== null && value !== '').map(([path]) => path));
  return 1 + filled.size - Math.floor(text.length / SENTENCE_CHARS) / 10;
}

const isPlain = (text: string) => text.length <= MAX_TEXT && PLAIN.test(text) && !/(.)\1{9}/.test(text);

/** Returns the values within a value, by their paths. All items of a list have one path. */
function leavesOf(value: unknown, path = ''): [string, unknown][] {
  if (Array.isArray(value)) return value.flatMap((item) => leavesOf(item, `${path}[]`));
  if (typeof value !== 'object' || value === null) return value === undefined ? [] : [[path, value]];
  return Object.entries(value).flatMap(([key, inner]) => leavesOf(inner, `${path}.${key}`));
}
