const ID = '[0-9a-f]{8}[-_][0-9a-f]{4}[-_][0-9a-f]{4}[-_][0-9a-f]{4}[-_][0-9a-f]{12}';
/** What tests write and no customer would. A template may have braces, and a masked secret is marks alone. */
const ODD_TEXTS = [
  new RegExp(`[^/]${ID}|${ID}[^/?]`),
  /^ | $| {2}|\t/,
  /^(?!\*{3}$|\/$)[^\p{L}\p{N}]+$/u,
  /^\p{L}$|^=\d|;\s*--/u,
  /\b(?:foo|ba[rz]|xx+|quagga|quokka|zebra|zeppelin|hostile|asdf|lorem)\b/i,
  /ExampleOfASecret\w*@/,
];
const ODD_NAMES = [new RegExp(`^${ID}$`), /^(?:Org|Odd|Test|test|ticket-\w+|manual-trigger)$/];
/** A path of names of fields, without keys that only a test would give. */
const PLAIN_PATH = /^[\w.[\]$-]*$/;

/** Returns where an example has a text, a name or a key that no customer would send or get. */
export const oddTextsIn = ({ request, answer }: { request?: unknown; answer?: unknown }): string[] =>
  [...leavesOf(request, 'request'), ...leavesOf(answer, 'answer')].flatMap(([path, value]) =>
    isOdd(path, value) ? [path] : [],
  );

function isOdd(path: string, value: unknown): boolean {
  if (!PLAIN_PATH.test(path)) return true;
  if (typeof value !== 'string') return false;
  return ODD_TEXTS.some((odd) => odd.test(value)) || (isName(path) && ODD_NAMES.some((odd) => odd.test(value)));
}

const isName = (path: string): boolean => /\.(?:name|title|display_name)$/.test(path);

/** Returns the values within a value, by their paths. All items of a list have one path. */
export function leavesOf(value: unknown, path = ''): [string, unknown][] {
  if (Array.isArray(value)) return value.flatMap((item) => leavesOf(item, `${path}[]`));
  if (typeof value !== 'object' || value === null) return value === undefined ? [] : [[path, value]];
  return Object.entries(value).flatMap(([key, inner]) => leavesOf(inner, `${path}.${key}`));
}
