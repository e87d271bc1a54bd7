import { formWith } from '../../media/samples.ts';
import { type SignedIn, signIn } from '../../sign-in/signing-in.ts';
import { startApi, type TestApi } from '../../support/stack/api.ts';

let api: TestApi;
let agent: SignedIn;
beforeAll(async () => {
  api = await startApi();
  agent = await signIn(api, 'agent');
});
afterAll(() => api.close());

const newSession = async (contact?: object) => {
  const contact_id = contact && (await api.org.post('/contacts', { contact })).body.id;
  return (await api.org.post('/chat/sessions', { channel: { type: 'web' }, contact_id })).body.id as string;
};
const upload = async (): Promise<{ id: string; fileUrl: string }> =>
  (await api.org.post('/media', formWith(Buffer.from('text'), 'terms.txt'))).body;
const draftIn = async (member: SignedIn, id: string) => (await member.get(`/chat/sessions/${id}/draft`)).body.draft;

describe('a draft', () => {
  it('is kept for its member alone, with its files, until it is deleted', async () => {
    const id = await newSession({ name: 'Ada' });
    const path = `/chat/sessions/${id}/draft`;
    expect((await agent.get(path)).body).toEqual({ draft: null, drafts: [] });
    const { id: fileId, fileUrl } = await upload();
    const saved = { kind: 'reply', text: 'Dear Ada', attachments: [{ id: fileId }] };
    expect((await agent.put(path, saved)).status).toBe(200);
    expect(await draftIn(agent, id)).toMatchObject({
      kind: 'reply',
      text: 'Dear Ada',
      attachments: [{ id: fileId, name: 'terms.txt', url: fileUrl, mime_type: 'text/plain', size: 4 }],
    });
    await agent.put(path, { kind: 'note', text: 'Ask Ben' });
    const { draft, drafts } = (await agent.get(path)).body;
    expect(draft).toMatchObject({ kind: 'note', text: 'Ask Ben', attachments: [] });
    expect(drafts.map(({ text }: { text: string }) => text)).toEqual(['Ask Ben', 'Dear Ada']);
    expect(await draftIn(await signIn(api, 'admin'), id)).toBeNull();
    const { body: list } = await agent.get('/me/drafts');
    const inSession = { session_id: id, contact_name: 'Ada' };
    expect(list).toMatchObject({
      items: [
        { ...inSession, text: 'Ask Ben' },
        { ...inSession, kind: 'reply' },
      ],
      next: null,
    });
    await agent.delete(`${path}?kind=note`);
    expect((await agent.get(path)).body.drafts).toMatchObject([{ kind: 'reply', text: 'Dear Ada' }]);
    expect((await agent.delete(path)).status).toBe(200);
    expect((await agent.delete(path)).status).toBe(200);
    expect((await agent.get('/me/drafts')).body.items).toEqual([]);
  });

  it('is not overwritten or deleted by who has not seen it, and an empty one is none', async () => {
    const path = `/chat/sessions/${await newSession()}/draft`;
    const save = (text: string, expected_updated_at?: string | null) =>
      agent.put(path, { kind: 'reply', text, expected_updated_at });
    const { body: first } = await save('One', null);
    expect((await save('Two', null)).status).toBe(412);
    const { body: second } = await save('Two', first.updated_at);
    expect((await save('', first.updated_at)).status).toBe(412);
    expect((await agent.get(path)).body.drafts).toMatchObject([{ text: 'Two', updated_at: second.updated_at }]);
    expect((await agent.put(path, { kind: 'note', text: 'Three', expected_updated_at: null })).status).toBe(200);
    expect((await save('', second.updated_at)).body).toEqual({ updated_at: null });
    expect((await save('Four', second.updated_at)).status).toBe(412);
    expect((await agent.get(path)).body.drafts).toMatchObject([{ kind: 'note' }]);
  });

  it.each(['reply', 'note'] as const)('is sent once as a %s by who names it, however many try', async (kind) => {
    const id = await newSession();
    const { body: saved } = await agent.put(`/chat/sessions/${id}/draft`, { kind, text: 'On its way' });
    await agent.put(`/chat/sessions/${id}/draft`, { kind: kind === 'note' ? 'reply' : 'note', text: 'Another' });
    const message = { sender: 'agent', message: { type: 'text', text: 'On its way' } };
    const [route, body] = kind === 'note' ? ['notes', { text: 'On its way' }] : ['send', message];
    const send = (member: Pick<SignedIn, 'post'>, draft_updated_at?: string) =>
      member.post(`/chat/sessions/${id}/${route}`, { ...body, draft_updated_at });
    const statuses = await Promise.all([1, 2, 3].map(async () => (await send(agent, saved.updated_at)).status));
    expect(statuses.toSorted()).toEqual([201, 412, 412]);
    const { body: history } = await api.org.get(`/chat/sessions/${id}/history`);
    expect(JSON.stringify(history).match(/On its way/g)).toHaveLength(1);
    expect((await agent.get(`/chat/sessions/${id}/draft`)).body.drafts).toMatchObject([{ text: 'Another' }]);
    expect((await send(agent)).status).toBe(201);
    expect((await send(api.org, saved.updated_at)).status).toBe(400);
  });

  it('is listed page by page, the newest first', async () => {
    const writer = await signIn(api, 'agent');
    const ids = [await newSession(), await newSession(), await newSession()];
    for (const id of ids) await writer.put(`/chat/sessions/${id}/draft`, { kind: 'reply', text: id });
    const first = (await writer.get('/me/drafts?limit=2')).body;
    const second = (await writer.get(`/me/drafts?limit=2&cursor=${first.next}`)).body;
    const texts = [...first.items, ...second.items].map(({ text }) => text);
    expect(texts.toSorted()).toEqual(ids.toSorted());
    expect([first.items.length, second.next]).toEqual([2, null]);
  });

  it('is deleted with its files by a redaction of its session, and with its member', async () => {
    const id = await newSession();
    const { id: fileId, fileUrl } = await upload();
    const { id: shared, fileUrl: sharedUrl } = await upload();
    await api.org.post('/saved-replies', {
      shortcut: 'terms',
      title: 'Terms',
      text: 'x',
      attachments: [{ id: shared }],
    });
    const attachments = [{ id: fileId }, { id: shared }];
    await agent.put(`/chat/sessions/${id}/draft`, { kind: 'reply', text: 'A secret', attachments });
    expect((await api.org.post('/redaction/session', { sessionId: id })).status).toBe(200);
    expect(await draftIn(agent, id)).toBeNull();
    expect([(await fetch(fileUrl)).status, (await fetch(sharedUrl)).status]).toEqual([404, 200]);

    const leaver = await signIn(api, 'agent');
    await leaver.put(`/chat/sessions/${id}/draft`, { kind: 'reply', text: 'Mine' });
    await api.org.delete(`/members/${leaver.id}`);
    const rows = await api.db.selectFrom('drafts').select('text').where('user_id', '=', leaver.id).execute();
    expect(rows).toEqual([]);
  });

  it('is refused to keys, to viewers, for unknown files, for too much text and in sessions of others', async () => {
    const id = await newSession();
    const path = `/chat/sessions/${id}/draft`;
    const draft = { kind: 'reply', text: 'x' };
    const viewer = await signIn(api, 'viewer');
    const stranger = await signIn(api, 'agent', { org: api.other });
    const statuses = [
      api.org.get(path),
      api.org.get('/me/drafts'),
      viewer.put(path, draft),
      stranger.put(path, draft),
      stranger.get(path),
      agent.put(path, { ...draft, attachments: [{ id: crypto.randomUUID() }] }),
      agent.put(path, { ...draft, text: 'é'.repeat(32_769) }),
      agent.put(path, { ...draft, kind: 'mail' }),
      agent.put(path, { ...draft, text: 'é'.repeat(32_768) }),
    ].map(async (answer) => (await answer).status);
    expect(await Promise.all(statuses)).toEqual([403, 403, 403, 404, 404, 400, 400, 400, 200]);
  });
});

describe('a saved reply', () => {
  it('is found by shortcut, title and text, those with the shortcut first', async () => {
    const save = (shortcut: string, title: string, text: string) =>
      api.org.post('/saved-replies', { shortcut, title, text });
    await save('zebra', 'Sorry', 'We owe you a Quokka');
    await save('apology', 'Quokka', 'Sorry');
    await save('Quokka', 'Other', 'Text');
    const { body } = await agent.get('/saved-replies?q=QUOK');
    expect(body.items.map(({ shortcut }: { shortcut: string }) => shortcut)).toEqual(['Quokka', 'apology', 'zebra']);
    expect((await agent.get('/saved-replies?q=%25')).body.items).toEqual([]);
    const all = (await agent.get('/saved-replies?limit=2')).body;
    expect([all.items.length, typeof all.next]).toEqual([2, 'string']);
  });

  it('is rendered for the contact of a session, naming the fields that are missing, and counts its uses', async () => {
    const text = 'Hello {{contact.name|there}}, {{contact.custom_data.plan}} {{contact.custom_data.seats}} \\{{x}}';
    const { body: reply } = await agent.post('/saved-replies', { shortcut: 'plan', title: 'Plan', text });
    const id = await newSession({ name: 'Ada', custom_data: { plan: 'gold' } });
    const { body } = await agent.post(`/saved-replies/${reply.id}/render`, { session_id: id });
    expect(body).toEqual({
      text: 'Hello Ada, gold  {{x}}',
      missing: ['contact.custom_data.seats'],
      attachments: [],
    });
    const nobody = (await agent.post(`/saved-replies/${reply.id}/render`, { session_id: await newSession() })).body;
    expect(nobody.text).toBe('Hello there,   {{x}}');
    expect((await agent.get(`/saved-replies/${reply.id}`)).body.uses).toBe(2);
  });

  it('is changed and deleted, and its shortcut is unique in any letter case', async () => {
    const { body: team } = await api.org.post('/teams', { name: 'Billing' });
    const actions = { tags: ['refund'], assignee: 'me', snooze: { minutes: 60 }, status: 'open' };
    const given = { shortcut: 'Bill', title: 'Bill', text: 'x', language: 'en', team_id: team.id, actions };
    const { body: reply, status } = await agent.post('/saved-replies', given);
    expect([status, reply]).toEqual([201, expect.objectContaining({ ...given, uses: 0 })]);
    expect(await agent.post('/saved-replies', { ...given, shortcut: 'bILL' })).toMatchObject({
      status: 409,
      body: { code: 'already_exists', conflicting: { type: 'saved_reply', id: reply.id, field: 'shortcut' } },
    });
    await agent.post('/saved-replies', { ...given, shortcut: 'other' });
    const path = `/saved-replies/${reply.id}`;
    expect((await agent.patch(path, { shortcut: 'OTHER' })).status).toBe(409);
    const changed = await agent.patch(path, { shortcut: 'BILL', actions: null, team_id: null });
    expect(changed.body).toMatchObject({ shortcut: 'BILL', actions: null, team_id: null, title: 'Bill' });
    expect((await agent.delete(path)).status).toBe(200);
    expect((await agent.get(path)).status).toBe(404);
  });

  it('is refused with wrong placeholders, foreign teams and files, to viewers and to other orgs', async () => {
    const good = { shortcut: 'good', title: 'Good', text: 'x' };
    const { body: theirs } = await api.other.post('/teams', { name: 'Theirs' });
    for (const wrong of [
      { text: '{{contact.nme}}' },
      { shortcut: 'two words' },
      { shortcut: '/x' },
      { team_id: theirs.id },
      { attachments: [{ id: crypto.randomUUID() }] },
      { actions: { snooze: 'for ever' } },
    ])
      expect([wrong, (await agent.post('/saved-replies', { ...good, ...wrong })).status]).toEqual([wrong, 400]);
    const { body: reply } = await agent.post('/saved-replies', good);
    const viewer = await signIn(api, 'viewer');
    expect((await viewer.get('/saved-replies')).status).toBe(200);
    expect((await viewer.post('/saved-replies', good)).status).toBe(403);
    expect((await viewer.patch(`/saved-replies/${reply.id}`, { title: 'x' })).status).toBe(403);
    expect((await api.other.get(`/saved-replies/${reply.id}`)).status).toBe(404);
  });
});
