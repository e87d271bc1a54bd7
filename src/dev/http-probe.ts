import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const LIMIT_MS = 60_000;

/** Waits until an address answers 200; fails when it has not within a minute. */
export async function untilAnswers(url: string, logFile: string): Promise<void> {
  const deadline = performance.now() + LIMIT_MS;
  while (!(await answers(url))) {
    if (performance.now() > deadline)
      throw new Error(`${url} did not answer within ${LIMIT_MS / 1000} s, see ${logFile}`);
    await sleep(50);
  }
}

async function answers(url: string): Promise<boolean> {
  try {
    const request = get(url, { timeout: 2_000, agent: false });
    request.on('timeout', () => request.destroy());
    const [response]: IncomingMessage[] = await once(request, 'response');
    response?.resume();
    return response?.statusCode === 200;
  } catch {
    return false;
  }
}
