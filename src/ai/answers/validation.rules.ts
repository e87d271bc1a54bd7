import { claimsDeed } from './deeds.rules.ts';
import { addressesOf, emailsOf, figuresOf } from './figures.rules.ts';
import type { AnswerPart } from './model-answer.schema.ts';
import { comparable, findQuote } from './quotes.rules.ts';

/** A passage shown to the model. Offsets count UTF-16 code units. */
export interface Passage {
  /** Its number in the prompt, from 1. */
  number: number;
  /** `public` is quoted and linked, `training` supports without being shown, `internal` only guides. */
  use: 'public' | 'training' | 'internal';
  item_id: string;
  chunk: number;
  url: string | null;
  title: string;
  heading: string;
  content: string;
  /** Its similarity to the query. */
  score: number;
  /** The place of `content` in its item. */
  start: number;
  /** SHA-256 of `content`, in hex. */
  hash: string;
}

/** The result of a call of an action. */
export interface Receipt {
  id: string;
  /** Whether the call has changed something: only then “I did it” can be said. */
  isEffect: boolean;
  /** The arguments and the answer, as text. */
  text: string;
}

/** The material for the check of an answer. */
export interface AnswerTerms {
  language: string;
  passages: readonly Passage[];
  receipts: readonly Receipt[];
  /** The customer's text. */
  customerText: string;
  /** Beginnings of addresses allowed by the org. */
  allowedLinks: readonly string[];
  /** Values that must never be said. */
  secrets: readonly string[];
  /** Texts that must not be repeated for eight words in a row. */
  guarded: readonly string[];
  /** The sentences allowed word for word, by name. */
  phrases: Readonly<Record<string, string>>;
  /** Whether only those sentences may be said. */
  onlyPhrases: boolean;
}

/** A quote confirmed in its passage. */
export interface CheckedQuote {
  passage: Passage;
  quote: string;
  start_offset: number;
  end_offset: number;
}

export interface CheckedPart {
  text: string;
  isQuestion: boolean;
  quotes: CheckedQuote[];
}

/** A part left out of the answer, with the reason. */
export interface DroppedPart {
  text: string;
  because: DropReason;
}

export type DropReason =
  | 'no_text'
  | 'not_approved'
  | 'no_support'
  | 'quote_not_found'
  | 'not_quotable'
  | 'no_receipt'
  | 'deed_without_receipt'
  | 'foreign_figure'
  | 'foreign_link'
  | 'foreign_address'
  | 'markup'
  | 'secret'
  | 'guarded_text';

export interface CheckedAnswer {
  parts: CheckedPart[];
  dropped: DroppedPart[];
}

const MAX_SHOWN = 500;
const MIN_SECRET = 6;
const GRAM = 8;
/** Keys of this product and of common services. */
const KEY = /\b(?:sk|pk|rk|sb|xox[a-z]|gh[a-z]|AKIA)[-_]?[A-Za-z0-9_-]{16,}/;
const MARKUP = /<\s{0,9}[/!?]?\s{0,9}[a-z]|!\[|\b(?:javascript|data|vbscript):/i;

/**
 * Keeps the provable parts of a model's answer, and gives the reasons for the dropped ones. A text needs a quote
 * contained in its passage, or the receipt of a call. Its figures, links and addresses come from those or from the
 * customer. A question brings nothing new. Nothing secret, internal or with markup is said.
 */
export function checkAnswer(parts: readonly AnswerPart[], terms: AnswerTerms): CheckedAnswer {
  const guarded = gramsOf(terms.guarded);
  const checked = parts.map((part) => checkPart(part, terms, guarded));
  return {
    parts: checked.filter((one) => 'quotes' in one),
    dropped: checked.filter((one) => 'because' in one),
  };
}

function checkPart(part: AnswerPart, terms: AnswerTerms, guarded: ReadonlySet<string>): CheckedPart | DroppedPart {
  const drop = (because: DropReason): DroppedPart => ({ text: shownOf(part), because });
  if (isText(part.phrase)) {
    const phrase = Object.hasOwn(terms.phrases, part.phrase) ? terms.phrases[part.phrase] : undefined;
    return phrase === undefined ? drop('not_approved') : { text: phrase, quotes: [], isQuestion: false };
  }
  if (terms.onlyPhrases) return drop('not_approved');
  const isQuestion = isText(part.question);
  const text = (isQuestion ? part.question : part.text)?.trim();
  if (!isText(text)) return drop('no_text');
  const basis = isQuestion ? { quotes: [], sources: [] } : basisOf(part, terms);
  if (typeof basis === 'string') return drop(basis);
  const problem = problemOf(text, basis, { ...terms, guardedGrams: guarded, isQuestion });
  return problem === undefined ? { text, quotes: basis.quotes, isQuestion } : drop(problem);
}

const isText = (value: string | null | undefined): value is string =>
  value !== null && value !== undefined && value !== '';
const shownOf = ({ text, question, phrase }: AnswerPart): string =>
  (text ?? question ?? phrase ?? '').slice(0, MAX_SHOWN).toWellFormed();

interface Basis {
  quotes: CheckedQuote[];
  /** The allowed sources of figures. */
  sources: string[];
  /** Whether it proves a deed. */
  isDone?: boolean;
}

/** Returns the basis of a text: the receipt it names, or those of its quotes contained in their passage. */
function basisOf(part: AnswerPart, { passages, receipts }: AnswerTerms): Basis | DropReason {
  if (isText(part.receipt)) {
    const receipt = receipts.find(({ id }) => id === part.receipt);
    return receipt === undefined ? 'no_receipt' : { quotes: [], sources: [receipt.text], isDone: receipt.isEffect };
  }
  const support = part.support ?? [];
  if (support.length === 0) return 'no_support';
  const found = support.map(({ passage, quote }) =>
    quoteIn(
      passages.find(({ number }) => number === passage),
      quote,
    ),
  );
  const quotes = found.filter((one) => one !== undefined);
  if (quotes.length === 0) return 'quote_not_found';
  const usable = quotes.filter(({ passage }) => passage.use !== 'internal');
  return usable.length === 0 ? 'not_quotable' : { quotes: usable, sources: usable.map(({ quote }) => quote) };
}

function quoteIn(passage: Passage | undefined, quote: string): CheckedQuote | undefined {
  if (passage === undefined) return undefined;
  const bounds = findQuote(passage.content, quote);
  if (bounds !== undefined)
    return {
      passage,
      quote: passage.content.slice(bounds.start, bounds.end),
      start_offset: passage.start + bounds.start,
      end_offset: passage.start + bounds.end,
    };
  const heading = [passage.heading, passage.title].find((one) => one !== '' && comparable(one) === comparable(quote));
  return heading === undefined
    ? undefined
    : { passage, quote: heading, start_offset: passage.start, end_offset: passage.start + passage.content.length };
}

function problemOf(
  text: string,
  { quotes, sources, isDone = false }: Basis,
  terms: AnswerTerms & { guardedGrams: ReadonlySet<string>; isQuestion: boolean },
): DropReason | undefined {
  if (MARKUP.test(text)) return 'markup';
  const allowed = [...sources, terms.customerText];
  if (hasSecret(text, terms.secrets)) return 'secret';
  if (!isDone && claimsDeed(text, terms.language)) return 'deed_without_receipt';
  const links = terms.isQuestion
    ? []
    : [
        ...quotes.filter(({ passage }) => passage.use === 'public').flatMap(({ passage }) => passage.url ?? []),
        ...terms.allowedLinks,
      ];
  if (!addressesOf(text).every((address) => isAllowed(address, { urls: links, prefixes: terms.allowedLinks })))
    return 'foreign_link';
  const emails = new Set(allowed.flatMap(emailsOf));
  if (!emailsOf(text).every((email) => emails.has(email))) return 'foreign_address';
  const figures = new Set(allowed.flatMap((source) => [...figuresOf(source)]));
  const plain = withoutAddresses(text);
  if (![...figuresOf(plain, [terms.language])].every((figure) => figures.has(figure))) return 'foreign_figure';
  const said = gramsOf(sources);
  const leaked = [...gramsOf([text])].some((gram) => terms.guardedGrams.has(gram) && !said.has(gram));
  return leaked ? 'guarded_text' : undefined;
}

const hasSecret = (text: string, secrets: readonly string[]): boolean =>
  KEY.test(text) || secrets.some((secret) => secret.length >= MIN_SECRET && text.includes(secret));

/** Links were judged already: their numbers are no figures. */
const withoutAddresses = (text: string): string =>
  [...addressesOf(text), ...emailsOf(text)].reduce((rest, address) => rest.replaceAll(address, ' '), text);

function isAllowed(address: string, { urls, prefixes }: { urls: string[]; prefixes: readonly string[] }): boolean {
  const href = hrefOf(address);
  if (href === undefined) return false;
  return urls.some((url) => hrefOf(url) === href) || prefixes.some((prefix) => isWithin(href, prefix));
}

function isWithin(href: string, prefix: string): boolean {
  const allowed = hrefOf(prefix);
  return (
    allowed !== undefined && (href === allowed || href.startsWith(allowed.endsWith('/') ? allowed : `${allowed}/`))
  );
}

/** Returns an address in one spelling, without its fragment. Undefined for anything but a website's. */
function hrefOf(address: string): string | undefined {
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:/i.test(address) ? address : `https://${address}`);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return undefined;
  return `${url.host}${url.pathname.replace(/\/$/, '')}${url.search}`;
}

/** Returns all sequences of eight words of some texts. */
function gramsOf(texts: readonly string[]): Set<string> {
  const grams = new Set<string>();
  for (const text of texts) {
    const words = comparable(text).match(/[\p{L}\p{N}]+/gu) ?? [];
    for (let at = 0; at + GRAM <= words.length; at++) grams.add(words.slice(at, at + GRAM).join(' '));
  }
  return grams;
}
