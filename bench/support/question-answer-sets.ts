import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
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

const Faqs = z.array(z.object({ question: z.string(), answer: z.string(), source: z.string() }));
const Paraphrases = z.array(z.object({ question_1: z.string(), question_2: z.string(), similar: z.string() }));
/** The source whose questions were put in other words. */
const PARAPHRASED_SOURCE = 'Center for Disease Control and Prevention (CDC)';

const readCsv = <Type>(path: string, schema: z.ZodType<Type>): Type =>
  schema.parse(parse(readFileSync(path), { columns: true, bom: true }));

/** Reads data of deepset-ai/COVID-QA: the questions and answers of a health authority, and its questions in other words. */
export function readCovidQa(folder: string): AnswerSet {
  const faqs = readCsv(join(folder, 'faqs', 'faq_covidbert.csv'), Faqs);
  const asked = readCsv(join(folder, 'eval_question_similarity_en.csv'), Paraphrases);
  const items = faqs
    .filter(({ source }) => source === PARAPHRASED_SOURCE)
    .map(({ question, answer }) => itemOf(question.trim(), answer, null));
  const itemsOf = Map.groupBy(items, ({ title }) => title);
  return {
    items,
    questions: asked
      .filter(({ similar }) => similar === '1')
      .map(({ question_1, question_2 }) => ({
        text: question_2,
        right: (itemsOf.get(question_1.trim()) ?? []).map(({ id }) => id),
      })),
  };
}

const Squad = z.object({
  data: z.array(
    z.object({
      title: z.string(),
      paragraphs: z.array(z.object({ context: z.string(), qas: z.array(z.object({ question: z.string() })) })),
    }),
  ),
});

/** Reads xquad.en.json of google-deepmind/xquad: paragraphs of articles, and questions that people asked of each. */
export function readXquad(folder: string): AnswerSet {
  const { data } = readJson(join(folder, 'xquad.en.json'), Squad);
  const sections = data.flatMap(({ title, paragraphs }) =>
    paragraphs.map(({ context, qas }) => ({
      item: itemOf(title.replaceAll('_', ' '), context, null),
      asked: qas.map(({ question }) => question),
    })),
  );
  return {
    items: sections.map(({ item }) => item),
    questions: sections.flatMap(({ item, asked }) => asked.map((text) => ({ text, right: [item.id] }))),
  };
}
