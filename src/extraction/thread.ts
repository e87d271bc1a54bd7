import { parentPort } from 'node:worker_threads';
import { MAX_COUNTED_LENGTH, numberedPartsOf, type SplitText } from '../knowledge/index/parts.rules.ts';
import { createWordNumbering } from '../knowledge/index/word-counts.rules.ts';
import { type Page, type ThreadResult, type ThreadTask, textOf } from './contract.ts';
import { failureOf } from './failures.ts';
import { readPage } from './page.ts';
import { textHashOf } from './text-hash.ts';

/** A page that took longer is split by another task, with the time limit for itself. */
const MAX_READ_BEFORE_SPLIT_MS = 500;
const numbering = createWordNumbering();

let last: Promise<void> = Promise.resolve();

// Answers one task after another with its result or the reason for a failure. The first message announces readiness.
parentPort?.on('message', (task: ThreadTask) => {
  last = last.then(() => answer(task)).then(postResult);
});
parentPort?.postMessage('ready');

async function answer(task: ThreadTask): Promise<ThreadResult> {
  try {
    return 'page' in task ? await readAndSplit(task.page) : { split: numberedPartsOf(task.text, numbering) };
  } catch (error) {
    return { failure: failureOf(error) };
  }
}

async function readAndSplit(page: Page): Promise<ThreadResult<{ page: Page }>> {
  const startedAt = performance.now();
  const read = await readPage(page);
  const text = textOf(read, page.url);
  const mayBeStored = !read.isNoindex && !read.looksScripted;
  const isInTime = performance.now() - startedAt < MAX_READ_BEFORE_SPLIT_MS;
  return mayBeStored && isInTime && isToSplit(page, text)
    ? { read, split: numberedPartsOf(text, numbering) }
    : { read };
}

const isToSplit = ({ split }: Page, { markdown }: SplitText): boolean =>
  split !== undefined &&
  markdown !== '' &&
  markdown.length <= MAX_COUNTED_LENGTH &&
  (split.unlessHash === null || textHashOf(markdown) !== split.unlessHash);

function postResult(result: ThreadResult): void {
  const counts = 'failure' in result ? undefined : result.split?.parts[0]?.counts;
  parentPort?.postMessage(result, counts === undefined ? [] : [counts.numbers.buffer as ArrayBuffer]);
}
