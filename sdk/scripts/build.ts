import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@hey-api/openapi-ts';
import { build } from 'esbuild';
import { servedDocument } from '../../scripts/openapi/document.ts';

// Builds the SDK into dist/: operations and types from the OpenAPI document, one file of code without dependencies, and
// its declarations. Does nothing where dist/ is of this document and these sources.
const root = join(import.meta.dirname, '..');
const path = (name: string) => join(root, name);
const TEXTS = ['text/csv', 'application/x-ndjson'];
const stamp = path('dist/.sources');

const document = await servedDocument();
const hash = createHash('sha256').update(document);
for (const file of globSync(['src/**/*.ts', 'scripts/*.ts', '*.json'], { cwd: root }).sort())
  hash.update(file).update(readFileSync(path(file)));
const digest = hash.digest('hex');

if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== digest) {
  await generate();
  rmSync(path('dist'), { recursive: true, force: true });
  await bundle();
  declare();
  writeFileSync(stamp, digest);
}

/** Writes the operations with their types, each with its summary and description from the document. */
async function generate(): Promise<void> {
  await createClient({
    input: withTexts<Record<string, unknown>>(JSON.parse(document)),
    output: { path: path('generated'), module: { extension: '.ts' } },
    logs: { level: 'silent' },
    plugins: [
      '@hey-api/typescript',
      {
        name: '@hey-api/sdk',
        operations: { strategy: 'single', containerName: 'Operations' },
        responseStyle: 'data',
      },
      { name: '@hey-api/client-fetch', throwOnError: true },
    ],
  });
}

interface OpenApi {
  paths: Record<string, Record<string, { requestBody?: { content: Record<string, { schema: { format?: string } }> } }>>;
}

/** Types bodies of CSV and of lines of JSON as strings. The document describes them as files, for other generators. */
function withTexts<Document extends object>(document: Document & OpenApi): Document {
  for (const operation of Object.values(document.paths).flatMap((path) => Object.values(path)))
    for (const [type, { schema }] of Object.entries(operation.requestBody?.content ?? {}))
      if (TEXTS.includes(type)) delete schema.format;
  return document;
}

async function bundle(): Promise<void> {
  await build({
    entryPoints: [path('src/index.ts')],
    outfile: path('dist/index.js'),
    bundle: true,
    format: 'esm',
    target: 'es2022',
    minify: true,
    lineLimit: 160, // Node.js prints the line of an error that nobody catches
  });
}

function declare(): void {
  const { status } = spawnSync('tsc', ['-p', root], { stdio: 'inherit' });
  if (status !== 0) throw new Error('The declarations of the SDK could not be written');
}
