// Answers a privacy request (GDPR, articles 15 and 17): hands over what is stored about one person, then removes it.
//   SWITCHBOARD_URL=… SWITCHBOARD_KEY=… node examples/privacy-request.ts ada@example.com folder
// What stays: that messages were sent, with their addresses (the ledger of deliveries), texts of messages that belong to
// no conversation, such as those of campaigns, the custom data of conversations, and which addresses want no messages.
// A file that cannot be read is named, and nothing is removed then: run it again. One that is gone keeps nothing back.
// Without an address it makes a person with a conversation, and removes the folder again.
import { mkdtempSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ChatSession, itemsOf, Switchboard } from '@switchboard/sdk';

const { SWITCHBOARD_URL = '', SWITCHBOARD_KEY = '' } = process.env;
const switchboard = new Switchboard({ baseUrl: SWITCHBOARD_URL, key: SWITCHBOARD_KEY });
const REASON = 'The person has asked for it';
const SESSIONS_PER_PAGE = 100;
const GONE = [404, 410];

async function* sessionsOf(contactId: string): AsyncGenerator<ChatSession> {
  for (let page = 1; ; page++) {
    const { data, has_next } = await switchboard.filterChatSessions({
      body: {
        filters: { contact_ids: [contactId] },
        sort_by: 'created_at',
        sort_order: 'asc',
        page,
        limit: SESSIONS_PER_PAGE,
      },
    });
    yield* data;
    if (!has_next) return;
  }
}

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}

const historyOf = (id: string) =>
  all(itemsOf((page) => switchboard.listChatSessionHistory({ path: { id }, query: page })));

/** Writes everything about the contact into the folder: the records as JSON, and the files that were sent. */
async function handOver(id: string, folder: string) {
  const path = { id };
  await mkdir(folder, { recursive: true });
  const sessions = [];
  const unread: string[] = [];
  let files = 0;
  for (const session of await all(sessionsOf(id))) {
    const history = await historyOf(session.id);
    sessions.push({ ...session, history });
    for (const { event } of history) {
      for (const { name, url } of 'attachments' in event ? (event.attachments ?? []) : []) {
        const file = await fetch(url).catch(() => undefined);
        if (file?.ok !== true) {
          if (file === undefined || !GONE.includes(file.status)) unread.push(`${name}: ${file?.status ?? 'no answer'}`);
          console.log(`${name} cannot be read: ${file?.status ?? 'no answer'}`);
          continue;
        }
        await writeFile(
          join(folder, `${++files}-${name.replaceAll(/[^\w.-]/g, '_')}`),
          new Uint8Array(await file.arrayBuffer()),
        );
      }
    }
  }
  const deliveries = await all(itemsOf((page) => switchboard.listDeliveries({ query: { ...page, contact_id: id } })));
  const record = { contact: await switchboard.getContact({ path }), sessions, deliveries, unread };
  await writeFile(join(folder, 'contact.json'), JSON.stringify(record, null, 2));
  return { sessions: sessions.length, deliveries: deliveries.length, files, isWhole: unread.length === 0 };
}

/** Removes the texts and files of all conversations, then the contact. A message that is being sent makes it fail: repeat it. */
async function remove(id: string) {
  for (const { id: sessionId } of await all(sessionsOf(id)))
    await switchboard.redactSession({ body: { sessionId, reason: REASON } });
  await switchboard.deleteContact({ path: { id } });
}

/** Makes a person who has written something and sent a file. */
async function makePerson(email: string) {
  const { id } = await switchboard.saveContact({ body: { contact: { email, name: 'Ada' } } });
  const session = await switchboard.createChatSession({ body: { contact_id: id } });
  const attachments = [{ name: 'letter.txt', base64: btoa('My secret letter'), mime_type: 'text/plain' }];
  const message = { type: 'text' as const, text: 'My secret wish', attachments };
  await switchboard.sendMessage({ path: { id: session.id }, body: { sender: 'contact', message } });
  await switchboard.updateChatSession({ path: { id: session.id }, body: { status: 'closed_resolved' } });
  return session.id;
}

const [asked, given] = process.argv.slice(2);
const email = asked ?? 'ada.privacy@example.com';
const folder = given ?? mkdtempSync(join(tmpdir(), 'privacy-'));
const example = asked === undefined ? await makePerson(email) : undefined;
const { items } = await switchboard.listContacts({ query: { email } });
for (const { id } of items) {
  const { sessions, deliveries, files, isWhole } = await handOver(id, folder);
  console.log(`${sessions} conversations with ${files} files, ${deliveries} deliveries`);
  if (isWhole) await remove(id);
  else {
    console.log('Nothing was removed: run it again once all files can be read');
    process.exitCode = 1;
  }
}
if (items.length === 0) console.log('Nothing is stored about this address');
if (example !== undefined) {
  const rest = JSON.stringify(await historyOf(example));
  if (/secret|letter\.txt/.test(rest)) throw new Error('Words of the person are still there');
  console.log('The conversation has none of these words and files any more');
  await rm(folder, { recursive: true });
}
