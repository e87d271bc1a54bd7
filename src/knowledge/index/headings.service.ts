export { listHeadings } from './headings.queries.ts';
