import fc from 'fast-check';
import { EXECUTABLE, PNG, pngOf, zipOf } from '../media/samples.ts';
import { STRANGE_TEXTS } from '../security/hostile.ts';
import { startApi, type TestApi } from '../support/stack/api.ts';
import { unverified, type Widget, widgetOf } from './client.ts';

let api: TestApi;
let widget: Widget;
let id: string;
beforeAll(async () => {
  api = await startApi();
  widget = await unverified(api, api.org);
  id = await widget.newSession();
});
afterAll(() => api.close());

const ROUTES = [
  'contact/create-unverified',
  'create-session',
  'chat/send',
  'chat/vote',
  'session/resolve',
  'checkpoint',
  'submit-csat',
  'upload',
];
const FIELDS =
  'uuid content session_id sessionId messagePublicId action attachments language custom_data customData payload score feedback email'.split(
    ' ',
  );

const countMedia = async () => (await api.db.selectFrom('media').select('id').execute()).length;

describe('a hostile widget message', () => {
  it.each(STRANGE_TEXTS.filter((text) => text.trim() !== ''))('%j stays plain text in all fields', async (text) => {
    const claims = { non_verified_name: text, non_verified_custom_data: { value: text } };
    const visitor = await unverified(api, api.org, claims);
    const session = await visitor.newSession({ external_id: text });
    expect((await visitor.send(session, text, { custom_data: { said: text }, language: text })).body.success).toBe(
      true,
    );
    const { history, session: shown } = await visitor.poll(session);
    expect(history[0]).toMatchObject({ content: { text }, sender: { kind: 'user', name: text } });
    expect(shown.sessionAttributes).toEqual({ external_id: text, said: text });
    const filters = encodeURIComponent(JSON.stringify({ external_id: text }));
    expect((await visitor.get(`sessions?filters=${filters}`)).body.items).toHaveLength(1);
  });

  it('an invalid message is answered with a 200, a wrong request of another kind with a 400, and both name the field', async () => {
    const send = (change: object) =>
      widget.post('chat/send', { uuid: crypto.randomUUID(), content: 'x', session_id: id, ...change });
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`k${n}`, 'x']));
    const wrong = [
      [send({ uuid: 'no-uuid' }), /uuid/],
      [send({ uuid: null }), /uuid/],
      [send({ content: '' }), /content/],
      [send({ content: ' \n ' }), /content/],
      [send({ content: 7 }), /content/],
      [send({ content: 'x'.repeat(50_001) }), /content/],
      [send({ content: 'a\0b' }), /NUL/],
      [send({ content: '\ud800' }), /Unicode/],
      [send({ session_id: "' or true --" }), /session_id/],
      [send({ session_id: undefined }), /session_id/],
      [send({ custom_data: { a: { b: 'x'.repeat(5_000) } } }), /custom_data/],
      [send({ custom_data: many }), /custom_data/],
      [send({ custom_data: [] }), /custom_data/],
      [send({ bot_token: api.other.widgetToken }), /bot_token/],
      [send({ attachments: 'x' }), /attachments/],
      [send({ initial_messages: 'x' }), /initial_messages/],
      [send({ initial_messages: Array(21).fill('x') }), /initial_messages/],
      [send({ clientContext: { a: 'x'.repeat(20_000) } }), /clientContext/],
      [widget.post('chat/send', '{"uuid":'), /JSON/],
      [widget.post('chat/send', undefined), /body/i],
    ] as const;
    const elsewhere = [
      [widget.post('checkpoint', { session_id: id, payload: 'x'.repeat(20_001) }), /payload/],
      [widget.post('checkpoint', { session_id: id }), /payload/],
      [widget.post('submit-csat', { session_id: id, score: 6 }), /score/],
      [widget.post('submit-csat', { session_id: id, score: '5' }), /score/],
      [widget.post('chat/vote', { action: 'love', sessionId: id, messagePublicId: id }), /action/],
      [widget.post('chat/vote', { action: 'upvote', sessionId: id, messagePublicId: id }), /messagePublicId/],
      [widget.get('sessions?filters={'), /filters/],
      [widget.get('sessions?filters=%5B1%5D'), /filters/],
      [widget.get('sessions?cursor=nonsense'), /cursor/],
      [widget.get('sessions?offset=-1'), /offset/],
      [widget.get('sessions?offset=nonsense'), /cursor/],
      [widget.get(`poll/${id}?since=yesterday`), /since/],
      [widget.get(`poll/${id}?since=${id}`), /since/],
      [widget.get(`session/history/${id}?since=${id}`), /since/],
      [widget.post('create-session', { customData: 7 }), /customData/],
      [widget.post('session/resolve', {}), /session_id/],
      [widget.post('submit-csat', { session_id: id, score: 5, system_message_uuid: 'x' }), /system_message_uuid/],
      [widget.get('poll/no-uuid'), /sessionId/],
      [widgetOf(api, api.org).post('contact/create-unverified', { email: 'nobody' }), /email/],
    ] as const;
    for (const [status, requests] of [
      [200, wrong],
      [400, elsewhere],
    ] as const) {
      for (const [answer, message] of requests) {
        const { body, ...got } = await answer;
        expect([got.status, body.success, body.error.message]).toEqual([status, false, expect.stringMatching(message)]);
        expect(body.error.code).toBe('invalid_request');
      }
    }
    expect((await widget.poll(id)).history).toEqual([]);
  });

  it.each(ROUTES)('random JSON never causes a server error in %s', async (path) => {
    const own = await widget.newSession();
    const field = fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.constantFrom(own, crypto.randomUUID()));
    const bodies = fc.sample(
      fc.oneof(
        fc.jsonValue({ maxDepth: 4 }),
        fc.record(Object.fromEntries(FIELDS.map((name) => [name, field])), { requiredKeys: [] }),
      ),
      60,
    );
    for (const body of bodies) {
      const { status, body: answer } = await widget.post(path, JSON.stringify(body));
      const isTold = answer.success !== false || typeof answer.error.message === 'string';
      expect(`${JSON.stringify(body)} ${status} ${isTold}`).toMatch(
        path === 'chat/send' ? / (200|404) true$/ : / (200|4\d\d) true$/,
      );
    }
  });

  it('cannot add unlimited custom data to a session', async () => {
    const visitor = await unverified(api, api.org);
    const session = await visitor.newSession({ a: 'x' });
    const data = (round: number) =>
      Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`${round}-${n}`, 'x'.repeat(10)]));
    expect((await visitor.send(session, 'One', { custom_data: data(1) })).body.success).toBe(true);
    const uuid = crypto.randomUUID();
    const refused = await visitor.send(session, 'Two', { uuid, custom_data: data(2) });
    expect([refused.status, refused.body.error.message]).toEqual([200, expect.stringMatching(/custom_data.*100 keys/)]);
    expect((await visitor.send(session, 'Two', { uuid })).body.code).toBeUndefined(); // the refused message was not stored
    expect(await visitor.said(session)).toEqual([
      ['user', 'One'],
      ['user', 'Two'],
    ]);
  });

  it('cannot vote for a message of its own sender or of another session', async () => {
    const visitor = await unverified(api, api.org);
    const session = await visitor.newSession();
    const other = await visitor.newSession();
    const uuid = crypto.randomUUID();
    await visitor.send(session, 'x', { uuid });
    await api.org.post(`/chat/sessions/${other}/send`, { sender: 'agent', message: { type: 'text', text: 'y' } });
    const answer = (await visitor.poll(other)).history[0].publicId;
    for (const messagePublicId of [uuid, answer, crypto.randomUUID()]) {
      const { body } = await visitor.post('chat/vote', { action: 'upvote', sessionId: session, messagePublicId });
      expect(body).toMatchObject({ success: false, error: { code: 'invalid_request' } });
    }
  });
});

describe('a hostile upload from the widget', () => {
  it.each([
    ['../../../etc/passwd', 'passwd.png'],
    ['C:\\windows\\evil.exe', 'evil.exe.png'],
    ['photo\u202egnp.exe', 'photognp.exe.png'],
    ['<script>.svg', '_script_.svg.png'],
    [`${'x'.repeat(5_000)}.png`, expect.stringMatching(/^x{196}\.png$/)],
  ])('named %j is stored under a harmless name', async (given, name) => {
    const { status, body } = await widget.upload(PNG, given);
    expect([status, body]).toEqual([200, { fileName: name, fileUrl: expect.any(String) }]);
    const { headers } = await fetch(body.fileUrl);
    expect(headers.get('content-type')).toBe('image/png');
    expect(headers.get('content-disposition')).toMatch(/^attachment/);
  });

  it.each([
    ['cat.svg', '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>', 415, 'unsupported_type'],
    ['note.txt', '<script>alert(1)</script>', 415, 'unsupported_type'],
    ['cat.png', EXECUTABLE, 415, 'unsupported_type'],
    ['report.docx', zipOf({ 'bomb.bin': Buffer.alloc(1_000_000) }), 415, 'unsupported_type'],
    ['empty.png', '', 400, 'invalid_request'],
    ['large.png', pngOf(5 * 1024 ** 2 + 1), 413, 'too_large'],
    ['huge.png', pngOf(20 * 1024 ** 2), 413, 'too_large'],
  ])('an upload of %s is refused with a reason, and not stored (%#)', async (name, content, expected, code) => {
    const before = await countMedia();
    const { status, body } = await widget.upload(content, name);
    expect([status, body]).toEqual([expected, { success: false, error: expect.objectContaining({ code }) }]);
    expect(body.error.message.length).toBeGreaterThan(10);
    expect(await countMedia()).toBe(before);
  });

  it('is accepted at exactly 5 MB, and refused without a form or a token', async () => {
    expect((await widget.upload(pngOf(5 * 1024 ** 2), 'a.png')).body.fileUrl).toMatch(/media/);
    for (const body of [undefined, {}, '', 'null']) {
      expect((await widget.post('upload', body)).body).toMatchObject({
        success: false,
        error: { code: 'invalid_request' },
      });
    }
    const form = { 'content-type': 'multipart/form-data; boundary=xx' };
    expect((await widget.post('upload', '--xx\r\nhalf', form)).body).toMatchObject({ success: false });
    expect((await widget.post('chat/send', '--xx--', form)).body.error.code).toBe('unsupported_type');
    expect((await widgetOf(api, api.org).upload(PNG, 'a.png')).status).toBe(401);
  });

  it('is attached only by its valid signed link: not by a foreign, forged, expired or deleted one', async () => {
    const { fileUrl } = (await widget.upload(PNG, 'a.png')).body;
    const foreign = (await (await unverified(api, api.other)).upload(PNG, 'foreign.png')).body.fileUrl;
    const media = await api.db
      .selectFrom('media')
      .selectAll()
      .where('org_id', '=', api.org.id)
      .executeTakeFirstOrThrow();
    const expired = api.deps.mediaLinks.linkOf(media, new Date(Date.now() - 9 * 86_400_000));
    const deleted = (await widget.upload(PNG, 'deleted.png')).body.fileUrl;
    await api.db.updateTable('media').set({ deleted_at: new Date() }).where('file_name', '=', 'deleted.png').execute();
    const wrong = [
      foreign,
      expired,
      deleted,
      `${fileUrl}x`,
      media.id,
      media.key,
      '',
      'file:///etc/passwd',
      `${api.url}/media/x`,
    ];
    for (const url of wrong) {
      const { status, body } = await widget.send(id, 'See', { attachments: [{ url: fileUrl }, { url }] });
      expect([status, body.error?.message]).toEqual([200, expect.stringMatching(/attachments\.1/)]);
    }
    expect((await widget.send(id, 'See', { attachments: Array(11).fill({ url: fileUrl }) })).body.success).toBe(false);
    const own = await widget.newSession();
    expect((await widget.send(own, '', { attachments: [{ fileUrl, fileName: '../x.exe' }] })).body.success).toBe(true);
    expect((await widget.poll(own)).history).toMatchObject([
      { content: { text: '' }, attachments: [{ name: 'a.png' }] },
    ]);
    expect((await widget.poll(id)).history).toEqual([]);
  });
});

describe('rate limits of the widget', () => {
  it('apply per address and widget, and are lower for writing than for polling', async () => {
    const limited = await startApi({
      env: { RATE_LIMIT_STANDARD: '5', RATE_LIMIT_STREAMING: '12', TRUSTED_PROXIES: '127.0.0.1/32' },
    });
    try {
      const from = (address: string) => ({ 'x-forwarded-for': address });
      const of = widgetOf(limited, limited.org);
      const make = (address: string, w = of) => w.post('contact/create-unverified', {}, from(address));
      const first = await make('203.0.113.1');
      expect(first.headers.get('x-ratelimit-limit')).toBe('5');
      const statuses = (await Promise.all(Array.from({ length: 6 }, () => make('203.0.113.1')))).map((a) => a.status);
      expect(statuses.filter((status) => status === 429)).toHaveLength(2);
      const refused = await make('203.0.113.1');
      expect(refused).toMatchObject({ status: 429, body: { success: false, error: { code: 'rate_limited' } } });
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect((await make('203.0.113.2')).status).toBe(200);
      expect((await make('203.0.113.1', widgetOf(limited, limited.other))).status).toBe(200);
      expect((await of.get('config', from('203.0.113.1'))).status).toBe(200);

      const network = await Promise.all(Array.from({ length: 8 }, (_, n) => make(`2001:db8:1:2:${n}::1`)));
      expect(network.filter(({ status }) => status === 429)).toHaveLength(3);

      const nobody = widgetOf(limited, { ...limited.org, widgetToken: 'guess' });
      const guesses = await Promise.all(Array.from({ length: 15 }, () => nobody.get('config', from('203.0.113.9'))));
      expect(guesses.filter(({ status }) => status === 401)).toHaveLength(12);
      expect(guesses.filter(({ status }) => status === 429)).toHaveLength(3);
    } finally {
      await limited.close();
    }
  });
});
