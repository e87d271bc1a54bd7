import type { FormFault } from './form.rules.ts';
import words from './form-words.json' with { type: 'json' };

/** The words of the page of a form. `{n}` is a number. */
export type FormWords = (typeof words)['en'];

/** The same languages as those of the help center, by language code. */
const WORDS = new Map<string, FormWords>(Object.entries(words));

/** The languages that have words, by their codes. */
export const FORM_LANGUAGES: readonly string[] = [...WORDS.keys()];

/** Returns the words in one of these languages. */
export const formWordsIn = (language: string): FormWords => WORDS.get(language) ?? words.en;

const WORD_OF: Record<FormFault['kind'], keyof FormWords> = {
  absent: 'required',
  unticked: 'ticked',
  'no-number': 'number',
  'no-email': 'email',
  'no-option': 'option',
  'too-long': 'long',
  'no-text': 'required',
  'no-truth': 'ticked',
};

/** Says what is wrong with a field. */
export const sentenceOf = (words: FormWords, fault: FormFault): string =>
  words[WORD_OF[fault.kind]].replace('{n}', 'maximum' in fault ? String(fault.maximum) : '');
