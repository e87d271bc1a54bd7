import { readFile } from 'node:fs/promises';
import { fetchModel } from '../../src/embedder/fetch-model.ts';
import { DEFAULT_MODELS_FOLDER } from '../../src/embedder/model-folder.ts';
import { readPackedModel } from '../../src/embedder/packed-model.ts';

/** Returns the files of the model that comes with the product, fetched once for all tests of this checkout. */
export const modelFiles = () => fetchModel(DEFAULT_MODELS_FOLDER);

/** Returns the model without its weights. */
export async function readModelHeader() {
  const { header } = await modelFiles();
  return readPackedModel(await readFile(header));
}
