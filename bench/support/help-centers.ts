import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { z } from 'zod';

const FOLDER = new URL('../ai/centers/', import.meta.url);

/**
 * The product learns to tell an answer from a mention on these: the reader on `reading` centers, and the network, one of
 * whose inputs is the reader's number, on `learning` and `tuning` ones. The questions of `tuning` ones also choose between
 * ways to do that. `held` ones are measured once it is fixed.
 */
export const Purpose = z.enum(['reading', 'learning', 'tuning', 'held']);
export type Purpose = z.infer<typeof Purpose>;

const Language = z.enum(['en', 'de', 'es', 'pl', 'fr', 'it', 'pt', 'nl', 'sv', 'cs', 'tr']);

const Article = z.strictObject({
  slug: z.string().min(1),
  title: z.string().min(1),
  content_markdown: z.string().min(1),
});

const Question = z.strictObject({
  language: Language,
  text: z.string().min(1),
  right: z.array(z.string()).describe('The slugs of the articles that answer it. Empty: none does.'),
  hard: z
    .boolean()
    .optional()
    .describe(
      'Whether it has other words than its article, or asks for a fact that stands next to those of an article.',
    ),
});
export type CenterQuestion = z.infer<typeof Question>;

const HelpCenter = z
  .strictObject({
    name: z.string().min(1),
    purpose: Purpose,
    language: Language.describe('The language of the articles.'),
    articles: z.array(Article).min(8).max(16),
    questions: z.array(Question).min(1),
  })
  .superRefine(({ articles, questions }, context) => {
    const slugs = new Set(articles.map(({ slug }) => slug));
    if (slugs.size < articles.length) context.addIssue('two articles have one slug');
    for (const { text, right } of questions)
      for (const slug of right) if (!slugs.has(slug)) context.addIssue(`no article ${slug} answers “${text}”`);
  });

/** A small help center of ours with questions in its customers' words. */
export type HelpCenter = z.infer<typeof HelpCenter> & { slug: string };

/** Reads the help centers of a purpose. Throws if a file does not match the schema. */
export function readHelpCenters(purpose: Purpose): HelpCenter[] {
  const centers = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => ({ slug: basename(file, '.json'), ...readHelpCenter(file) }));
  return centers.filter((center) => center.purpose === purpose);
}

function readHelpCenter(file: string): z.infer<typeof HelpCenter> {
  const { data, error } = HelpCenter.safeParse(JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')));
  if (error) throw new Error(`${file} is not a help center: ${z.prettifyError(error)}`);
  return data;
}
