import { setTimeout as sleep } from 'node:timers/promises';
import { startApi, type TestApi } from '../support/stack/api.ts';
import { unverified, type Widget, widgetOf } from './client.ts';

const AGENT = { sender: 'agent', agent: { name: 'Grace' } };

let api: TestApi;
let widget: Widget;
let sessionId: string;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  widget = await unverified(api, api.org);
  sessionId = await widget.newSession();
  await widget.send(sessionId, 'Hello');
});

const agentSays = (text: string) =>
  api.org.post(`/chat/sessions/${sessionId}/send`, { ...AGENT, message: { type: 'text', text } });
const lastId = async (): Promise<string> => (await widget.poll(sessionId)).history.at(-1).publicId;

describe('a poll that waits', () => {
  it('is answered as soon as somebody writes', async () => {
    const since = await lastId();
    const before = Date.now();
    const waiting = widget.get(`poll/${sessionId}?since=${since}&wait=20`);
    await sleep(300);
    await agentSays('Good morning');
    const { status, body } = await waiting;
    expect(status).toBe(200);
    expect(body.history.map(({ content }: { content: { text: string } }) => content.text)).toEqual(['Good morning']);
    expect(Date.now() - before).toBeLessThan(8_000);
  });

  it('is answered 204 when its time is over and nothing happened', async () => {
    expect(await widget.get(`poll/${sessionId}?since=${await lastId()}&wait=1`)).toMatchObject({ status: 204 });
  });

  it('is answered when only the session changed, if the client says what it knows', async () => {
    const { state } = await widget.poll(sessionId);
    const waiting = widget.get(`poll/${sessionId}?since=${await lastId()}&wait=20&state=${state}`);
    await api.org.post(`/chat/sessions/${sessionId}/handoff`, {});
    const { body } = await waiting;
    expect(body).toMatchObject({ history: [], session: { isHandedOff: true } });
    expect(body.state).not.toBe(state);
  });

  it.each([['26'], ['-1'], ['soon']])('refuses a wait of %s', async (wait) => {
    expect((await widget.get(`poll/${sessionId}?wait=${wait}`)).status).toBe(400);
  });
});

describe('what a visitor has read', () => {
  it('counts messages behind the last one that the visitor has read or written', async () => {
    const unread = async () => (await widget.poll(sessionId)).session.unread;
    expect(await unread()).toBe(0);
    await agentSays('One');
    await agentSays('Two');
    expect(await unread()).toBe(2);
    const [, one] = (await widget.poll(sessionId)).history;
    await widget.post('read', { session_id: sessionId, up_to: one.publicId });
    expect(await unread()).toBe(1);
    expect((await widget.get('sessions')).body.items[0].unread).toBe(1);
    await widget.send(sessionId, 'Thanks');
    expect(await unread()).toBe(0);
  });

  it('is of the visitor’s own sessions and their items only', async () => {
    const stranger = await unverified(api, api.org);
    const theirs = await stranger.newSession();
    const up_to = await lastId();
    expect((await stranger.post('read', { session_id: sessionId, up_to })).status).toBe(404);
    expect((await stranger.post('read', { session_id: theirs, up_to })).status).toBe(400);
  });
});

describe('a visitor who wants a person', () => {
  it('has the session handed off, once', async () => {
    for (const _ of [1, 2])
      expect(await widget.post('session/handoff', { session_id: sessionId })).toMatchObject({
        status: 200,
        body: { isHandedOff: true },
      });
    const { items } = (await api.org.get(`/chat/sessions/${sessionId}/history`)).body;
    expect(items.filter(({ event }: { event: { type: string } }) => event.type === 'handoff')).toHaveLength(1);
  });

  it('gets a 404 for the session of somebody else', async () => {
    const stranger = await unverified(api, api.org);
    expect((await stranger.post('session/handoff', { session_id: sessionId })).status).toBe(404);
  });
});

describe('the settings of the widget', () => {
  const config = async (origin?: string) =>
    (await widgetOf(api, api.org).get('config', origin === undefined ? {} : { origin })).body;
  afterEach(() => api.org.put('/widget/settings', {}));

  it('have defaults, and reach the page with what the org knows', async () => {
    const hours = await api.org.post('/office-hours', {
      name: 'Never',
      iana_timezone: 'Europe/Berlin',
      shifts: [{ day_of_week: 'monday', start_time: '09:00:00', end_time: '17:00:00' }],
      holidays: [],
    });
    expect((await api.org.get('/widget/settings')).body).toMatchObject({
      collect: { name: false, email: false },
      files: true,
    });
    expect(await config()).toMatchObject({ hours: null, csat: false, ai: null, quick_replies: [], languages: null });
    await api.org.patch('/org/settings', { csat: true });
    await api.org.patch('/autopilot', { channel: 'web', autopilot_enabled: true });
    const put = await api.org.put('/widget/settings', {
      appearance: { color: '#0f766e', greeting: 'Hi' },
      office_hours_id: hours.body.id,
      ai: { name: 'Bo' },
      files: false,
    });
    expect(put.status).toBe(200);
    const shown = await config();
    expect(shown).toMatchObject({
      org: { name: api.org.name },
      appearance: { color: '#0f766e', greeting: 'Hi', position: 'right' },
      hours: { open: expect.any(Boolean) },
      csat: true,
      ai: { name: 'Bo', disclosure: null },
      files: null,
    });
    expect((await config('https://other.example')).org.name).toBe(api.org.name);
    await api.org.patch('/autopilot', { channel: 'web', autopilot_enabled: false });
  });

  it('refuse pages of other origins on every route, and name the setting', async () => {
    await api.org.put('/widget/settings', { allowed_origins: ['https://shop.example/', 'https://*.lamps.example'] });
    expect((await api.org.get('/widget/settings')).body.allowed_origins).toEqual([
      'https://shop.example',
      'https://*.lamps.example',
    ]);
    expect((await widget.get(`poll/${sessionId}`)).status).toBe(200);
    expect((await widget.get('config', { origin: 'https://eu.lamps.example' })).status).toBe(200);
    for (const path of ['config', `poll/${sessionId}`, 'sessions']) {
      const refused = await widget.get(path, { origin: 'https://evil.example' });
      expect(refused).toMatchObject({ status: 403, body: { success: false, error: { code: 'forbidden' } } });
      expect(refused.body.error.message).toContain('PUT /widget/settings');
      expect(refused.headers.get('access-control-allow-origin')).toBe('https://evil.example');
    }
    const sent = await widget.post('chat/send', {}, { origin: 'https://evil.example' });
    expect(sent.status).toBe(403);
  });

  it.each([
    ['a colour by name', { appearance: { color: 'red' } }],
    ['an origin with a path', { allowed_origins: ['https://shop.example/cart'] }],
    ['no origin at all', { allowed_origins: [] }],
    ['office hours of nobody', { office_hours_id: crypto.randomUUID() }],
    ['a logo that is no address', { appearance: { logo: 'javascript:alert(1)' } }],
    ['an unknown language', { languages: ['xx'] }],
  ])('refuse %s', async (_, settings) => {
    expect((await api.org.put('/widget/settings', settings)).status).toBe(400);
  });

  it('are the org’s own', async () => {
    await api.org.put('/widget/settings', { ai: { name: 'Mine' } });
    expect((await api.other.get('/widget/settings')).body.ai.name).toBe('AI assistant');
    const { get, put } = await api.org.withScopes('widget:read');
    expect((await get('/widget/settings')).status).toBe(200);
    expect((await put('/widget/settings', {})).status).toBe(403);
  });
});

describe('what a page loads', () => {
  it('is a configuration that the browser keeps for five minutes, for this page and widget', async () => {
    const { headers } = await widgetOf(api, api.org).get('config');
    expect(headers.get('cache-control')).toBe('private, max-age=300');
    expect(headers.get('vary')?.toLowerCase()).toMatch(/origin.*x-bot-token/);
  });

  it('is a script, compressed, with an ETag and for every origin', async () => {
    const headers = { origin: 'https://shop.example', 'accept-encoding': 'gzip' };
    const script = await api.client().get('/widget.js', { headers });
    expect(script.status).toBe(200);
    expect(Object.fromEntries(script.headers)).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'content-encoding': 'gzip',
      'cache-control': 'public, max-age=300',
      'cross-origin-resource-policy': 'cross-origin',
      'access-control-allow-origin': 'https://shop.example',
    });
    const etag = script.headers.get('etag') as string;
    expect((await api.client().get('/widget.js', { headers: { 'if-none-match': etag } })).status).toBe(304);
    const german = await api.client().get('/widget/de.json');
    expect(german).toMatchObject({ status: 200, body: { send: 'Senden' } });
    expect(
      (await api.client().get('/widget/settings', { headers })).headers.get('access-control-allow-origin'),
    ).toBeNull();
  });
});
