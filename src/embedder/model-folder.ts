import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The model that comes with the product. Its vectors are stored under this name. */
export const MODEL = 'multilingual-e5-small';
/** The folder of the model's files in a folder of models: a new form of the files gets another one. */
const FOLDER = `${MODEL}-q4-3`;

/** Where models are, unless a setting says otherwise. */
export const DEFAULT_MODELS_FOLDER = fileURLToPath(new URL('../../.data/models', import.meta.url));

/** The files of a model. */
export interface ModelFiles {
  /** The beginning of the packed model: its sizes and its vocabulary. */
  header: string;
  /** The network that encodes a text, and the one that reads a question beside a passage. */
  graph: string;
  reader: string;
  /** The weights that both refer to. */
  weights: string;
}

export function modelFilesIn(models: string): ModelFiles & { folder: string } {
  const folder = join(models, FOLDER);
  return {
    folder,
    header: join(folder, 'model.header'),
    graph: join(folder, 'model.onnx'),
    reader: join(folder, 'reader.onnx'),
    weights: join(folder, 'model.weights'),
  };
}

/** Returns the files of the model, or undefined if it was not fetched. A folder with the name has all of them. */
export function findModelFiles(models: string): ModelFiles | undefined {
  const files = modelFilesIn(models);
  return existsSync(files.folder) ? files : undefined;
}
