// Reads conversations with all their messages, or the articles of a portal, from the API of Chatwoot into a file for POST /imports.
//   CHATWOOT_URL=… CHATWOOT_TOKEN=… CHATWOOT_ACCOUNT=1 node examples/moving-in/fetch-chatwoot.ts conversations conversations.json
//   CHATWOOT_URL=… CHATWOOT_TOKEN=… CHATWOOT_ACCOUNT=1 node examples/moving-in/fetch-chatwoot.ts articles help-center.json my-portal
// Interrupted, run it again: conversations that are in the file are not read again.
import { createReadStream, existsSync } from 'node:fs';
import { appendFile, writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';

const { CHATWOOT_URL = '', CHATWOOT_TOKEN = '', CHATWOOT_ACCOUNT = '1' } = process.env;
const [what, file, portal] = process.argv.slice(2);
const RETRIES = 10;

/** What an answer of the API has, as far as it is read here. */
interface Answer {
  payload: { id: number }[];
  data: { payload: { id: number }[] };
}

async function get(path: string): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    const url = new URL(`/api/v1/accounts/${CHATWOOT_ACCOUNT}${path}`, CHATWOOT_URL);
    const response = await fetch(url, { headers: { api_access_token: CHATWOOT_TOKEN } });
    if (response.ok) return (await response.json()) as Answer;
    if ((response.status !== 429 && response.status < 500) || tries === RETRIES)
      throw new Error(`${url.pathname}: ${response.status} ${await response.text()}`);
    await new Promise((resolve) => setTimeout(resolve, 1_000 * tries));
  }
}

/** All messages of a conversation, oldest first: the API gives the last ones, and those before one. */
async function messagesOf(id: number) {
  const messages: { id: number }[] = [];
  for (let before = ''; ; ) {
    const { payload } = await get(`/conversations/${id}/messages${before}`);
    if (payload.length === 0) return messages;
    messages.unshift(...payload);
    before = `?before=${messages[0]?.id}`;
  }
}

async function fetchConversations(to: string) {
  const known = new Set<number>();
  if (existsSync(to)) {
    for await (const line of createInterface(createReadStream(to))) known.add(idIn(line));
    await appendFile(to, '\n'); // ends a line that was cut off
  }
  for (let page = 1; ; page++) {
    const { data } = await get(`/conversations?status=all&assignee_type=all&sort_by=created_at_asc&page=${page}`);
    if (data.payload.length === 0) return known.size;
    for (const conversation of data.payload) {
      if (known.has(conversation.id)) continue;
      const messages = await messagesOf(conversation.id);
      await appendFile(to, `${JSON.stringify({ ...conversation, messages })}\n`);
      known.add(conversation.id);
    }
  }
}

/** A line that was cut off by an interruption has no id, and the import leaves it out. */
function idIn(line: string): number {
  try {
    return JSON.parse(line).id;
  } catch {
    return Number.NaN;
  }
}

async function fetchArticles(to: string, slug: string) {
  const { payload: categories } = await get(`/portals/${slug}/categories`);
  await writeFile(to, `${JSON.stringify({ payload: categories })}\n`);
  for (let [page, count] = [1, 0]; ; page++) {
    const { payload } = await get(`/portals/${slug}/articles?page=${page}`);
    if (payload.length === 0) return count;
    await appendFile(to, `${JSON.stringify({ payload })}\n`);
    count += payload.length;
  }
}

if (what === 'conversations' && file) console.log(`${await fetchConversations(file)} conversations are in ${file}`);
else if (what === 'articles' && file && portal)
  console.log(`${await fetchArticles(file, portal)} articles are in ${file}`);
else throw new Error('Say what to fetch, and into which file: conversations <file>, or articles <file> <portal>');
