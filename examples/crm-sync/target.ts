// A Singer target: saves the contacts that a tap of a CRM writes, and passes its state on once they are saved.
//   tap-hubspot --config tap.json --state state.json | node examples/crm-sync/target.ts > states.jsonl
//   [ -s states.jsonl ] && tail -n 1 states.jsonl > state.json
// The next night begins where this one has ended. After a failure it repeats what was not passed on, and makes nothing twice.
import { createInterface } from 'node:readline';
import { type ContactFields, Switchboard } from '@switchboard/sdk';

const { SWITCHBOARD_URL = '', SWITCHBOARD_KEY = '', SINGER_STREAM = 'contacts' } = process.env;
const switchboard = new Switchboard({ baseUrl: SWITCHBOARD_URL, key: SWITCHBOARD_KEY });
const CONTACTS_PER_REQUEST = 500; // at most 1,000

/** What a tap writes: https://hub.meltano.com/singer/spec. Other types are of no use here. */
interface Message {
  type: string;
  stream?: string;
  key_properties?: string[];
  record?: CrmRecord;
  value?: unknown;
}

/** A row of the stream, here in the form of tap-hubspot. */
interface CrmRecord {
  [key: string]: unknown;
  properties: Record<string, string | null>;
  /** When it was deleted in the CRM. */
  _sdc_deleted_at?: string | null;
}

/** Which property becomes which field. Change it to what your tap writes. Absent fields stay as they are. */
const contactOf = (external_id: string, { properties: { email, phone, firstname, lastname, plan } }: CrmRecord) => ({
  external_id,
  email: email ?? undefined,
  phone: phone ?? undefined,
  name: [firstname, lastname].filter(Boolean).join(' ') || undefined,
  custom_data: { plan: plan ?? null },
});

const counts = { created: 0, updated: 0, deleted: 0, refused: 0 };
let keyProperties: string[] = ['id'];
let contacts: ContactFields[] = [];
let state: unknown;

/** Saves what was read, in order. Then the state may be passed on. */
async function flush() {
  if (contacts.length > 0) {
    const { results } = await switchboard.saveContacts({ body: { contacts } });
    for (const [nth, result] of results.entries()) {
      if (!('error' in result)) counts[result.created ? 'created' : 'updated']++;
      else refuse(`${contacts[nth]?.external_id}: ${result.error}`);
    }
    contacts = [];
  }
  if (state !== undefined) console.log(JSON.stringify(state));
  state = undefined;
}

/** One contact that cannot be saved does not hold up the others. The log of the night names it. */
function refuse(why: string) {
  counts.refused++;
  console.error(why);
}

async function remove(external_id: string) {
  const { items } = await switchboard.listContacts({ query: { external_id } });
  for (const { id } of items) await switchboard.deleteContact({ path: { id } });
  counts.deleted += items.length;
}

async function take(record: CrmRecord) {
  const externalId = keyProperties.map((name) => record[name]).join('-');
  if (record._sdc_deleted_at == null) {
    contacts.push(contactOf(externalId, record));
    if (contacts.length >= CONTACTS_PER_REQUEST) await flush();
  } else {
    await flush(); // it may have been saved a moment ago
    await remove(externalId);
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const { type, stream, key_properties, record, value }: Message = JSON.parse(line);
  if (type === 'STATE') state = value;
  if (stream !== SINGER_STREAM) continue;
  if (type === 'SCHEMA' && key_properties?.length) keyProperties = key_properties;
  if (type === 'RECORD' && record !== undefined) await take(record);
}
await flush();
const { created, updated, deleted, refused } = counts;
console.error(`${created} created, ${updated} updated or unchanged, ${deleted} deleted, ${refused} refused`);
