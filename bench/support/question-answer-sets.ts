import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { newId } from '../../src/ids.ts';
import type { KnowledgeItem } from '../../src/knowledge/index/items.schema.ts';

/** Questions whose right items are known. */
export interface AnswerSet {
  items: KnowledgeItem[];
  /** `right`: the ids of the items that have the answer. */
  questions: { text: string; right: string[] }[];
}

const itemOf = (title: string, markdown: string, url: string | null): KnowledgeItem => ({
  id: newId(),
  sourceType: 'help_center',
  source: 'help_center',
  title,
  markdown,
  url,
  visibility: 'public',
  language: 'en',
  channels: [],
  segments: [],
  isDraft: false,
});

const readJson = <Type>(path: string, schema: z.ZodType<Type>): Type =>
  schema.parse(JSON.parse(readFileSync(path, 'utf8')));

const Texts = z
  .union([z.string().transform((text) => [text]), z.array(z.string().nullable())])
  .transform((texts) => [...texts].flatMap((text) => text ?? []));
const StackFaq = z.object({
  root: z.object({ qapair: z.array(z.object({ question: z.string(), answer: Texts, rephr: Texts })) }),
});
/** What stands in the place of a rephrased question that nobody wrote. */
const NO_QUESTION = '*';

/** Reads data/StackFAQ of ML-Recipes/BERT-FAQ: threads with the same question in other words. */
export function readStackFaq(folder: string): AnswerSet {
  const { root } = readJson(join(folder, 'stackExchange-FAQ.json'), StackFaq);
  const threads = root.qapair.map(({ question, answer, rephr }) => ({
    item: itemOf(question, answer.join('\n\n'), null),
    asked: rephr.filter((text) => text !== NO_QUESTION),
  }));
  return {
    items: threads.map(({ item }) => item),
    questions: threads.flatMap(({ item, asked }) => asked.map((text) => ({ text, right: [item.id] }))),
  };
}

const Chunks = z.array(z.object({ chunk_link: z.string(), chunk_heading: z.string(), text: z.string() }));
const DocumentQuestions = z.array(z.object({ question: z.string(), correct_chunks: z.array(z.string()) }));

/** Reads skills/retrieval_augmented_generation of anthropics/claude-cookbooks: sections of a documentation, and questions. */
export function readCookbook(folder: string): AnswerSet {
  const sections = readJson(join(folder, 'data', 'anthropic_docs.json'), Chunks);
  const asked = readJson(join(folder, 'evaluation', 'docs_evaluation_dataset.json'), DocumentQuestions);
  const items = sections.map(({ chunk_heading, text, chunk_link }) => itemOf(chunk_heading, text, chunk_link));
  const idsOf = Map.groupBy(items, ({ url }) => url);
  return {
    items,
    questions: asked.flatMap(({ question, correct_chunks }) => {
      const right = correct_chunks.flatMap((link) => idsOf.get(link) ?? []).map(({ id }) => id);
      return right.length === 0 ? [] : [{ text: question, right }];
    }),
  };
}
