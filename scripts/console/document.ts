import { mkdirSync, writeFileSync } from 'node:fs';
import { pino } from 'pino';
import { createApp } from '../../src/api/app.ts';
import type { Deps } from '../../src/api/deps.ts';
import { loadConfig } from '../../src/config.ts';

// Writes the OpenAPI document, from which the console's types are generated. Nothing is connected, and no request is
// served.
const config = loadConfig({
  DATABASE_URL: 'postgres://127.0.0.1:1/none',
  JWT_SECRET: 'x'.repeat(32),
  SECRET_KEYS: `check:${Buffer.alloc(32).toString('base64')}`,
});
const app = await createApp({ config, closing: new AbortController() } as Deps, pino({ level: 'silent' }));
await app.ready();
const folder = new URL('../../console/generated/', import.meta.url);
mkdirSync(folder, { recursive: true });
writeFileSync(new URL('openapi.json', folder), JSON.stringify(app.swagger()));
await app.close();
