import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { Webhook } from 'standardwebhooks';
import { startWebhookReceiver, type WebhookReceiver } from '../support/fakes/webhook-receiver.ts';
import { eventually, type Stack, startStack } from '../support/stack/stack.ts';
import { createEndpoint } from '../webhooks/endpoints.ts';

type Sdk = typeof import('../../sdk/dist/src/index.d.ts');
type Api = InstanceType<Sdk['Switchboard']>;

const SDK = new URL('../../sdk/', import.meta.url);
const MAX_BYTES = 40_000;
const run = promisify(execFile);

let sdk: Sdk;
let stack: Stack;
let api: Api;
let receiver: WebhookReceiver;
beforeAll(async () => {
  await run(process.execPath, [fileURLToPath(new URL('scripts/build.ts', SDK))]);
  sdk = await import(new URL('dist/index.js', SDK).href);
  receiver = await startWebhookReceiver();
  stack = await startStack({ env: { EGRESS_ALLOW: '127.0.0.1' } });
  api = clientWith();
}, 120_000);
afterAll(async () => {
  await stack.close();
  await receiver.close();
});

const clientWith = (options: object = {}) =>
  new sdk.Switchboard({ baseUrl: stack.url, key: stack.org.key, ...options });
const json = (status: number, body: object, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } });

/** A fetch that really sends, and then answers as `answer` says for the first requests. */
function interrupted(answers: ((response: Response) => Response)[]) {
  const sent: Request[] = [];
  const send = async (input: string | URL | Request) => {
    const request = new Request(input);
    sent.push(request.clone());
    const response = await fetch(request);
    return answers.shift()?.(response) ?? response;
  };
  return { sent, send };
}
const lost = (): never => {
  throw new TypeError('fetch failed');
};
const keysOf = (sent: Request[]) => [...new Set(sent.map(({ headers }) => headers.get('idempotency-key')))];

describe('the SDK', () => {
  it('is one file below 40 kB compressed that needs no other and no Node.js', async () => {
    const code = readFileSync(new URL('dist/index.js', SDK));
    expect(gzipSync(code).length).toBeLessThan(MAX_BYTES);
    expect(code.includes('node:')).toBe(false);
    const alone = mkdtempSync(join(tmpdir(), 'sdk-'));
    writeFileSync(join(alone, 'index.mjs'), code);
    expect(Object.keys(await import(join(alone, 'index.mjs')))).toContain('Switchboard');
    rmSync(alone, { recursive: true });
    const { dependencies } = JSON.parse(readFileSync(new URL('package.json', SDK), 'utf8'));
    expect(dependencies).toBeUndefined();
  });

  it('has a method for every operation of the document', async () => {
    const { paths } = (await stack.org.get('/openapi.json')).body as {
      paths: Record<string, Record<string, { operationId?: string }>>;
    };
    const ids = Object.values(paths).flatMap((path) =>
      Object.values(path).flatMap(({ operationId }) => operationId ?? []),
    );
    expect(ids.length).toBeGreaterThan(300);
    const missing = ids.filter((id) => typeof Reflect.get(api, id) !== 'function');
    expect(missing).toEqual(['listSandboxOutbox']); // of development alone
  });

  it('rejects with the code, the issues and the conflicting row of an error', async () => {
    const { id } = await api.saveContact({ body: { contact: { email: 'one@example.com' } } });
    const { id: second } = await api.saveContact({ body: { contact: { email: 'two@example.com' } } });
    const change = { path: { id: second }, body: { contact: { email: 'one@example.com' } } };
    const taken = await api.updateContact(change).catch((error: unknown) => error);
    expect(taken).toBeInstanceOf(sdk.SwitchboardError);
    expect(taken).toMatchObject({ status: 409, code: 'already_exists', conflicting: { id, field: 'email' } });
    const wrong = await api
      .saveContact({ body: { contact: { email: 'no address' } } })
      .catch((error: unknown) => error);
    expect(wrong).toMatchObject({ status: 400, code: 'invalid_request', issues: [{ path: 'body.contact.email' }] });
    expect(wrong).toHaveProperty('requestId', expect.any(String));
    const unknown = clientWith({ key: 'none' }).getOrganization();
    await expect(unknown).rejects.toMatchObject({ status: 401, code: 'unauthenticated' });
  });

  it('reads all pages of a list, each item once', async () => {
    const org = await stack.createOrg();
    const contacts = Array.from({ length: 23 }, (_, n) => ({ email: `page${n}@example.com` }));
    await org.post('/contacts/batch', { contacts });
    const paged = clientWith({ key: org.key });
    const emails: (string | null)[] = [];
    for await (const { email } of sdk.itemsOf((page) => paged.listContacts({ query: { ...page, limit: 5 } })))
      emails.push(email);
    expect(emails.toSorted()).toEqual(contacts.map(({ email }) => email).toSorted());
  });
});

describe('a request of the SDK that fails on the way', () => {
  it('is repeated with one key if it is a POST, and acts once', async () => {
    const { sent, send } = interrupted([lost, () => json(503, {}, { 'retry-after': '0' })]);
    const segment = await clientWith({ fetch: send }).createSegment({ body: { name: 'Once', filter: null } });
    expect([sent.length, keysOf(sent)]).toEqual([3, [expect.any(String)]]);
    const { items } = (await stack.org.get('/segments')).body;
    expect(items.filter(({ name }: { name: string }) => name === 'Once')).toMatchObject([{ id: segment.id }]);
  });

  it('is repeated no earlier than the API asks for', async () => {
    const { sent, send } = interrupted([() => json(429, { code: 'rate_limited' }, { 'retry-after': '1' })]);
    const began = performance.now();
    await clientWith({ fetch: send }).getOrganization();
    expect(sent.length).toBe(2);
    expect(performance.now() - began).toBeGreaterThan(990);
  });

  it('is not repeated where a second one could do more than the first', async () => {
    const { sent, send } = interrupted([lost, lost]);
    const org = clientWith({ fetch: send });
    await expect(org.updateOrganization({ body: { name: 'New' } })).rejects.toThrow('fetch failed');
    const { id } = await api.createSegment({ body: { name: 'Gone', filter: null } });
    await expect(org.deleteSegment({ path: { id } })).rejects.toThrow('fetch failed');
    expect(sent.length).toBe(2);
  });

  it('is an error once the tries are used up, or the wait is too long', async () => {
    const away = () => json(503, { message: 'away', code: 'unavailable' }, { 'retry-after': '0' });
    const short = interrupted([away, away, away]);
    const twice = clientWith({ fetch: short.send, retries: { maxRetries: 1 } });
    await expect(twice.getOrganization()).rejects.toMatchObject({ status: 503, code: 'unavailable' });
    expect(short.sent.length).toBe(2);
    const long = interrupted([() => json(429, { code: 'quota_used_up' }, { 'retry-after': '3600' })]);
    const refused = clientWith({ fetch: long.send }).getOrganization();
    await expect(refused).rejects.toMatchObject({ status: 429, retryAfterSeconds: 3600 });
    expect(long.sent.length).toBe(1);
  });
});

describe('waiting for a job', () => {
  it('resolves to its end', async () => {
    const { id } = await api.createChatSession({ body: {} });
    const started = await api.changeChatSessions({
      body: { query: { status: [0] }, action: { type: 'set_status', status: 'closed_resolved' } },
    });
    if (!('job_id' in started)) throw new Error('a job was wanted');
    const job = await sdk.waitFor(() => api.getSessionJob({ path: { id: started.job_id } }));
    expect(job).toMatchObject({ state: 'done', total: started.total });
    expect(await api.getChatSession({ path: { id } })).toMatchObject({ status: 'closed_resolved' });
  });

  it('refuses an address that is none', () => {
    expect(() => new sdk.Switchboard({ baseUrl: '', key: 'x' })).toThrow('baseUrl must be the address');
  });

  it('rejects after its time, and when it is stopped', async () => {
    const running = async () => ({ status: 'running' });
    await expect(sdk.waitFor(running, { timeoutMs: 100 })).rejects.toThrow('not ended within 100 ms: it is running');
    const stopped = sdk.waitFor(running, { signal: AbortSignal.timeout(50) });
    await expect(stopped).rejects.toMatchObject({ name: 'TimeoutError' });
  });
});

/** A fetch whose first answer breaks off after its first event. */
function breakingOnce() {
  let isFirst = true;
  return async (input: string | URL | Request) => {
    const response = await fetch(input);
    if (!isFirst || response.body === null) return response;
    isFirst = false;
    const breaking = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        controller.enqueue(chunk);
        if (Buffer.from(chunk).includes('data:')) controller.error(new TypeError('terminated'));
      },
    });
    return new Response(response.body.pipeThrough(breaking), response);
  };
}

describe('the live events of the SDK', () => {
  it('come each once and in order over a connection that breaks, and continue after a stored id', async () => {
    const org = await stack.createOrg();
    const { id } = (await org.post('/chat/sessions', {})).body;
    const note = (text: string) => org.post(`/chat/sessions/${id}/notes`, { text });
    const stop = new AbortController();
    const events = sdk.liveEvents(clientWith({ key: org.key, fetch: breakingOnce() }), { signal: stop.signal });
    const seen: { id: string | undefined; text: string }[] = [];
    const reading = (async () => {
      for await (const { id: cursor, data } of events) {
        const text = JSON.stringify(data);
        seen.push({ id: cursor, text });
        if (text.includes('"third"')) stop.abort();
      }
    })();
    await eventually('the first event', async () => {
      if (seen.length === 0) await note('first');
      return seen.length > 0;
    });
    await note('second');
    await note('third');
    await reading;
    expect(new Set(seen.map((one) => one.id)).size).toBe(seen.length);
    const texts = seen.map(({ text }) => /first|second|third/.exec(text)?.[0]);
    expect([...new Set(texts)]).toEqual(['first', 'second', 'third']); // the first note may have been written several times

    for await (const { id: cursor } of sdk.liveEvents(clientWith({ key: org.key }), { after: seen[0]?.id })) {
      expect(cursor).toBe(seen[1]?.id);
      break;
    }
  });

  it('end at once when they are stopped, also before others that have arrived', async () => {
    const arrived = [1, 2, 3].map((n) => `id: ${n}\nevent: message\ndata: {"n":${n}}\n\n`).join('');
    const headers = { 'content-type': 'text/event-stream' };
    const stop = new AbortController();
    const seen: (string | undefined)[] = [];
    const fetchAtOnce = async () => new Response(arrived, { headers });
    for await (const { id } of sdk.liveEvents(clientWith({ key: 'a-key', fetch: fetchAtOnce }), {
      signal: stop.signal,
    })) {
      seen.push(id);
      stop.abort();
    }
    expect(seen).toEqual(['1']);
  });

  it('end with the error of a refusal', async () => {
    const refused = sdk.liveEvents(clientWith({ key: 'none' })).next();
    await expect(refused).rejects.toMatchObject({ status: 401 });
  });
});

describe('the pages of events of the SDK', () => {
  /** Makes an org with a session of so many notes, called 1, 2, 3 and so on. */
  async function orgWithNotes(count: number) {
    const org = await stack.createOrg();
    const { id } = (await org.post('/chat/sessions', {})).body;
    const note = (text: string) => org.post(`/chat/sessions/${id}/notes`, { text });
    for (let n = 1; n <= count; n++) await note(String(n));
    return { api: clientWith({ key: org.key }), note };
  }
  const notesOf = ({ items }: { items: { data: object }[] }) =>
    items.flatMap(({ data }) => /"text":"(\d+)"/.exec(JSON.stringify(data))?.[1] ?? []);
  const NOTES = ['human_agent_comment'];

  it('have each event once and in order to the last one, and continue after a stored cursor or id', async () => {
    const { api: reader, note } = await orgWithNotes(7);
    const pages: string[][] = [];
    const cursors: string[] = [];
    let id: string | undefined;
    for await (const page of sdk.eventPages(reader, { types: NOTES, limit: 3 })) {
      pages.push(notesOf(page));
      cursors.push(page.next);
      id ??= page.items[0]?.id;
    }
    expect(pages).toEqual([['1', '2', '3'], ['4', '5', '6'], ['7']]);

    await note('8');
    const rest = async (after: string | undefined) => {
      const read: string[] = [];
      for await (const page of sdk.eventPages(reader, { after, types: NOTES })) read.push(...notesOf(page));
      return read;
    };
    expect(await rest(cursors[0])).toEqual(['4', '5', '6', '7', '8']);
    expect(await rest(cursors.at(-1))).toEqual(['8']);
    expect(await rest(id)).toEqual(['2', '3', '4', '5', '6', '7', '8']);
    for await (const { id: live } of sdk.liveEvents(reader, { after: cursors.at(-1) })) {
      const { value: page } = await sdk.eventPages(reader, { after: cursors.at(-1) }).next();
      expect(live).toBe(page?.items[0]?.id);
      break;
    }
  });

  it('wait for what comes where they are asked to, and end once they are stopped, in a wait and in a request', async () => {
    const { api: reader, note } = await orgWithNotes(1);
    const stop = new AbortController();
    const read: string[] = [];
    for await (const page of sdk.eventPages(reader, { types: NOTES, pollMs: 20, signal: stop.signal })) {
      read.push(...notesOf(page));
      if (read.length === 1 && page.items.length === 1) await note('2');
      if (read.length === 2) setTimeout(() => stop.abort(), 50);
    }
    expect(read).toEqual(['1', '2']);
    expect(await sdk.eventPages(reader, { signal: stop.signal }).next()).toEqual({ done: true, value: undefined });

    const during = new AbortController();
    const send = async (input: string | URL | Request) => {
      during.abort();
      return fetch(input);
    };
    const stopped = sdk.eventPages(clientWith({ fetch: send }), { signal: during.signal }).next();
    expect(await stopped).toEqual({ done: true, value: undefined });
  });

  it('repeat a page that is lost on the way, and end with the error of a refusal', async () => {
    const { api: reader } = await orgWithNotes(2);
    const { sent, send } = interrupted([lost]);
    const { value: page } = await sdk.eventPages(reader, { types: NOTES }).next();
    const again = await sdk.eventPages(clientWith({ fetch: send }), { limit: 1 }).next();
    expect([page && notesOf(page), again.done, sent.length]).toEqual([['1', '2'], false, 2]);
    const refused = sdk.eventPages(clientWith({ key: 'none' })).next();
    await expect(refused).rejects.toMatchObject({ status: 401 });
    const unknown = sdk.eventPages(reader, { after: 'no cursor' }).next();
    await expect(unknown).rejects.toMatchObject({ status: 400 });
  });
});

describe('verifying a webhook with the SDK', () => {
  it('takes what Switchboard signs, and the library of Standard Webhooks', async () => {
    const { secret } = await createEndpoint(stack.org, receiver, { event_types: ['conversation.started'] });
    const session = await api.createChatSession({ body: {} });
    const webhook = await eventually('the webhook', () =>
      receiver.received.find(({ raw }) => raw.includes(session.id)),
    );
    const event = await sdk.verifyWebhook({
      headers: webhook.headers,
      body: webhook.raw,
      secret: ['whsec_b3RoZXI=', secret],
    });
    expect(event).toMatchObject({ type: 'conversation.started', organization_id: stack.org.id });
  });

  it('refuses another body, secret, id or time, and what is not signed', async () => {
    const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
    const signed = (at: Date, body = '{"type":"a"}') => ({
      headers: {
        'webhook-id': 'one',
        'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
        'webhook-signature': new Webhook(secret).sign('one', at, body),
      },
      body,
      secret,
    });
    const now = signed(new Date());
    expect(await sdk.verifyWebhook(now)).toEqual({ type: 'a' });
    expect(await sdk.verifyWebhook({ ...now, headers: new Headers(now.headers) })).toEqual({ type: 'a' });
    const minutes = (count: number) => new Date(Date.now() + count * 60_000);
    for (const wrong of [
      { ...now, body: '{"type":"b"}' },
      { ...now, secret: `whsec_${Buffer.alloc(24, 8).toString('base64')}` },
      { ...now, headers: { ...now.headers, 'webhook-id': 'two' } },
      { ...now, headers: { ...now.headers, 'webhook-signature': 'v1,%%%' } },
      {
        ...now,
        headers: { ...now.headers, 'webhook-signature': now.headers['webhook-signature'].replace('v1,', 'v2,') },
      },
      { ...now, headers: { ...now.headers, 'webhook-timestamp': 'soon' } },
      { ...now, headers: {} },
      signed(minutes(-6)),
      signed(minutes(6)),
    ])
      await expect(sdk.verifyWebhook(wrong)).rejects.toBeInstanceOf(sdk.WebhookRefused);
  });
});

describe('the README of the SDK', () => {
  it('has examples that run one after the other', async () => {
    const org = await stack.createOrg();
    const blocks = readFileSync(new URL('README.md', SDK), 'utf8').matchAll(/^```ts\n(.*?)^```$/gms);
    const file = fileURLToPath(new URL('dist/readme.ts', SDK));
    writeFileSync(file, [...blocks].map(([, code]) => code).join('\n'));
    const env = { ...process.env, SWITCHBOARD_URL: stack.url, SWITCHBOARD_KEY: org.key, WEBHOOK_SECRET: 'whsec_YWJj' };
    const { stdout } = await run(process.execPath, [file], { env });
    rmSync(file);
    expect(stdout.trim().split('\n')).toEqual([
      'Ada crm-4711',
      'Ada',
      '409 email true',
      'done',
      expect.stringMatching(/^\w+ string$/),
      'true',
      'false',
      '401',
    ]);
  });
});
