import { parse } from 'csv-parse/sync';
import type { Client } from '../../support/stack/api.ts';
import { eventually } from '../../support/stack/stack.ts';

const NDJSON = { headers: { 'content-type': 'application/x-ndjson' } };
export const CSV = { headers: { 'content-type': 'text/csv' } };

interface Sending {
  /** More of the query. */
  more?: string;
  type?: { headers: Record<string, string> };
}

/** Sends a file to be imported. */
export const send = (
  org: Client,
  [source, resource]: [string, string],
  file: string,
  { more = '', type = NDJSON }: Sending = {},
) => org.post(`/imports?source=${source}&resource=${resource}${more}`, file, type);

/** Imports a file and waits for its end. */
export async function imported(org: Client, what: [string, string], file: string, options: Sending = {}) {
  const { status, body } = await send(org, what, file, options);
  expect({ status, body }).toMatchObject({ status: 202 });
  return eventually('the end of the import', async () => {
    const { body: job } = await org.get(`/imports/${body.id}`);
    return job.status !== 'running' && job;
  });
}

/** Returns what an import left out: the record, its id, whether all of it or a part, and the code. */
export async function codesOf(org: Client, { id, report_url }: { id: string; report_url: string | null }) {
  if (report_url === null) return [];
  const rows = parse((await org.get(`/imports/${id}/report`)).body, { from: 2 }) as string[][];
  return rows.map((row) => row.slice(0, 4).join(' '));
}

export const sessionsOf = async (org: Client) => (await org.get('/chat/sessions?limit=100')).body.items;
export const historyOf = async (org: Client, id: string) => (await org.get(`/chat/sessions/${id}/history`)).body.items;
