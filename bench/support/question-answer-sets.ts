import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { parse } from 'csv-parse/sync';
import { z } from 'zod';
import { newId } from '../../src/ids.ts';
import type { KnowledgeItem } from '../../src/knowledge/index/items.schema.ts';
import { cutOf } from '../../src/knowledge/index/prose.rules.ts';

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

const AwsQuestions = z.array(
  z.object({ Question: z.string(), Document_True: z.string().transform((path) => path.trim()) }),
);

/**
 * Reads siagholami/aws-documentation: questions of customers, and the guides that have the answers, one item a page. Guides
 * that no question is about are left out.
 */
export function readAwsDocs(folder: string): AnswerSet {
  const asked = readCsv(join(folder, 'QA_true.csv'), AwsQuestions);
  const guides = [...new Set(asked.map(({ Document_True }) => dirname(Document_True)))];
  const pages = guides.flatMap((guide) => pagesOf(folder, guide).map((path) => ({ path, item: pageOf(path) })));
  const idOf = new Map(pages.map(({ path, item }) => [join(nameOfGuide(folder, path), basename(path)), item.id]));
  return {
    items: pages.map(({ item }) => item),
    questions: asked.map(({ Question, Document_True }) => ({
      text: Question.trim(),
      right: [idOf.get(Document_True)].filter((id) => id !== undefined),
    })),
  };
}

const pagesOf = (folder: string, guide: string): string[] =>
  readdirSync(join(folder, 'documents', guide), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .map((path) => join(folder, 'documents', guide, path));

const nameOfGuide = (folder: string, path: string): string =>
  relative(join(folder, 'documents'), path).split(sep)[0] ?? '';

function pageOf(path: string): KnowledgeItem {
  const markdown = readFileSync(path, 'utf8').replace(/<a name="[^"]*"><\/a>/g, '');
  return itemOf(/^#+ (.+)$/m.exec(markdown)?.[1] ?? basename(path, '.md'), markdown, null);
}

const References = z.string().transform((json) => z.array(z.object({ content: z.string() })).parse(JSON.parse(json)));
const ExcerptQuestions = z.array(z.object({ question: z.string(), references: References, corpus_id: z.string() }));
const PART_CHARACTERS = { least: 700, most: 1_500 };

/** Reads general_evaluation_data of brandonstarxel/chunking_evaluation: five long texts, cut into items, and questions. */
export function readExcerpts(folder: string): AnswerSet {
  const asked = readCsv(join(folder, 'questions_df.csv'), ExcerptQuestions);
  const texts = new Map(
    [...new Set(asked.map(({ corpus_id }) => corpus_id))].map((name) => {
      const text = readFileSync(join(folder, 'corpora', `${name}.md`), 'utf8');
      return [name, { text, parts: partsOf(text).map((part) => ({ ...part, item: itemOf(name, part.text, null) })) }];
    }),
  );
  return {
    items: [...texts.values()].flatMap(({ parts }) => parts.map(({ item }) => item)),
    questions: asked.flatMap(({ question, references, corpus_id }) => {
      const { text, parts } = texts.get(corpus_id) ?? { text: '', parts: [] };
      const places = references.map(({ content }) => ({ from: text.indexOf(content), length: content.length }));
      const found = places.filter(({ from }) => from !== -1);
      const right = parts.filter(({ start, end }) =>
        found.some(({ from, length }) => from < end && from + length > start),
      );
      return right.length === 0 ? [] : [{ text: question, right: right.map(({ item }) => item.id) }];
    }),
  };
}

function partsOf(text: string): { text: string; start: number; end: number }[] {
  const parts = [];
  for (let start = 0; start < text.length; ) {
    const rest = text.slice(start);
    const length =
      rest.length <= PART_CHARACTERS.most ? rest.length : cutOf(rest, PART_CHARACTERS.least, PART_CHARACTERS.most);
    parts.push({ text: rest.slice(0, length), start, end: start + length });
    start += length;
  }
  return parts;
}
