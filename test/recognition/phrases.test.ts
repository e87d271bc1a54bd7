import { readdirSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { SENTENCE_KEYS } from '../../src/recognition/phrases/phrases.rules.ts';

const FOLDER = new URL('../../src/recognition/phrases/', import.meta.url);
const files = readdirSync(FOLDER).filter((name) => name.endsWith('.json'));

const Patterns = z.array(z.string().regex(/^[^;\s](?:[^;\n]*[^;\s])?$/)).min(1);
const Phrases = z.strictObject({
  person: Patterns,
  personAlone: Patterns,
  notBefore: Patterns,
  notAfter: Patterns,
  polite: Patterns,
  thanks: Patterns,
  yes: Patterns,
  no: Patterns,
  unclear: Patterns.optional(),
  solved: Patterns,
  notSolved: Patterns,
  sentences: z.record(z.enum(SENTENCE_KEYS), z.string().regex(/^\S.*\S$/)),
});

it.each(files)('%s has the phrases of a language, and nothing else', (name) => {
  expect(name).toMatch(/^[a-z]{2}\.json$/);
  const phrases = Phrases.parse(JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8')));
  expect(phrases.sentences.confirm_question).toContain('{action}');
});
