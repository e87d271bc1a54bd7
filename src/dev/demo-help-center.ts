import { readFile } from 'node:fs/promises';
import { request } from 'undici';

const CONTENT = new URL('demo-help-center.json', import.meta.url);

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
