/** What pages say in place of a missing one. It is a pattern of Postgres, too. */
export const TELLING_WORDS = [
  String.raw`(?<![\d.,-])404(?![\s.,)/-]{0,3}\d)`, // not a part of another number
  'not found',
  'not be found',
  'no longer available',
  'no longer exists',
  'not exist',
  'n.t exist',
  'nicht gefunden',
  'existiert nicht',
  'introuvable',
  'n.existe p',
  'no encontrad[ao]',
  'no existe',
  'non trovat[ao]',
  'não encontrad[ao]',
  'niet gevonden',
  'hittades inte',
  'ikke fun',
  'nie znaleziono',
  'не найден',
  '見つかりません',
  '找不到',
  '不存在',
  '찾을 수 없',
].join('|');
const TELLING = new RegExp(TELLING_WORDS, 'iu');
/** Where a page says so. */
export const TELLING_LENGTH = 500;
const MAX_OWN_WORDS = 3;
const MAX_OWN_SHARE = 0.02;
const MAX_MISSING_SHARE = 0.1;
/** The address of a link in Markdown. It has no brackets, so that the search takes linear time. */
const LINK_TARGET = /\]\([^()[\]]*\)/g;
const WORD = /[\p{L}\p{M}]+/gu;
const NUMBER = /\p{N}+/gu;

export interface ComparedPage {
  url: string;
  title: string;
  markdown: string;
}

/** Whether a page says of itself that it does not exist. The numbers of its address say nothing: a post may be /post/404. */
export function tellsNotFound({ url, title, markdown }: ComparedPage): boolean {
  const ofAddress = new Set(numbersIn(addressTextOf(url)));
  const text = `${title}\n${markdown.slice(0, TELLING_LENGTH)}`;
  return TELLING.test(text.replaceAll(NUMBER, (number) => (ofAddress.has(number) ? '' : number)));
}

/** Returns the pages whose text an earlier one has already. Pages of a template may differ by their numbers only. */
export function repeatedPages<Page extends Omit<ComparedPage, 'url'>>(pages: readonly Page[]): Page[] {
  const known = new Set<string>();
  return pages.filter(({ title, markdown }) => {
    const numbers = numbersIn(`${title}\n${markdown.replaceAll(LINK_TARGET, ']')}`).join(' ');
    const isKnown = known.has(numbers);
    known.add(numbers);
    return isKnown;
  });
}

/** Returns an address beside a page that certainly does not exist, for digits that nobody has chosen. */
export function missingSiblingOf(address: string, digits: string): URL {
  const url = new URL(address);
  const lastParameter = [...url.searchParams.keys()].at(-1);
  if (lastParameter !== undefined) {
    url.searchParams.set(lastParameter, digits);
    return url;
  }
  const [, directory = '/', end = ''] = /^(.*\/)[^/]+?((?:\.\w{1,5})?\/?)$/.exec(url.pathname) ?? [];
  url.pathname = directory + digits + end;
  return url;
}

/**
 * Whether a page is the one that its site answers for missing pages: the same title, and the same words but for those of
 * the address and a few more. `missing` are two such answers: what differs between them may differ in the page, too.
 */
export function isLikeMissing(page: ComparedPage, missing: readonly [ComparedPage, ComparedPage]): boolean {
  const title = wordsOf(page.title, page.url);
  const hasSameTitle = missing.some((one) => areEqual(title, wordsOf(one.title, one.url)));
  if (!hasSameTitle) return false;
  const words = wordsOf(page.markdown, page.url);
  const [first, second] = missing.map(({ markdown, url }) => wordsOf(markdown, url));
  if (first === undefined || second === undefined) return false;
  const own = countOf(words, (word) => !first.has(word) && !second.has(word));
  const always = new Set([...first].filter((word) => second.has(word)));
  return (
    own <= Math.min(MAX_OWN_WORDS, Math.max(1, words.size * MAX_OWN_SHARE)) &&
    countOf(always, (word) => !words.has(word)) <= always.size * MAX_MISSING_SHARE
  );
}

const countOf = (words: Set<string>, isCounted: (word: string) => boolean): number =>
  [...words].filter(isCounted).length;
const areEqual = (a: Set<string>, b: Set<string>): boolean =>
  a.size === b.size && countOf(a, (word) => b.has(word)) === a.size;

/** Returns the words of a text, without those of its address: pages for missing ones often repeat it. */
function wordsOf(text: string, url: string): Set<string> {
  const lower = (words: string) => new Set(words.toLowerCase().match(WORD));
  const ofAddress = lower(addressTextOf(url));
  return new Set([...lower(text.replaceAll(LINK_TARGET, ']'))].filter((word) => !ofAddress.has(word)));
}

const numbersIn = (text: string): string[] => text.match(NUMBER) ?? [];

/** Returns the path and the query of an address as people read them. */
function addressTextOf(url: string): string {
  const { pathname, searchParams } = new URL(url);
  return `${decoded(pathname)} ${[...searchParams].flat().join(' ')}`;
}

/** Returns a path as people read it. One with wrong escapes stays as it is. */
function decoded(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
