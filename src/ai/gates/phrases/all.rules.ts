import { ar, fa, he, hi, id, ja, ko, vi, zh } from './asian.rules.ts';
import { da, de, en, nl, no, sv } from './germanic.rules.ts';
import { el, fi, hu, tr } from './other-european.rules.ts';
import type { LanguagePhrases } from './phrases.rules.ts';
import { es, fr, it, pt, ro } from './romance.rules.ts';
import { cs, pl, ru, sk, uk } from './slavic.rules.ts';

/** Phrases by language code. A language without phrases uses those of the org's default language, or else English. */
export const PHRASES: Readonly<Record<string, LanguagePhrases>> = {
  ar,
  cs,
  da,
  de,
  el,
  en,
  es,
  fa,
  fi,
  fr,
  he,
  hi,
  hu,
  id,
  it,
  ja,
  ko,
  nl,
  no,
  pl,
  pt,
  ro,
  ru,
  sk,
  sv,
  tr,
  uk,
  vi,
  zh,
};
