import { infiniteQueryOptions } from '@tanstack/react-query';
import type { paths } from '../../generated/api';
import { ApiError, api, dataOf, type Schemas } from './client';
import { createRequests, sayUnreachable } from './http/requests';
import { sendingBy } from './http/sending';
import { PAGES } from './pages';
import { every } from './refetching/polling';

const PAGE = { order: 'newest', limit: 10 } as const;
const UNDER_WAY_MS = 2_000;

interface State {
  data: { pages: { items: { status: string }[] }[] } | undefined;
  error: Error | null;
}

/** Returns when a list is read again: every few seconds while one of its jobs runs, and seldom once it could not be read. */
function whileRunning({ data, error }: State): number | false {
  const isRunning = data?.pages.some(({ items }) => items.some(({ status }) => status === 'running')) === true;
  return isRunning && every(UNDER_WAY_MS)({ state: { error } });
}

export const contactImportsQuery = infiniteQueryOptions({
  queryKey: ['listContactImports'],
  queryFn: ({ pageParam }) =>
    dataOf(api.GET('/contacts/imports', { params: { query: { ...PAGE, cursor: pageParam } } })),
  refetchInterval: ({ state }) => whileRunning(state),
  ...PAGES,
});

export const movesQuery = infiniteQueryOptions({
  queryKey: ['listImports'],
  queryFn: ({ pageParam }) => dataOf(api.GET('/imports', { params: { query: { ...PAGE, cursor: pageParam } } })),
  refetchInterval: ({ state }) => whileRunning(state),
  ...PAGES,
});

export const exportsQuery = infiniteQueryOptions({
  queryKey: ['listExports'],
  queryFn: ({ pageParam }) => dataOf(api.GET('/exports', { params: { query: { ...PAGE, cursor: pageParam } } })),
  refetchInterval: ({ state }) => whileRunning(state),
  ...PAGES,
});

/** The most that the API takes at once. */
export const MAX_FILE_BYTES = 100 * 1024 ** 2;

/** A file cannot be read any more. */
class FileError extends Error {}

/** A file and the options of its import. */
export interface Sent<Query> {
  file: File;
  query: Query;
  /** The Idempotency-Key. */
  key: string;
  /** Called with the sent share of the file, from 0 to 1. */
  onSent: (share: number) => void;
}

type ContactImportOptions = { key?: 'external_id' | 'email' | 'phone' | undefined; update: 'true' | 'false' };

/** Uploads a CSV file of contacts. A job imports it. */
export async function importContacts(sent: Sent<ContactImportOptions>): Promise<{ id: string }> {
  return dataOf(uploads(sent).POST('/contacts/import', await requestOf(sent)));
}

type MoveOptions = { source: Schemas['ImportSource']; resource: Schemas['ImportResource']; account?: string };

/** Uploads a file of another desk. A job imports it. */
export async function importRecords(sent: Sent<MoveOptions>): Promise<{ id: string }> {
  return dataOf(uploads(sent).POST('/imports', await requestOf(sent)));
}

const uploads = ({ onSent }: Sent<unknown>) => {
  const send = sendingBy(onSent);
  return createRequests<paths>((address, init) => send(address, init).catch(sayUnreachable));
};

/** Returns a request with a file as its body. Throws FileError for a file changed since: browsers do not read it. */
async function requestOf<Query>({ file, query, key }: Sent<Query>) {
  await file
    .slice(0, 1)
    .arrayBuffer()
    .catch(() => {
      throw new FileError('The file has changed since it was chosen: choose it again');
    });
  const text = new Blob([file], { type: 'text/csv' }); // systems name other types, and the API looks into the file
  return {
    params: { query: { ...query, file_name: file.name }, header: { 'idempotency-key': key } },
    body: text as never,
    bodySerializer: () => text,
  };
}

const OF_FILE = [400, 413, 415];

/** Returns the words of an error about the sent file. */
export function fileProblemOf(error: Error | null): string | undefined {
  const isRefused = error instanceof ApiError && OF_FILE.includes(error.status);
  return isRefused || error instanceof FileError ? error.message : undefined;
}
