import { parentPort } from 'node:worker_threads';
import { numberedPartsOf } from '../index/parts.rules.ts';
import { createWordNumbering } from '../index/word-counts.rules.ts';
import type { ThreadResult, ThreadTask } from './contract.ts';
import { failureOf } from './failures.ts';
import { readPage } from './page.ts';

const numbering = createWordNumbering();

// Answers each task with its result or the reason for a failure. The first message announces readiness.
parentPort?.on('message', (task: ThreadTask) => void answer(task).then(postResult));
parentPort?.postMessage('ready');

async function answer(task: ThreadTask): Promise<ThreadResult> {
  try {
    return 'page' in task ? { read: await readPage(task.page) } : { split: numberedPartsOf(task.text, numbering) };
  } catch (error) {
    return { failure: failureOf(error) };
  }
}

const postResult = (message: ThreadResult) => parentPort?.postMessage(message);
