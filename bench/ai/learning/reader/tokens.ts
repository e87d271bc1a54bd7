import { readFileSync, writeFileSync } from 'node:fs';
import { loadModel } from '../../../../src/embedder/encoding.ts';
import { fetchModel } from '../../../../src/embedder/fetch-model.ts';
import { DEFAULT_MODELS_FOLDER } from '../../../../src/embedder/model-folder.ts';
import { readPackedModel } from '../../../../src/embedder/packed-model.ts';
import { createTokenizer } from '../../../../src/embedder/tokenizer.rules.ts';
import { chunksOf } from '../../../../src/knowledge/index/chunking.rules.ts';
import { type HelpCenter, readHelpCenters } from '../../../support/help-centers.ts';
import { note } from '../../../support/report.ts';

/** Writes the tokens of all help centers that are learned on, for train.py: a line each, with the cosine of each question and passage. */
const [file] = process.argv.slice(2);
if (file === undefined) throw new Error('Name the file to write');

const files = await fetchModel(DEFAULT_MODELS_FOLDER);
const { encode } = await loadModel(files);
const tokenizer = createTokenizer(readPackedModel(readFileSync(files.header)).vocabulary);

async function passagesOf({ articles }: HelpCenter) {
  const texts = articles.flatMap(({ slug, title, content_markdown }) =>
    chunksOf(content_markdown).map(({ start, end, path }) => ({
      slug,
      text: `${[title, ...path].join(' > ')}\n\n${content_markdown.slice(start, end).trim()}`,
    })),
  );
  return Promise.all(
    texts.map(async ({ slug, text }) => ({
      slug,
      tokens: tokenizer.encode(`passage: ${text}`),
      vector: (await encode(text, 'passage')).vector,
    })),
  );
}

async function lineOf(center: HelpCenter): Promise<string> {
  const passages = await passagesOf(center);
  const questions = await Promise.all(
    center.questions.map(async ({ text, right, hard = false }) => {
      const { vector } = await encode(text, 'query');
      const cosines = passages.map((passage) =>
        passage.vector.reduce((sum, value, nth) => sum + value * (vector[nth] ?? 0), 0),
      );
      return { tokens: tokenizer.encode(`query: ${text}`), right, hard, cosines };
    }),
  );
  const { slug, purpose } = center;
  return JSON.stringify({ slug, purpose, passages: passages.map(({ vector: _, ...rest }) => rest), questions });
}

const centers = (['reading', 'learning', 'tuning'] as const).flatMap(readHelpCenters);
const lines: string[] = [];
for (const center of centers) lines.push(await lineOf(center));
writeFileSync(file, `${lines.join('\n')}\n`);
note(`${lines.length} help centers in ${file}`);
