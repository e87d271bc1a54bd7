import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

/** A page of the Web Content Extraction Benchmark and its annotated main content. */
export interface AnnotatedPage {
  id: string;
  kind: string;
  url: string;
  bytes: Uint8Array;
  content: string;
}

interface Annotation {
  url?: string;
  _internal?: { page_type?: { primary?: string } };
  ground_truth?: { main_content?: string | null };
}

/** Yields the pages of one part of the benchmark, one at a time. Its folder contains ground-truth/ and html/. */
export function* annotatedPages(folder: string): Generator<AnnotatedPage> {
  for (const file of readdirSync(join(folder, 'ground-truth')).sort()) {
    const id = file.replace(/\.json$/, '');
    const annotation = JSON.parse(readFileSync(join(folder, 'ground-truth', file), 'utf8')) as Annotation;
    yield {
      id,
      kind: annotation._internal?.page_type?.primary ?? 'article',
      url: annotation.url || 'https://unknown.example/',
      bytes: gunzipSync(readFileSync(join(folder, 'html', `${id}.html.gz`))),
      content: annotation.ground_truth?.main_content ?? '',
    };
  }
}

/** Returns the word F1 score of two texts as defined by the benchmark, from 0 to 1. */
export function wordF1(text: string, reference: string): number {
  const words = wordsOf(text);
  const expected = wordsOf(reference);
  if (words.length === 0 || expected.length === 0) return words.length === expected.length ? 1 : 0;
  const left = new Map<string, number>();
  for (const word of expected) left.set(word, (left.get(word) ?? 0) + 1);
  let common = 0;
  for (const word of words) {
    const count = left.get(word) ?? 0;
    if (count === 0) continue;
    left.set(word, count - 1);
    common += 1;
  }
  return (2 * common) / (words.length + expected.length);
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
