import type { Schemas } from '../../../api/client';

type Language = Schemas['Language'];

/** All languages of the API. The type refuses a list that lacks one. */
const CODES: Record<Language, true> = {
  en: true,
  fr: true,
  de: true,
  nl: true,
  pl: true,
  pt: true,
  es: true,
  it: true,
  ru: true,
  ja: true,
  ko: true,
  zh: true,
  ar: true,
  tr: true,
  sv: true,
  da: true,
  no: true,
  fi: true,
  el: true,
  cs: true,
  hu: true,
  th: true,
  vi: true,
  id: true,
  he: true,
  hi: true,
  uk: true,
  ro: true,
  bg: true,
  hr: true,
  sk: true,
  sl: true,
  sr: true,
  et: true,
  lv: true,
  lt: true,
  is: true,
  ga: true,
  ms: true,
  tl: true,
  fa: true,
  bn: true,
  ta: true,
  te: true,
  ur: true,
  sw: true,
  zu: true,
  af: true,
  sq: true,
  hy: true,
  az: true,
  eu: true,
  be: true,
  bs: true,
  ca: true,
  cy: true,
};

const names = new Intl.DisplayNames('en', { type: 'language' });

/** The languages with their names, by name. */
export const LANGUAGES = (Object.keys(CODES) as Language[])
  .map((code) => [code, names.of(code) ?? code] as const)
  .sort(([, one], [, other]) => one.localeCompare(other));
