import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { JSON_TYPE, operationsOf } from '../../src/api/edge/documents/openapi-document/document.ts';
import { EXAMPLES, EXAMPLES_FILE, type Example } from '../../src/api/edge/documents/openapi-document/examples.ts';
import { servedDocument } from '../openapi/document.ts';
import { isTrueExample } from '../openapi/examples.ts';
import { type Exchange, scoreOf } from './exchange.ts';
import { oddTextsIn } from './odd-texts.ts';
import { shortened, stable } from './stable.ts';

// Writes the examples of the OpenAPI document from what tests sent and got: `node scripts/examples/main.ts FOLDER`, with
// the files that record.ts has written there. Examples that the document still allows stay, unless they have odd texts.
const [folder = ''] = process.argv.slice(2);
const exchanges = globSync('*.ndjson', { cwd: folder }).flatMap((file) =>
  readFileSync(`${folder}/${file}`, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line): Exchange => JSON.parse(line)),
);
const document = JSON.parse(await servedDocument());

const examples = operationsOf(document).flatMap(({ operation }): [string, Example][] => {
  const id = operation.operationId ?? '';
  const body = operation.requestBody?.content?.[JSON_TYPE]?.schema;
  const isTrue = (example: Example) => isTrueExample(document, operation, example) && oddTextsIn(example).length === 0;
  const kept = EXAMPLES[id];
  if (kept !== undefined && isTrue(kept)) return [[id, shortened(kept)]];
  const found = exchanges
    .filter(({ operationId }) => operationId === id)
    .toSorted((a, b) => scoreOf(b) - scoreOf(a))
    .map(
      ({ status, request, type, answer }): Example =>
        stable({
          status: String(status),
          ...(type !== undefined && { type }),
          ...(body !== undefined && { request: request ?? undefined }),
          answer,
        }),
    )
    .find(isTrue);
  return found === undefined ? [] : [[id, found]];
});
writeFileSync(
  EXAMPLES_FILE,
  `${JSON.stringify(Object.fromEntries(examples.toSorted(([a], [b]) => (a < b ? -1 : 1))), null, 1)}\n`,
);
console.log(`${examples.length} of ${operationsOf(document).length} operations have an example`);
