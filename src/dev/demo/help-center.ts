import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { messageOf } from '../../errors.ts';

const CONTENT = new URL('help-center.json', import.meta.url);
const MAX_WAIT_MS = 120_000;
const POLL_MS = 500;

/** Gives the demo org a help center, and has the AI answer on the channels `api` and `web`. Repeated, it changes nothing. */
export async function loadDemoHelpCenter(api: string, apiKey: string): Promise<void> {
  const call = async (method: 'PUT' | 'PATCH', path: string, body: string) => {
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
    const { statusCode, body: answer } = await request(`${api}${path}`, { method, headers, body });
    if (statusCode !== 200) throw new Error(`${method} ${path} answered ${statusCode}: ${await answer.text()}`);
    await answer.dump();
  };
  await call('PUT', '/help-center/content', await readFile(CONTENT, 'utf8'));
  for (const channel of ['api', 'web'])
    await call('PATCH', '/autopilot', JSON.stringify({ channel, autopilot_enabled: true }));
}

/** Returns once the threshold of the demo org's answers is measured: before, the first question waits for it. Throws after two minutes. */
export async function untilDemoAnswers(api: string, apiKey: string): Promise<void> {
  const headers = { authorization: `Bearer ${apiKey}` };
  let reason = 'its answers were not measured';
  for (const giveUpAt = performance.now() + MAX_WAIT_MS; performance.now() < giveUpAt; await sleep(POLL_MS)) {
    try {
      const { body } = await request(`${api}/autopilot/calibration`, { headers });
      const answer = await body.json();
      if (answer instanceof Object && 'measured_at' in answer && answer.measured_at !== null) return;
    } catch (error) {
      reason = messageOf(error); // the api may be starting again
    }
  }
  throw new Error(`The AI of the demo org is not ready after ${MAX_WAIT_MS / 1_000} s: ${reason}`);
}
