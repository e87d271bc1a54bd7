import { pino } from 'pino';
import { createApp } from '../../src/api/app.ts';
import type { Deps } from '../../src/api/deps.ts';
import { loadConfig } from '../../src/config.ts';

/**
 * Returns the OpenAPI document in its served form. It comes from the routes' schemas and the configuration alone:
 * nothing is connected, and no request is served.
 */
export async function servedDocument(): Promise<string> {
  const config = loadConfig({
    DATABASE_URL: 'postgres://127.0.0.1:1/none',
    JWT_SECRET: 'x'.repeat(32),
    SECRET_KEYS: `check:${Buffer.alloc(32).toString('base64')}`,
  });
  const app = await createApp({ config, closing: new AbortController() } as Deps, pino({ level: 'silent' }));
  await app.ready();
  const text = JSON.stringify(app.swagger());
  await app.close();
  return text;
}
