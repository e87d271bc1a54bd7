// Imports contacts from CSV, shows the lines that were refused, and deletes the contacts again.
//   SWITCHBOARD_URL=… SWITCHBOARD_KEY=… node examples/import-contacts.ts
import { Switchboard, waitFor } from '@switchboard/sdk';

const { SWITCHBOARD_URL = '', SWITCHBOARD_KEY = '' } = process.env;
const switchboard = new Switchboard({ baseUrl: SWITCHBOARD_URL, key: SWITCHBOARD_KEY });

const CSV = [
  'external_id,email,name,custom_data.plan',
  'example-import-1,ada.import@example.com,Ada Lovelace,pro',
  'example-import-2,grace.import@example.com,"Hopper, Grace",free',
  'example-import-3,no-address,Nobody,free',
].join('\n');

const { id } = await switchboard.importContacts({ body: CSV, query: { key: 'external_id' } });
const job = await waitFor(() => switchboard.getContactImport({ path: { id } }));
console.log(`${job.created} contacts are new, ${job.updated} existed, ${job.refused} lines were refused`);
if (job.refused > 0) console.log(await switchboard.listRefusedContacts({ path: { id } }));

for (const external_id of ['example-import-1', 'example-import-2']) {
  const { items } = await switchboard.listContacts({ query: { external_id } });
  for (const contact of items) await switchboard.deleteContact({ path: { id: contact.id } });
}
