import { parentPort } from 'node:worker_threads';
import { readPage } from './page.ts';
import { ExtractionError, type Failure, type Page, type ThreadResult } from './service.ts';

// Answers each page with its content or the reason for a failure. The first message announces readiness.
parentPort?.on(
  'message',
  (page: Page) =>
    void readPage(page).then(
      (read) => postResult({ read }),
      (error) => postResult({ failure: failureOf(error) }),
    ),
);
parentPort?.postMessage('ready');

const postResult = (message: ThreadResult) => parentPort?.postMessage(message);

function failureOf(error: unknown): Failure {
  if (error instanceof ExtractionError) return { code: error.code, message: error.message };
  return {
    code: 'unreadable',
    message: `The page cannot be read: ${error instanceof Error ? error.message : String(error)}`,
  };
}
