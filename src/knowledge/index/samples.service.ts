export { listSamples, type PassageSample } from './samples.queries.ts';
