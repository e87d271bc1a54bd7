import tlds from 'tlds' with { type: 'json' };

const NUMBER = /\p{Nd}+(?:[.,:/’'-]\p{Nd}+)*/gu;
const CURRENCY = /[\p{Sc}%‰]|\b(?:EUR|USD|GBP|CHF|JPY|CNY|PLN|SEK|NOK|DKK|CZK|INR|CAD|AUD)\b/gu;
const WORD = /\p{L}+/gu;
const EMAIL = /[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,5}/gu;
const ADDRESS =
  /(?:\b[a-z][a-z0-9+.-]{1,20}:\/\/|\bwww\.)[^\s<>"'()[\]{}|\\^`]{1,2000}|\b(?:mailto|javascript|data|tel):[^\s<>"'()[\]]{1,2000}|(?<![@\p{L}\p{N}.-])(?:[\p{L}\p{N}-]{1,63}\.){1,5}\p{L}{2,24}(?![\p{L}\p{N}@-])(?:\/[^\s<>"'()[\]{}|\\^`]{0,2000})?/giu;

/** Numbers as words. “One” is left out: in most languages it is an article. */
const NUMBER_WORDS: Readonly<Record<string, string>> = {
  en: 'two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty sixty seventy eighty ninety hundred thousand',
  de: 'zwei drei vier fünf sechs sieben acht neun zehn elf zwölf zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig hundert tausend',
  fr: 'deux trois quatre cinq six sept huit neuf dix onze douze vingt trente quarante cinquante soixante _ _ _ cent mille',
  es: 'dos tres cuatro cinco seis siete ocho nueve diez once doce veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa cien mil',
  it: 'due tre quattro cinque _ sette otto nove dieci undici dodici venti trenta quaranta cinquanta sessanta settanta ottanta novanta cento mille',
  pt: 'dois três quatro cinco seis sete oito nove dez onze doze vinte trinta quarenta cinquenta sessenta setenta oitenta noventa cem mil',
  nl: 'twee drie vier vijf zes zeven acht negen tien elf twaalf twintig dertig veertig vijftig zestig zeventig tachtig negentig honderd duizend',
  pl: 'dwa trzy cztery pięć sześć siedem osiem dziewięć dziesięć jedenaście dwanaście dwadzieścia trzydzieści czterdzieści pięćdziesiąt sześćdziesiąt siedemdziesiąt osiemdziesiąt dziewięćdziesiąt sto tysiąc',
};
const NUMBER_VALUES = [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 20, 30, 40, 50, 60, 70, 80, 90, 100, 1_000];
/** Names of months with another, more frequent meaning. */
const AMBIGUOUS = new Set(['may', 'march']);

const wordsByLanguage = new Map<string, ReadonlyMap<string, string>>();

/** Returns the words of a language for figures: numbers, months and days of the week. */
function figureWords(language: string): ReadonlyMap<string, string> {
  const known = wordsByLanguage.get(language);
  if (known !== undefined) return known;
  const numbers = (NUMBER_WORDS[language] ?? '').split(' ');
  const words = new Map(numbers.map((word, nth) => [word, `${NUMBER_VALUES[nth]}`]));
  for (const [part, count] of [
    ['month', 12],
    ['weekday', 7],
  ] as const) {
    const format = new Intl.DateTimeFormat(language, { [part]: 'long', timeZone: 'UTC' });
    for (let nth = 0; nth < count; nth++) {
      const date = part === 'month' ? Date.UTC(2024, nth, 15) : Date.UTC(2024, 0, 1 + nth);
      const name = format.format(date).toLowerCase();
      if (/^\p{L}+$/u.test(name) && !AMBIGUOUS.has(name)) words.set(name, `${part} ${nth}`);
    }
  }
  wordsByLanguage.set(language, words);
  return words;
}

const SPELLED = Object.keys(NUMBER_WORDS);

/**
 * Returns the numbers, amounts and dates of a text, each in one spelling: `1.000,00`, `1,000` and “thousand” are the
 * same. `languages` limits the words read to those of these languages; without it, all known words are read.
 */
export function figuresOf(text: string, languages: readonly string[] = SPELLED): Set<string> {
  const figures = new Set<string>();
  const plain = text.normalize('NFKC');
  for (const [number] of plain.matchAll(NUMBER)) figures.add(canonicalNumber(number));
  for (const [sign] of plain.matchAll(CURRENCY)) figures.add(currencyOf(sign));
  const readable = languages.filter((language) => SPELLED.includes(language));
  for (const [word] of plain.toLowerCase().matchAll(WORD)) {
    const language = readable.find((code) => figureWords(code).has(word));
    if (language !== undefined) figures.add(figureWords(language).get(word) ?? word);
  }
  return figures;
}

const CURRENCY_CODES: Readonly<Record<string, string>> = { '€': 'EUR', $: 'USD', '£': 'GBP', '¥': 'JPY', '₹': 'INR' };
const currencyOf = (sign: string): string => CURRENCY_CODES[sign] ?? sign;

function canonicalNumber(number: string): string {
  const digits = number.replace(/\p{Nd}/gu, (digit) => `${digitValue(digit)}`);
  const grouped = /^\d{1,3}(?:([.,’'])\d{3})(?:\1\d{3})*(?:[.,]\d{1,2})?$/.exec(digits);
  const separator = grouped?.[1];
  const plain = separator === undefined ? digits : digits.replaceAll(separator, '');
  if (!/^\d+(?:[.,]\d+)?$/.test(plain)) return plain.replaceAll(',', '.');
  const [whole = '', decimals = ''] = plain.split(/[.,]/);
  const rest = withoutTrailing(decimals, '0');
  return `${whole.replace(/^0+(?=\d)/, '')}${rest === '' ? '' : `.${rest}`}`;
}

/** Returns the value of a decimal digit of any script: their code points stand in rows of ten. */
function digitValue(digit: string): number {
  let zero = digit.codePointAt(0) ?? 0;
  const code = zero;
  while (/^\p{Nd}$/u.test(String.fromCodePoint(zero - 1)) && code - zero < 9) zero--;
  return code - zero;
}

/** Returns the e-mail addresses of a text, in lower case. */
export const emailsOf = (text: string): string[] =>
  [...text.normalize('NFKC').matchAll(EMAIL)].map(([email]) => email.toLowerCase());

/** Returns a text with these words in the place of each e-mail address. */
export const withoutEmails = (text: string, replacement: string): string => text.replace(EMAIL, () => replacement);

/** Returns the addresses of websites in a text, with or without a scheme. E-mail addresses are none. */
export const addressesOf = (text: string): string[] =>
  [...text.normalize('NFKC').replace(EMAIL, ' ').matchAll(ADDRESS)]
    .map(([address]) => withoutTrailing(address, '.,;:!?'))
    .filter((address) => hasScheme(address) || isDomain(address));

const hasScheme = (address: string): boolean => /^(?:[a-z][a-z0-9+.-]*:|www\.)/i.test(address);

/** Endings of names that clients turn into links. */
const DOMAIN_ENDINGS: ReadonlySet<string> = new Set(tlds);
/** Country endings that are mostly file endings. */
const FILE_ENDINGS = new Set(['py', 'md', 'rs', 'sh', 'js', 'ts', 'cs', 'rb', 'kt', 'pl', 'so', 'ps']);

function isDomain(name: string): boolean {
  const [host = '', ...path] = name.split('/');
  const ending = host.split('.').at(-1)?.toLowerCase() ?? '';
  const isKnown = DOMAIN_ENDINGS.has(ending) || /^xn--/.test(ending);
  return isKnown && (path.length > 0 || !FILE_ENDINGS.has(ending));
}

/** Returns a text without these characters at its end. */
function withoutTrailing(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}
