import { fi, hu, tr } from './agglutinative.rules.ts';
import { bg, el, ru, uk } from './cyrillic-greek.rules.ts';
import { ja, ko, zh } from './east-asian.rules.ts';
import { da, de, en, nl, no, sv } from './germanic.rules.ts';
import type { LanguagePhrases } from './phrases.rules.ts';
import { es, fr, it, pt, ro } from './romance.rules.ts';
import { cs, hr, pl, sk } from './slavic-latin.rules.ts';
import { id, th, vi } from './south-east-asian.rules.ts';
import { ar, fa, he, hi } from './western-asian.rules.ts';

/** Phrases by language code. A language without phrases uses those of the org's default language, or else English. */
export const PHRASES: ReadonlyMap<string, LanguagePhrases> = new Map(
  Object.entries({
    ar,
    bg,
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
    hr,
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
    th,
    tr,
    uk,
    vi,
    zh,
  }),
);
