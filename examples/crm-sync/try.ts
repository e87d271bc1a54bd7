// Gives the target what a tap writes in two nights, shows the contacts after each, and deletes them again.
//   SWITCHBOARD_URL=… SWITCHBOARD_KEY=… node examples/crm-sync/try.ts
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Switchboard } from '@switchboard/sdk';

const { SWITCHBOARD_URL = '', SWITCHBOARD_KEY = '' } = process.env;
const switchboard = new Switchboard({ baseUrl: SWITCHBOARD_URL, key: SWITCHBOARD_KEY });
const target = fileURLToPath(new URL('target.ts', import.meta.url));

const IDS = ['example-crm-1', 'example-crm-2', 'example-crm-3'];
const record = (id: string | undefined, properties: object, more = {}) => ({
  ...{ type: 'RECORD', stream: 'contacts' },
  record: { id, properties, ...more },
});
const schema = { type: 'SCHEMA', stream: 'contacts', key_properties: ['id'], schema: {} };
const state = (updatedAt: string) => ({ type: 'STATE', value: { bookmarks: { contacts: { updatedAt } } } });
const NIGHTS = [
  [
    schema,
    record(IDS[0], { email: 'ada.crm@example.com', firstname: 'Ada', lastname: 'Lovelace', plan: 'free' }),
    record(IDS[1], { email: 'grace.crm@example.com', firstname: 'Grace', plan: 'pro' }),
    record(IDS[2], { email: 'no address', firstname: 'Nobody' }),
    state('2026-01-01'),
  ],
  [
    schema,
    record(IDS[0], { email: 'ada.crm@example.com', firstname: 'Ada', lastname: 'King', plan: 'pro' }),
    record(IDS[1], {}, { _sdc_deleted_at: '2026-01-02' }),
    state('2026-01-02'),
  ],
];
const contactsOf = (external_id: string) =>
  switchboard.listContacts({ query: { external_id } }).then(({ items }) => items);

try {
  for (const messages of NIGHTS) {
    const input = messages.map((message) => JSON.stringify(message)).join('\n');
    const { stdout, stderr, status } = spawnSync(process.execPath, [target], { input, encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
    console.log(`${stderr}${stdout.trim()}`);
    for (const { name, custom_data } of (await Promise.all(IDS.map(contactsOf))).flat())
      console.log(`  ${name}: ${custom_data.plan}`);
  }
} finally {
  for (const { id } of (await Promise.all(IDS.map(contactsOf))).flat())
    await switchboard.deleteContact({ path: { id } });
}
