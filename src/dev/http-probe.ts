import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const TIMEOUT_MS = 60_000;

/** Waits until an address answers 200. Fails after a minute. */
export async function waitUntilResponding(url: string, logFile: string): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS;
  while (!(await isResponding(url))) {
    if (performance.now() > deadline)
      throw new Error(`${url} did not answer within ${TIMEOUT_MS / 1000} s, see ${logFile}`);
    await sleep(50);
  }
}

async function isResponding(url: string): Promise<boolean> {
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
