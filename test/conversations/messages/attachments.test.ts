import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { TooManyRequests } from '../../../src/errors.ts';
import { formWith } from '../../media/samples.ts';
import { startApi, type TestApi } from '../../support/stack/api.ts';
import { eventually } from '../../support/stack/stack.ts';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const SVG = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');

let api: TestApi;
let files: { url: string; close(): void };
beforeAll(async () => {
  const server = createServer((request, response) => {
    if (request.url === '/missing') return void response.writeHead(404).end();
    if (request.url === '/endless') {
      response.writeHead(200);
      const more = () => {
        if (response.destroyed) return;
        response.write(Buffer.alloc(64 * 1024));
        setImmediate(more);
      };
      return more();
    }
    response.writeHead(200, { 'content-type': 'text/html' }).end(request.url === '/svg' ? SVG : PNG);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  files = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  api = await startApi({ env: { EGRESS_ALLOW: '127.0.0.0/8' } });
});
afterAll(async () => {
  await api.close();
  files.close();
});

const newSession = async (): Promise<string> => (await api.org.post('/chat/sessions', {})).body.id;
const send = (id: string, attachments: object[]) =>
  api.org.post(`/chat/sessions/${id}/send`, { sender: 'contact', message: { type: 'text', text: 'See', attachments } });
const messages = async (id: string) =>
  (await api.org.get(`/chat/sessions/${id}/history`)).body.items.map(({ event }: { event: object }) => event);

describe('an attachment', () => {
  it('is accepted as a URL, base64 or data URL, and served with the type detected from its content', async () => {
    const id = await newSession();
    const sent = await send(id, [
      { name: 'by-url', url: `${files.url}/png`, mime_type: 'text/html' },
      { name: 'plain.png', base64: PNG.toString('base64') },
      { name: '../../etc/passwd', base64: `data:text/html;base64,${PNG.toString('base64')}` },
    ]);
    expect(sent.status).toBe(201);
    const [{ attachments }] = await messages(id);
    expect(attachments).toEqual([
      { name: 'by-url.png', url: expect.any(String), mime_type: 'image/png', size: PNG.length },
      { name: 'plain.png', url: expect.any(String), mime_type: 'image/png', size: PNG.length },
      { name: 'passwd.png', url: expect.any(String), mime_type: 'image/png', size: PNG.length },
    ]);
    for (const { url } of attachments) {
      const response = await fetch(url);
      expect(Buffer.from(await response.arrayBuffer()).equals(PNG)).toBe(true);
      expect(response.headers.get('content-disposition')).toMatch(/^attachment/);
    }
  });

  it('an invalid attachment is refused by its index, and nothing of the message is stored', async () => {
    const id = await newSession();
    const good = { name: 'good.png', base64: PNG.toString('base64') };
    for (const [bad, status, field] of [
      [{ name: 'x.svg', base64: SVG.toString('base64') }, 415, 'message.attachments.1.base64'],
      [{ name: 'x.png', url: `${files.url}/svg` }, 415, 'message.attachments.1.url'],
      [{ name: 'x.png', url: `${files.url}/missing` }, 400, 'message.attachments.1.url'],
      [{ name: 'x.png', url: `${files.url}/endless` }, 400, 'message.attachments.1.url'],
      [{ name: 'x.png', url: 'http://127.0.0.1:1/x' }, 400, 'message.attachments.1.url'],
      [{ name: 'x.png', url: 'ftp://example.com/x' }, 400, 'message.attachments.1.url'],
      [{ name: 'x.png', base64: '' }, 400, 'message.attachments.1.base64'],
      [{ name: 'x.png', base64: 'a-b' }, 400, 'message.attachments.1.base64'],
      [{ name: 'x.png', base64: 'AAAA', url: files.url }, 400, 'message.attachments.1'],
      [{ name: 'x.png' }, 400, 'message.attachments.1'],
    ] as const) {
      const answer = await send(id, [good, bad]);
      expect([bad, answer.status, answer.body.message]).toEqual([
        bad,
        status,
        expect.stringContaining(`body.${field}`),
      ]);
    }
    expect(await messages(id)).toEqual([]);
  });

  it('an attachment of a refused message leaves no bytes in storage', async () => {
    const kept = new Set<string>();
    const { storage } = api.deps;
    const watched = await startApi({
      databaseUrl: api.databaseUrl,
      deps: {
        storage: {
          ...storage,
          put: async (key, content) => storage.put(key, content).then(() => void kept.add(key)),
          delete: async (key) => storage.delete(key).then(() => void kept.delete(key)),
        },
      },
    });
    const client = watched.client(api.org.key);
    const attachments = [
      { name: 'a.png', base64: PNG.toString('base64') },
      { name: 'b.svg', base64: SVG.toString('base64') },
    ];
    const message = { type: 'text', text: 'See', attachments };
    const id = await newSession();
    expect((await client.post(`/chat/sessions/${id}/send`, { sender: 'contact', message })).status).toBe(415);
    const lost = await client.post(`/chat/sessions/${crypto.randomUUID()}/send`, { sender: 'contact', message });
    expect(lost.status).toBe(404);
    await eventually('nothing is left', () => kept.size === 0);
    await watched.close();
  });

  describe('of a committed message', () => {
    const question = {
      sender: 'contact',
      message: { type: 'text', text: 'See', attachments: [{ name: 'a.png', base64: PNG.toString('base64') }] },
    };
    /** Sends the message to another process of the api, and returns the answer with what its file is served as. */
    const sendTo = async (watched: TestApi) => {
      const org = await api.createOrg();
      await org.patch('/autopilot', { channel: 'api', autopilot_enabled: true });
      const { id } = (await org.post('/chat/sessions', { channel: { type: 'api' } })).body;
      const { status } = await watched.client(org.key).post(`/chat/sessions/${id}/send`, question);
      await watched.app.close(); // after whatever follows the response
      const [{ event }] = (await org.get(`/chat/sessions/${id}/history`)).body.items;
      const file = await fetch(event.attachments[0].url);
      return { status, file: [file.status, Buffer.from(await file.arrayBuffer()).equals(PNG)] };
    };

    it('stays if the request ends in an error after the commit', async () => {
      const answers = { waitForAnswer: () => Promise.reject(new TooManyRequests('busy', 5)) };
      const watched = await startApi({ databaseUrl: api.databaseUrl, deps: { answers } });
      const { status, file } = await sendTo(watched);
      expect([status, file]).toEqual([429, [200, true]]);
      await watched.close();
    });
  });

  it('an attachment of 20 MB is refused', async () => {
    const base64 = Buffer.alloc(20 * 1024 * 1024).toString('base64');
    expect((await send(await newSession(), [{ name: 'x.txt', base64 }])).status).toBe(413);
  });

  it('leaves no bytes if another process has answered its Idempotency-Key meanwhile', async () => {
    const id = await newSession();
    const headers = { 'idempotency-key': crypto.randomUUID() };
    const message = {
      type: 'text',
      text: 'Twice',
      attachments: [{ name: 'a.png', base64: PNG.toString('base64') }],
    };
    const send = (client: Pick<TestApi['org'], 'post'>) =>
      client.post(`/chat/sessions/${id}/send`, { sender: 'agent', message }, { headers });
    const { promise: isAnswered, resolve: answered } = Promise.withResolvers<void>();
    const { promise: isStored, resolve: stored } = Promise.withResolvers<void>();
    const kept = new Set<string>();
    const { storage } = api.deps;
    const slow = await startApi({
      databaseUrl: api.databaseUrl,
      deps: {
        storage: {
          ...storage,
          put: async (key, content) => {
            await storage.put(key, content);
            kept.add(key);
            stored();
            await isAnswered;
          },
          delete: async (key) => storage.delete(key).then(() => void kept.delete(key)),
        },
      },
    });
    const second = send(slow.client(api.org.key));
    await isStored;
    const first = await send(api.org);
    answered();
    const { status, headers: sent, body } = await second;
    expect([status, sent.get('idempotent-replayed'), body]).toEqual([201, 'true', first.body]);
    await eventually('nothing is left', () => kept.size === 0);
    expect(await messages(id)).toHaveLength(1);
    await slow.close();
  });

  it('is stored once per Idempotency-Key', async () => {
    const id = await newSession();
    const body = {
      sender: 'agent',
      message: { type: 'text', text: 'Once', attachments: [{ name: 'a.png', base64: PNG.toString('base64') }] },
    };
    const headers = { 'idempotency-key': crypto.randomUUID() };
    const first = await api.org.post(`/chat/sessions/${id}/send`, body, { headers });
    const again = await api.org.post(`/chat/sessions/${id}/send`, body, { headers });
    expect([first.status, again.status, again.body]).toEqual([201, 201, first.body]);
    expect(await messages(id)).toHaveLength(1);
  });
});

describe('an attachment by URL', () => {
  it('is never fetched from a private address', async () => {
    const guarded = await startApi();
    const { id } = (await guarded.org.post('/chat/sessions', {})).body;
    const answer = await guarded.org.post(`/chat/sessions/${id}/send`, {
      sender: 'contact',
      message: { type: 'text', text: 'See', attachments: [{ name: 'x', url: `${files.url}/png` }] },
    });
    expect([answer.status, answer.body.message]).toEqual([400, expect.stringContaining('is not a public address')]);
    await guarded.close();
  });

  it('is copied if it is a link to a file of the org, although it may lead to a private address', async () => {
    const guarded = await startApi();
    const { id } = (await guarded.org.post('/chat/sessions', {})).body;
    const attach = (url: string) =>
      guarded.org.post(`/chat/sessions/${id}/send`, {
        sender: 'agent',
        message: { type: 'text', text: 'See', attachments: [{ name: 'bill', url }] },
      });
    const upload = async (org: TestApi['org']) => (await org.post('/media', formWith(PNG, 'scan.png'))).body;
    const mine = await upload(guarded.org);
    expect((await attach(mine.fileUrl)).status).toBe(201);
    const { items } = (await guarded.org.get(`/chat/sessions/${id}/history`)).body;
    const [attachment] = items[0].event.attachments;
    expect(attachment).toEqual({ name: 'bill.png', url: expect.any(String), mime_type: 'image/png', size: PNG.length });
    await guarded.org.post('/redaction/message', { messageId: items[0].id });
    expect((await fetch(attachment.url)).status).toBe(404);
    expect(Buffer.from(await (await fetch(mine.fileUrl)).arrayBuffer()).equals(PNG)).toBe(true);

    const foreign = await attach((await upload(guarded.other)).fileUrl);
    expect([foreign.status, foreign.body.message]).toEqual([400, expect.stringContaining('is not a public address')]);
    const gone = await attach(attachment.url);
    expect([gone.status, gone.body.issues]).toEqual([
      400,
      [{ path: 'body.message.attachments.0.url', message: 'leads to a file that is deleted: upload it again' }],
    ]);
    await guarded.close();
  });
});
