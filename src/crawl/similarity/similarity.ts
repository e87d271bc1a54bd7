import { hash } from 'node:crypto';

/** The value of a parameter in the address of a link. */
const QUERY_VALUE = /([?&][\w.~%[\]-]{1,100}=)[^&#\s)>"'\]]*/g;

/** Returns the hash of a page without what a session id changes: the values in its links' queries. */
export const similarityOf = ({ title, markdown }: { title: string; markdown: string }): string =>
  hash('sha256', `${title}\n${markdown.replaceAll(QUERY_VALUE, '$1')}`);
