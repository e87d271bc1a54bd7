export { type ItemHeading, listHeadings } from './headings.queries.ts';
