import { compileErrors, validate } from '@readme/openapi-parser';
import { pino } from 'pino';
import { createApp } from '../src/api/app.ts';
import type { Deps } from '../src/api/deps.ts';
import { loadConfig } from '../src/config.ts';

const METHODS = ['get', 'put', 'post', 'delete', 'patch'];

// The document comes from the routes' schemas and the configuration alone: nothing is connected, and no request is
// served.
const config = loadConfig({
  DATABASE_URL: 'postgres://127.0.0.1:1/none',
  JWT_SECRET: 'x'.repeat(32),
  SECRET_KEYS: `check:${Buffer.alloc(32).toString('base64')}`,
});
const app = await createApp({ config, closing: new AbortController() } as Deps, pino({ level: 'silent' }));
await app.ready();
const document = JSON.parse(JSON.stringify(app.swagger())); // in its served form
await app.close();

const operations = Object.values<object>(document.paths).flatMap((path) => METHODS.filter((method) => method in path));
const result = await validate(structuredClone(document));
if (!document.openapi.startsWith('3.1')) throw new Error(`The document says OpenAPI ${document.openapi}, not 3.1`);
if (!result.valid) throw new Error(compileErrors(result));
console.log(`OpenAPI ${document.openapi}: ${operations.length} operations`);
