import { addMember } from '../../src/orgs/members/service.ts';
import { PNG } from '../media/samples.ts';
import { startApi, type TestApi } from '../support/stack/api.ts';
import { unverified, verified, type Widget, widgetOf } from './client.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
  await api.org.patch('/org/settings', { handoff_on_first_message: true });
});
afterAll(() => api.close());

const anEmail = () => `${crypto.randomUUID()}@example.com`;
const agentSays = (id: string, text: string) =>
  api.org.post(`/chat/sessions/${id}/send`, {
    sender: 'agent',
    agent: { name: 'Grace', avatar_url: 'https://example.com/g.png' },
    message: { type: 'text', text },
  });
const typesOf = async (id: string): Promise<string[]> =>
  (await api.org.get(`/chat/sessions/${id}/history`)).body.items.map(
    ({ event }: { event: { type: string } }) => event.type,
  );

describe('the widget', () => {
  it('drives a whole conversation: config, contact, session, messages, files, votes, resolution and score', async () => {
    await api.org.patch('/org/settings', { csat: true });
    const config = await widgetOf(api, api.org).get('config');
    expect(config).toMatchObject({
      status: 200,
      body: {
        org: { id: api.org.id, name: api.org.name },
        sessionsPollingIntervalSeconds: expect.any(Number),
        sessionPollingIntervalSeconds: expect.any(Number),
        modes: [],
      },
    });
    expect(config.headers.get('access-control-allow-origin')).toBe('https://shop.example');

    const widget = await unverified(api, api.org, {
      email: 'ada@example.com',
      non_verified_name: 'Ada',
      non_verified_custom_data: { plan: 'pro', seats: 3, nothing: null },
    });
    const created = (await widget.post('create-session', { customData: { external_id: 'device-1', page: '/prices' } }))
      .body;
    expect(created).toEqual({
      id: expect.any(String),
      ticketNumber: expect.any(Number),
      title: null,
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
      updatedAt: expect.stringMatching(/Z$/),
      isHandedOff: false,
      isOpened: true,
      assignee: { kind: 'none', name: null, avatarUrl: null },
      channel: 'web',
      isVerified: false,
      lastMessage: null,
      modeId: null,
      latestStateCheckpointPayload: null,
      sessionAttributes: { external_id: 'device-1', page: '/prices' },
      unread: 0,
    });

    const uploaded = (await widget.upload(PNG, 'cat.png')).body;
    expect(uploaded).toEqual({ fileName: 'cat.png', fileUrl: expect.stringContaining(`${api.url}/media/`) });

    const uuid = crypto.randomUUID();
    const sent = await widget.send(created.id, 'Where is my order?', {
      uuid,
      language: 'pt-BR',
      custom_data: { order: 17, cart: { items: ['lamp'] }, none: null },
      attachments: [{ id: 'x', name: 'other.exe', size: 1, type: 'text/html', url: uploaded.fileUrl }, { ...uploaded }],
      headers: { authorization: 'secret of the page' },
      query_params: { a: '1' },
      body_properties: { b: { c: 2 } },
    });
    expect(sent).toMatchObject({
      status: 200,
      body: {
        success: true,
        sessionIsHandedOff: true,
        session: { id: created.id, isHandedOff: true, lastMessage: 'Where is my order?' },
      },
    });
    const attributes = { external_id: 'device-1', page: '/prices', order: '17', cart: '{"items":["lamp"]}' };
    expect(sent.body.session.sessionAttributes).toEqual(attributes);
    expect((await api.org.get(`/chat/sessions/${created.id}`)).body).toMatchObject({
      channel: { type: 'web' },
      verified: false,
      language: 'pt',
      custom_data: attributes,
      handoff: { state: 'done' },
      waiting_on: 'human_agents',
      contact: {
        name: 'Ada',
        email: null,
        custom_data: { plan: 'pro', seats: '3', unverified_email: 'ada@example.com' },
      },
    });

    await agentSays(created.id, 'On its way.');
    const { session, history } = await widget.poll(created.id);
    expect(session).toMatchObject({ lastMessage: 'On its way.' });
    const attachment = { id: expect.any(String), name: 'cat.png', type: 'image/png', size: PNG.length };
    expect(history).toEqual([
      {
        publicId: uuid,
        type: 'message',
        content: { text: 'Where is my order?' },
        sender: { kind: 'user', name: 'Ada' },
        sentAt: expect.stringMatching(/Z$/),
        attachments: [
          { ...attachment, url: uploaded.fileUrl },
          { ...attachment, url: uploaded.fileUrl },
        ],
        systemMessagePayload: { type: 'none' },
      },
      {
        publicId: expect.any(String),
        type: 'message',
        content: { text: 'On its way.' },
        sender: { kind: 'agent', name: 'Grace', avatar: 'https://example.com/g.png' },
        sentAt: expect.any(String),
        systemMessagePayload: { type: 'none' },
      },
    ]);
    expect((await fetch(history[0].attachments[0].url)).status).toBe(200);

    const messagePublicId = history[1].publicId;
    for (const action of ['upvote', 'downvote', 'downvote']) {
      const vote = await widget.post('chat/vote', { action, sessionId: created.id, messagePublicId });
      expect(vote.body).toEqual({ messagePublicId, success: true });
    }
    const votes = await api.db.selectFrom('widget_votes').select(['message_id', 'is_up']).execute();
    expect(votes).toEqual([{ message_id: messagePublicId, is_up: false }]);

    const payload = { step: 2, form: { size: 'L' } };
    expect((await widget.post('checkpoint', { session_id: created.id, payload })).body).toEqual({ success: true });

    const resolved = (await widget.post('session/resolve', { session_id: created.id })).body;
    expect(resolved).toMatchObject({ id: created.id, isOpened: false, latestStateCheckpointPayload: payload });
    const asked = (await widget.poll(created.id)).history.at(-1);
    expect(asked.systemMessagePayload).toEqual({ type: 'csat_requested' });

    const score = { session_id: created.id, score: 4, feedback: 'Fine', system_message_uuid: crypto.randomUUID() };
    expect((await widget.post('submit-csat', score)).body).toEqual({ success: true });
    expect((await widget.post('submit-csat', score)).body).toEqual({ success: true }); // repeated after a lost response
    expect(await widget.post('submit-csat', { ...score, score: 1 })).toMatchObject({
      status: 409,
      body: { success: false, error: { code: 'conflict' } },
    });
    const shown = (await widget.poll(created.id)).history;
    expect(shown.map(({ type, sender }: { type: string; sender: { kind: string } }) => [type, sender.kind])).toEqual([
      ['message', 'user'],
      ['message', 'agent'],
      ['system', 'system'],
      ['system', 'system'],
      ['system', 'system'],
    ]);
    expect(
      shown.slice(2).map(({ systemMessagePayload }: { systemMessagePayload: object }) => systemMessagePayload),
    ).toEqual([
      { type: 'state_checkpoint', payload },
      { type: 'csat_requested' },
      { type: 'csat_submitted', payload: { score: 4, feedback: 'Fine' } },
    ]);
    expect(shown.at(-1).publicId).toBe(score.system_message_uuid);
    expect((await api.org.get(`/csat/scores/session/${created.id}`)).body).toMatchObject({ score: 4, channel: 'web' });

    const { items, next } = (await widget.get('sessions')).body;
    expect([items.map(({ id }: { id: string }) => id), next]).toEqual([[created.id], null]);
    await api.org.patch('/org/settings', { csat: null });
  });

  it('takes a visitor whose name and e-mail address the page gives empty', async () => {
    const widget = await unverified(api, api.org, { email: '', non_verified_name: '' });
    const id = await widget.newSession();
    const { contact } = (await api.org.get(`/chat/sessions/${id}`)).body;
    expect(contact).toMatchObject({ name: null, email: null, custom_data: {} });
  });

  it('shows customers nothing internal: no notes, tags, assignments, reasons or internal data', async () => {
    const widget = await unverified(api, api.org);
    const id = await widget.newSession({ external_id: 'd' });
    await widget.send(id, 'Hi');
    const userId = await addMember(api.db, api.org.id, { email: anEmail(), name: 'Grace H.' });
    await api.org.put('/tags', { tag_name: 'hush-tag' });
    await api.org.post(`/chat/sessions/${id}/tags`, { tags: ['hush-tag'] });
    await api.org.post(`/chat/sessions/${id}/notes`, { text: 'hush: call the police' });
    await api.org.post(`/chat/sessions/${id}/assign`, { assignee_id: userId });
    await api.org.patch(`/chat/sessions/${id}`, {
      custom_data: { hush_score: '99', external_id: 'other' },
      editable_custom_data: { hush: 'x' },
      status: 'closed_unresolved',
      session_closed_payload: { hush: true },
    });
    const { session, history } = await widget.poll(id);
    expect(history).toHaveLength(1);
    expect(JSON.stringify([session, history])).not.toMatch(/hush/);
    expect(session).toMatchObject({
      isOpened: false,
      assignee: { kind: 'human', name: 'Grace H.' },
      sessionAttributes: { external_id: 'd' },
    });
    expect(await typesOf(id)).toContain('human_agent_comment');
  });

  it('reopens a closed session with the next message, and hands it off only once', async () => {
    const widget = await unverified(api, api.org);
    const id = await widget.newSession();
    await widget.send(id, 'One');
    await widget.post('session/resolve', { session_id: id });
    const sent = await widget.send(id, 'Two');
    expect(sent.body.session).toMatchObject({ isOpened: true, isHandedOff: true });
    expect((await typesOf(id)).filter((type) => type === 'handoff')).toHaveLength(1);
    const events = await api.db
      .selectFrom('outbox')
      .select('type')
      .where('subject_id', '=', id)
      .orderBy('id')
      .execute();
    expect(events.map(({ type }) => type)).toEqual([
      'ticket-created',
      'message-created',
      'pre-ticket-handoff',
      'ticket-resolved',
      'message-created',
      'ticket-reopened',
    ]);
  });

  it('does not hand a session off with its first message unless the org wants that', async () => {
    const org = await api.createOrg();
    const widget = await unverified(api, org);
    const id = await widget.newSession();
    const { body } = await widget.send(id, 'Hello');
    expect([body.sessionIsHandedOff, body.session.isHandedOff]).toEqual([false, false]);
    expect((await org.get(`/chat/sessions/${id}`)).body.handoff).toBeNull();
  });

  it('prefers the language of the page to the one detected from messages', async () => {
    const widget = await unverified(api, api.org);
    const id = await widget.newSession();
    const languageAfter = async (language: string | undefined, text: string) => {
      await widget.send(id, text, { language });
      return (await api.org.get(`/chat/sessions/${id}`)).body.language;
    };
    expect(await languageAfter(undefined, 'Hi')).toBeNull();
    expect(await languageAfter('xx-nonsense', 'Hi')).toBeNull();
    expect(await languageAfter('DE', 'Where is the parcel that I ordered last week?')).toBe('de');
    expect(await languageAfter('fr-CA', 'Hi')).toBe('fr');
    expect(await languageAfter(undefined, 'Where is the parcel that I ordered last week?')).toBe('fr');
  });

  it('lists sessions by external_id, in pages, newest first', async () => {
    const { widget } = await verified(api, api.org, anEmail());
    const ids: string[] = [];
    for (let n = 0; n < 23; n++) ids.unshift(await widget.newSession({ external_id: `device-${n % 2}`, n }));
    const list = async (query: string) => {
      const { items, next } = (await widget.get(`sessions?${query}`)).body;
      return { ids: items.map(({ id }: { id: string }) => id), next };
    };
    const first = await list('');
    expect(first.ids).toEqual(ids.slice(0, 20));
    expect(await list(`cursor=${first.next}`)).toEqual({ ids: ids.slice(20), next: null });
    expect((await list('offset=20')).ids).toEqual(ids.slice(20));
    expect(await list(`offset=${first.next}`)).toEqual({ ids: ids.slice(20), next: null });
    const of = (external_id: unknown) => list(`filters=${encodeURIComponent(JSON.stringify({ external_id }))}`);
    expect((await of('device-1')).ids).toEqual(ids.filter((_, index) => index % 2 === 1));
    expect((await of("' or true --")).ids).toEqual([]);
    expect((await of(null)).ids).toHaveLength(20);
  });

  it('shows nothing redacted: no messages, files, checkpoints or comments', async () => {
    const widget = await unverified(api, api.org);
    const id = await widget.newSession();
    const { fileUrl } = (await widget.upload(PNG, 'secret.png')).body;
    await widget.send(id, 'My secret', { attachments: [{ fileUrl }] });
    await widget.post('checkpoint', { session_id: id, payload: { card: 'secret' } });
    await widget.post('session/resolve', { session_id: id });
    await widget.post('submit-csat', { session_id: id, score: 2, feedback: 'A secret too' });
    expect((await api.org.post('/redaction/session', { sessionId: id })).status).toBeLessThan(300);
    const shown = await widget.poll(id);
    expect(JSON.stringify(shown)).not.toMatch(/secret/);
    expect(shown.history[0]).toMatchObject({ type: 'message', content: { text: '' } });
    expect(shown.history.at(-1).systemMessagePayload).toEqual({
      type: 'csat_submitted',
      payload: { score: 2, feedback: null },
    });
    expect((await api.org.get(`/csat/scores/session/${id}`)).body).toMatchObject({ score: 2, comment: null });
    expect((await fetch(fileUrl)).status).toBe(404);
  });

  it('stores the messages of a blocked contact without any further effect', async () => {
    const email = anEmail();
    await api.org.post('/blocklist/contacts', { email });
    for (const widget of [await unverified(api, api.org, { email }), (await verified(api, api.org, email)).widget]) {
      const id = await widget.newSession();
      const { body } = await widget.send(id, 'Let me in');
      expect(body).toMatchObject({ success: true, sessionIsHandedOff: false });
      expect(await widget.said(id)).toEqual([['user', 'Let me in']]);
      expect((await widget.post('session/resolve', { session_id: id })).status).toBe(409);
      expect((await widget.post('submit-csat', { session_id: id, score: 1 })).status).toBe(409);
      expect((await api.db.selectFrom('outbox').select('type').where('subject_id', '=', id).execute()).length).toBe(0);
    }
  });
});

describe('a widget message sent again', () => {
  it('is stored once, even if it arrives twenty times at once', async () => {
    const widget = await unverified(api, api.org);
    const id = await widget.newSession();
    const uuid = crypto.randomUUID();
    const answers = await Promise.all(Array.from({ length: 20 }, () => widget.send(id, 'Once', { uuid })));
    expect(answers.every(({ status, body }) => status === 200 && body.success && body.sessionIsHandedOff)).toBe(true);
    expect(answers.filter(({ body }) => body.code === 'duplicate_message_ignored')).toHaveLength(19);
    expect(await widget.said(id)).toEqual([['user', 'Once']]);
    expect((await typesOf(id)).filter((type) => type === 'handoff')).toHaveLength(1);
  });

  it('does not block or reveal messages with the same uuid in another session or org', async () => {
    const uuid = crypto.randomUUID();
    const visitors = await Promise.all([
      ...Array.from({ length: 6 }, () => unverified(api, api.org)),
      unverified(api, api.other),
    ]);
    const ids = await Promise.all(visitors.map((widget) => widget.newSession()));
    const answers = await Promise.all(
      visitors.map((widget, n) =>
        widget.send(ids[n] as string, `Mine ${n}`, { uuid: n % 2 ? uuid.toUpperCase() : uuid }),
      ),
    );
    for (const [n, widget] of visitors.entries()) {
      const id = ids[n] as string;
      expect(answers[n]?.body.code).toBeUndefined();
      expect((await widget.poll(id)).history).toMatchObject([{ publicId: uuid, content: { text: `Mine ${n}` } }]);
      const again = await widget.send(id, 'Again', { uuid });
      expect(again.body.code).toBe('duplicate_message_ignored');
      expect(await widget.said(id)).toEqual([['user', `Mine ${n}`]]);
    }
    const rows = await api.db.selectFrom('session_events').select('org_id').where('id', '=', uuid).execute();
    expect(rows.map(({ org_id }) => org_id).sort()).toEqual([api.org.id, api.other.id].sort());
    const [{ last_seq }] = (await api.db
      .selectFrom('sessions')
      .select('last_seq')
      .where('id', '=', ids[0] as string)
      .execute()) as [{ last_seq: number }];
    expect(last_seq).toBe((await typesOf(ids[0] as string)).length);
  });
});

describe('a widget user verified by the org', () => {
  it('is the contact with that e-mail, with the details given by the org', async () => {
    const email = anEmail();
    const { body } = await api.org.post('/contacts', { contact: { email, name: 'Ada', custom_data: { old: '1' } } });
    const answer = await api.org.post('/widget/authenticate-user', {
      email: email.toUpperCase(),
      name: 'Ada L.',
      avatar_url: 'https://example.com/a.png',
      phone: '+442079460000',
      language: 'fr',
      customData: { plan: 'pro', seats: 3, vip: true },
      chat_context: 'Looks at prices',
      http_action_overrides: { headers: { a: 'b' } },
    });
    expect(answer).toMatchObject({ status: 200, body: { token: expect.any(String), contact: { id: body.id } } });
    expect((await api.org.get(`/contacts/${body.id}`)).body).toMatchObject({
      name: 'Ada L.',
      phone_number: '+442079460000',
      custom_data: { old: '1', plan: 'pro', seats: '3', vip: 'true' },
    });
    const widget = widgetOf(api, api.org, answer.body.token);
    const id = await widget.newSession();
    await widget.send(id, 'Bonjour');
    expect((await api.org.get(`/chat/sessions/${id}`)).body).toMatchObject({
      verified: true,
      language: 'fr',
      contact: { id: body.id },
    });
    expect((await widget.poll(id)).history[0].sender).toEqual({
      kind: 'user',
      name: 'Ada L.',
      avatar: 'https://example.com/a.png',
    });
    const kept = await api.db.selectFrom('widget_visitors').selectAll().where('contact_id', '=', body.id).execute();
    expect(kept).toMatchObject([{ is_verified: true, chat_context: 'Looks at prices', language: 'fr' }]);
  });

  it('is one contact and one visitor, even if twenty tokens are requested at once', async () => {
    const email = anEmail();
    const all = await Promise.all(Array.from({ length: 20 }, () => verified(api, api.org, email)));
    expect(new Set(all.map(({ contactId }) => contactId)).size).toBe(1);
    const [first, second] = all.map(({ widget }) => widget) as [Widget, Widget];
    const id = await first.newSession();
    expect((await second.poll(id)).session.id).toBe(id);
  });

  it('keeps their sessions and details with every new token, on any device', async () => {
    const email = anEmail();
    const first = await verified(api, api.org, email, { language: 'de' });
    const id = await first.widget.newSession();
    const tokens = await Promise.all(Array.from({ length: 5 }, () => verified(api, api.org, email)));
    for (const { widget, contactId } of tokens) {
      expect(contactId).toBe(first.contactId);
      expect((await widget.poll(id)).session.id).toBe(id);
    }
    const kept = await api.db
      .selectFrom('widget_visitors')
      .select('language')
      .where('contact_id', '=', first.contactId)
      .execute();
    expect(kept).toEqual([{ language: 'de' }]);
  });
});
