import { mkdirSync, writeFileSync } from 'node:fs';
import { servedDocument } from '../openapi/document.ts';

// Writes the OpenAPI document, from which the console's types are generated.
const folder = new URL('../../console/generated/', import.meta.url);
mkdirSync(folder, { recursive: true });
writeFileSync(new URL('openapi.json', folder), await servedDocument());
