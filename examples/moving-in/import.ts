// Imports the exports of another desk, and shows what was left out. Removes the contacts, tags and articles again.
//   SWITCHBOARD_URL=… SWITCHBOARD_KEY=… node examples/moving-in/import.ts
import { readFile } from 'node:fs/promises';
import { itemsOf, Switchboard, waitFor } from '@switchboard/sdk';

const { SWITCHBOARD_URL = '', SWITCHBOARD_KEY = '' } = process.env;
const switchboard = new Switchboard({ baseUrl: SWITCHBOARD_URL, key: SWITCHBOARD_KEY });
/** Makes the example begin again each time. Without it, what was imported before stays as it is. */
const account = `example-${crypto.randomUUID()}`;

const tags = new Set((await switchboard.listTags()).map(({ tag_name }) => tag_name));
const helpCenter = await switchboard.getContentTree();
const FILES = [
  ['contacts', 'zendesk-users.ndjson'],
  ['conversations', 'zendesk-tickets.ndjson'],
  ['help_center', 'zendesk-help-center.json'],
] as const;

async function importAll() {
  for (const [resource, name] of FILES) {
    const body = await readFile(new URL(name, import.meta.url), 'utf8');
    const { id } = await switchboard.startImport({ query: { source: 'zendesk', resource, account }, body });
    const job = await waitFor(() => switchboard.getImport({ path: { id } }));
    console.log(`${resource}: ${job.created} are new, ${job.left_out} were left out, ${job.incomplete} are incomplete`);
    if (job.report_url !== null) console.log(await switchboard.getImportReport({ path: { id } }));
  }
}

async function* importedSessions() {
  for await (const session of itemsOf((page) => switchboard.listChatSessions({ query: { ...page, limit: 100 } }))) {
    const isExample = session.contact === null || [null, 'ada.moving@example.com'].includes(session.contact.email);
    if (isExample && 'zendesk_ticket_id' in session.custom_data) yield session;
  }
}

/** Removes what an import has made, a part of one too. */
async function removeAll() {
  for await (const { contact } of importedSessions())
    if (contact !== null) await switchboard.deleteContact({ path: { id: contact.id } });
  for (const { tag_name } of await switchboard.listTags())
    if (!tags.has(tag_name)) await switchboard.deleteTag({ path: { tag_name } });
  await switchboard.syncContentTree({ body: helpCenter });
}

try {
  await importAll();
  for await (const { contact, created_at, status, custom_data } of importedSessions())
    if (contact !== null) console.log(`${created_at} ${status} ${custom_data.subject}`);
} finally {
  await removeAll();
}
