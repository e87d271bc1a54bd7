export { deleteOldRuns, deleteUnheardEvents } from '../runs.queries.ts';
