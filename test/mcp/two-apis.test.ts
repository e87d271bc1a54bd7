import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { TOOLS } from '../../src/mcp/tools/service.ts';
import { historyOf } from '../support/crm.ts';
import { startApi, type TestApi, type TestOrg } from '../support/stack/api.ts';
import { CONNECT, type Result, textOf } from './assistants.ts';

let first: TestApi;
let second: TestApi;
let proxy: Awaited<ReturnType<typeof startProxy>>;
let org: TestOrg;
beforeAll(async () => {
  first = await startApi();
  second = await startApi({ databaseUrl: first.databaseUrl });
  proxy = await startProxy([first.url, second.url]);
  ({ org } = first);
});
afterAll(async () => {
  await proxy.close();
  await second.close();
  await first.close();
});

/** A proxy that passes requests to the servers in turn, and counts those of each. */
async function startProxy(targets: string[]) {
  const passed = targets.map(() => 0);
  let next = 0;
  const server = createServer((request, response) => {
    const turn = next++ % targets.length;
    passed[turn] = (passed[turn] ?? 0) + 1;
    const { method, headers, url = '/' } = request;
    const onward = send(new URL(url, targets[turn]), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    passed,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function newSession(): Promise<string> {
  const contact = await org.post('/contacts', { contact: { email: `${crypto.randomUUID()}@example.com` } });
  const session = await org.post('/chat/sessions', { contact_id: contact.body.id, channel: { type: 'web' } });
  return session.body.id;
}

/** Does the work, during which each api has to have served. */
async function servedByBoth(work: () => Promise<void>): Promise<void> {
  const before = [...proxy.passed];
  await work();
  for (const [nth, count] of proxy.passed.entries()) expect(count).toBeGreaterThan(before[nth] ?? 0);
}

describe.each(Object.entries(CONNECT))('%s', (_, connect) => {
  it('is served by two apis in turn behind a proxy, and what it repeats is done once', () =>
    servedByBoth(async () => {
      const id = await newSession();
      const assistant = await connect(proxy.url, org.key);
      for (let list = 0; list < 2; list++) expect(await assistant.tools()).toHaveLength(TOOLS.length);
      for (let call = 0; call < 2; call++) {
        expect((await assistant.call('get_session', { id })).structuredContent).toMatchObject({ id });
        expect((await assistant.call('add_note', { id, text: 'Called back' })).isError).toBeUndefined();
        await assistant.tools(); // the same call comes to the other api then
      }
      const notes = (await historyOf(org, id)).filter((line) => line.includes('Called back'));
      expect(notes).toHaveLength(1);

      const asked: unknown[] = [];
      for (let call = 0; call < 2; call++) {
        const { structuredContent } = await assistant.call('send_message', { id, text: 'On its way' });
        asked.push(structuredContent?.confirmation_id);
      }
      expect(asked).toEqual([expect.any(String), asked[0]]);
      const told = await assistant.call('get_confirmation', { id: asked[0] });
      expect(told.structuredContent).toMatchObject({ state: 'needs_confirmation' });
      await assistant.close();
    }));
});

it('the answer of a person to the question of one api is taken by the other, once', () =>
  servedByBoth(async () => {
    await org.patch('/org/settings', { mcp_confirm: 'client' });
    const id = await newSession();
    const client = new Client(
      { name: 'test', version: '1' },
      { versionNegotiation: { mode: 'auto' }, capabilities: { elicitation: { form: {} } } },
    );
    client.setRequestHandler('elicitation/create', async () => ({ action: 'accept', content: { confirm: true } }));
    const headers = { authorization: `Bearer ${org.key}` };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${proxy.url}/mcp`), { requestInit: { headers } }));
    const call = async () =>
      (await client.callTool({ name: 'send_message', arguments: { id, text: 'On its way' } })) as Result;
    expect((await call()).structuredContent).toMatchObject({ success: true });
    expect(textOf(await call())).toContain('done already');
    expect(await historyOf(org, id)).toEqual([expect.stringContaining('On its way')]);
    await client.close();
    await org.patch('/org/settings', { mcp_confirm: null });
  }));
