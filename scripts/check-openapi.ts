import { brotliCompressSync } from 'node:zlib';
import { compileErrors, validate } from '@readme/openapi-parser';
import { brotliOf } from '../src/api/edge/documents/cached-documents.ts';
import { DOCUMENT_QUALITY } from '../src/api/edge/documents/openapi.ts';
import { operationsOf } from '../src/api/edge/documents/openapi-document/document.ts';
import { servedDocument } from './openapi/document.ts';
import { examplesIn } from './openapi/examples.ts';
import { problemsOf } from './openapi/problems.ts';

/** For each operation, half of what it was before schemas and answers were written once. */
const MAX_BYTES_PER_OPERATION = 2_680;
const MAX_COMPRESSED_BYTES_PER_OPERATION = 272;
const NOT_PLAIN = 'its tests send or get what no customer would write';
/** Operations without an example, and why. Any other gets one from a test by scripts/examples/main.ts. The list only shrinks. */
const WITHOUT_EXAMPLE: Record<string, string> = {
  streamCrawl: 'a stream has no end, and OpenAPI no form for its events',
  streamEvents: 'most of its answers are streams',
  getWorkflowDefinitions: 'its answer is longer than an example may be',
  authenticateUser: 'its token is longer than an example may be',
  getEvalResult: NOT_PLAIN,
  getSequenceForecast: NOT_PLAIN,
};

const text = await servedDocument();
const document = JSON.parse(text);
const result = await validate(structuredClone(document));
if (!document.openapi.startsWith('3.1')) throw new Error(`The document says OpenAPI ${document.openapi}, not 3.1`);
if (!result.valid) throw new Error(compileErrors(result));
const operations = operationsOf(document).length;
const maxBytes = operations * MAX_BYTES_PER_OPERATION;
if (Buffer.byteLength(text) > maxBytes) throw new Error(`The document has ${text.length} bytes, over ${maxBytes}`);
const compressed = brotliCompressSync(text, brotliOf(text, DOCUMENT_QUALITY)).length; // as the API does
const maxCompressedBytes = operations * MAX_COMPRESSED_BYTES_PER_OPERATION;
if (compressed > maxCompressedBytes)
  throw new Error(`The compressed document has ${compressed} bytes, over ${maxCompressedBytes}`);
const problems = problemsOf(document);
if (problems.length > 0) throw new Error(`The document has ${problems.length} problems:\n${problems.join('\n')}`);
const { missing, untrue, odd } = examplesIn(document);
if (odd.length > 0) throw new Error(`No customer would write what these examples have:\n${odd.join('\n')}`);
if (untrue.length > 0) throw new Error(`The document does not allow the examples of ${untrue.join(', ')}`);
const unexplained = missing.filter((id) => !(id in WITHOUT_EXAMPLE));
if (unexplained.length > 0)
  throw new Error(
    `These operations have no example from a test (scripts/examples/record.ts): ${unexplained.join(', ')}`,
  );
const explained = Object.keys(WITHOUT_EXAMPLE).filter((id) => !missing.includes(id));
if (explained.length > 0) throw new Error(`These have an example, or are no operations: ${explained.join(', ')}`);
console.log(`OpenAPI ${document.openapi}: ${operations} operations, ${text.length} bytes, ${compressed} compressed`);
