export { deleteOldRuns, deleteRemainsOfWorkflows, deleteUnreceivedEvents } from './shared.queries.ts';
