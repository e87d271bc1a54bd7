export { deleteUnusedWords } from './maintenance.queries.ts';
