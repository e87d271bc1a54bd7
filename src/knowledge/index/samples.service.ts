export { listSamples } from './samples.queries.ts';
