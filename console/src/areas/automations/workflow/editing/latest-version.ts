import { api, dataOf, type Schemas } from '../../../../api/client';

type Actor = Schemas['AuditEntry']['actor'];

const NEWEST_ENTRIES = 20;

interface Latest {
  number: number | undefined;
  by: string | undefined;
}

/** Resolves to the number of the latest version of a workflow, with its author if the audit tells. */
export async function findLatest(id: string): Promise<Latest> {
  const params = { path: { id }, query: { limit: 1 } };
  const page = await dataOf(api.GET('/workflows/{id}/versions', { params }));
  const number = page.items[0]?.version_number;
  return { number, by: await findAuthor(id, number) };
}

async function findAuthor(id: string, version: number | undefined): Promise<string | undefined> {
  const query = { kind: 'workflow', ref: id, limit: NEWEST_ENTRIES } as const;
  const audit = await dataOf(api.GET('/audit', { params: { query } })).catch(() => undefined);
  const entry = audit?.items.find(({ changes }) =>
    changes.some((one) => one.field === 'version_number' && one.new === version),
  );
  return entry && nameOf(entry.actor);
}

function nameOf({ kind, name }: Actor): string | undefined {
  if (name === null) return kind === 'ai' ? 'the AI' : undefined;
  return kind === 'key' ? `the API key ${name}` : name;
}
