import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const SCRIPT = fileURLToPath(new URL('../../examples/moving-in/fetch-chatwoot.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'switchboard-chatwoot-'));
const MESSAGES_PER_PAGE = 20;

/** An API of Chatwoot with three conversations of up to 45 messages. It is busy at first, and needs its token. */
const conversations = [45, 20, 0].map((count, nth) => ({
  id: nth + 1,
  messages: Array.from({ length: count }, (_, n) => ({ id: (nth + 1) * 1_000 + n, content: `${n}` })),
}));
const asked: string[] = [];
let server: Server;
beforeAll(async () => {
  server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://chatwoot');
    const answer = (status: number, body: object) => response.writeHead(status).end(JSON.stringify(body));
    asked.push(`${pathname}${searchParams.size > 0 ? `?${searchParams}` : ''}`);
    if (request.headers.api_access_token !== 'token') return answer(401, { error: 'Invalid Access Token' });
    if (asked.length === 1) return answer(429, { error: 'Retry later' });
    const messages = /^\/api\/v1\/accounts\/7\/conversations\/(\d+)\/messages$/.exec(pathname);
    if (messages !== null) {
      const before = Number(searchParams.get('before') ?? Number.MAX_SAFE_INTEGER);
      const all = conversations[Number(messages[1]) - 1]?.messages ?? [];
      return answer(200, { meta: {}, payload: all.filter(({ id }) => id < before).slice(-MESSAGES_PER_PAGE) });
    }
    const isFirst = searchParams.get('page') === '1';
    if (pathname === '/api/v1/accounts/7/conversations')
      return answer(200, {
        data: {
          meta: {},
          payload: isFirst ? conversations.map(({ id, messages: all }) => ({ id, messages: all.slice(-1) })) : [],
        },
      });
    if (pathname === '/api/v1/accounts/7/portals/help/categories')
      return answer(200, { payload: [{ id: 1, name: 'A', slug: 'a' }] });
    if (pathname === '/api/v1/accounts/7/portals/help/articles')
      return answer(200, { payload: isFirst ? [{ id: 2, title: 'T' }] : [], meta: {} });
    return answer(404, {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

const fetched = (...args: string[]) => {
  const { port } = server.address() as AddressInfo;
  const chatwoot = { CHATWOOT_URL: `http://127.0.0.1:${port}`, CHATWOOT_TOKEN: 'token', CHATWOOT_ACCOUNT: '7' };
  return run(process.execPath, [SCRIPT, ...args], { env: { ...process.env, NODE_OPTIONS: '', ...chatwoot } });
};
const linesOf = (path: string) =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

it('fetch-chatwoot writes each conversation with all of its messages, and reads none of them again', async () => {
  const file = join(folder, 'conversations.json');
  expect((await fetched('conversations', file)).stdout).toBe(`3 conversations are in ${file}\n`);
  expect(linesOf(file)).toEqual(conversations);
  asked.length = 1;
  await fetched('conversations', file);
  expect(linesOf(file)).toEqual(conversations);
  expect(asked.filter((path) => path.includes('messages'))).toEqual([]);
});

it('fetch-chatwoot writes the categories and articles of a portal as its API answers them', async () => {
  const file = join(folder, 'articles.json');
  expect((await fetched('articles', file, 'help')).stdout).toBe(`1 articles are in ${file}\n`);
  expect(linesOf(file)).toEqual([{ payload: [{ id: 1, name: 'A', slug: 'a' }] }, { payload: [{ id: 2, title: 'T' }] }]);
});
