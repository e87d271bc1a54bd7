import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from './stack/api.ts';

const RETRY_MS = 200;
const MAX_TRIES = 100;

/**
 * Repeats a call answered with 503, or with 429 as its org has too many at work, as clients do. For tests with more
 * concurrent requests than connections.
 */
export async function retryUnavailable(call: () => Promise<Answer>): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    const answer = await call();
    if (![429, 503].includes(answer.status) || tries === MAX_TRIES) return answer;
    await sleep(RETRY_MS);
  }
}
