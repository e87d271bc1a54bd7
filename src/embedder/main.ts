import { fetchModel } from './fetch-model.ts';
import { DEFAULT_MODELS_FOLDER } from './model-folder.ts';

const folder = process.env.MODELS_FOLDER || DEFAULT_MODELS_FOLDER;
const [archive] = process.argv.slice(2);
const { graph } = await fetchModel(folder, archive);
process.stdout.write(`The embedding model is at ${graph}\n`);
