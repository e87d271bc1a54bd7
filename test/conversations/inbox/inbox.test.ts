import { type SignedIn, signIn } from '../../sign-in/signing-in.ts';
import { type Client, startApi, type TestApi } from '../../support/stack/api.ts';

let api: TestApi;
let ann: SignedIn;
beforeAll(async () => {
  api = await startApi({ isInProcess: true });
  ann = await signIn(api, 'agent');
});
afterAll(() => api.close());

const newSession = async (body: object = {}) => (await api.org.post('/chat/sessions', body)).body.id as string;
const say = async (id: string, sender: string, text: string, client: Client = api.org) =>
  (await client.post(`/chat/sessions/${id}/send`, { sender, message: { type: 'text', text } })).body;
const newContact = async (name: string) =>
  (await api.org.post('/contacts', { contact: { name, email: `${crypto.randomUUID()}@example.com` } })).body
    .id as string;
const list = async (query: string, client: Client = ann) => {
  const { status, body } = await client.get(`/inbox?${query}`);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body;
};
const idsOf = async (query: string, client: Client = ann): Promise<string[]> =>
  (await list(query, client)).items.map(({ id }: { id: string }) => id);

describe('a row of the inbox', () => {
  it('shows all that a list needs of a session', async () => {
    await api.org.put('/tags', { tag_name: 'vip' });
    await api.org.patch('/org/settings', { session_statuses: [{ id: 7, name: 'On hold' }] });
    const team = (await api.org.post('/teams', { name: 'Support' })).body;
    const contact_id = await newContact('Zoe');
    const id = await newSession({ contact_id, channel: { type: 'web' } });
    await say(id, 'contact', `How do I get a refund? ${'x'.repeat(200)}`);
    await ann.post(`/chat/sessions/${id}/assign`, { assignee_id: ann.id, team_id: team.id });
    await ann.post(`/chat/sessions/${id}/tags`, { tags: ['vip'] });
    await ann.patch(`/chat/sessions/${id}`, { custom_status_id: 7 });
    const session = (await api.org.get(`/chat/sessions/${id}`)).body;
    const [row] = (await list(`contact_id=${contact_id}`)).items;
    expect(row).toEqual({
      id,
      ticket_number: session.ticket_number,
      status: 'open',
      custom_status: { id: 7, name: 'On hold' },
      channel: 'web',
      contact: { id: contact_id, name: 'Zoe', email: session.contact.email, phone_number: null },
      answered_by: 'people',
      assignee: { id: ann.id, name: 'The agent' },
      team: { id: team.id, name: 'Support' },
      tags: ['vip'],
      waiting_on: 'human_agents',
      waiting_since: session.waiting_since,
      snoozed_at: null,
      snoozed_until: null,
      last_message: {
        at: session.last_message_at,
        sender: 'contact',
        text: `How do I get a refund? ${'x'.repeat(137)}`,
      },
      unread: true,
      sla: null,
      confirmations: 0,
      handoff_state: null,
      sentiment: null,
      language: 'en',
      updated_at: session.updated_at,
    });
    await api.org.post('/redaction/session', { sessionId: id });
    expect((await list(`contact_id=${contact_id}`)).items[0].last_message.text).toBe(null);
  });

  it('has nothing of another org', async () => {
    const { body } = await api.other.post('/chat/sessions', {});
    await api.other.post(`/chat/sessions/${body.id}/send`, {
      sender: 'contact',
      message: { type: 'text', text: 'Secret' },
    });
    expect(await idsOf('limit=100')).not.toContain(body.id);
    expect(await idsOf('q=Secret')).toEqual([]);
  });
});

describe('the orders', () => {
  it('newest, waiting and created list each session once, page by page, while messages come in', async () => {
    const contact_id = await newContact('Pages');
    const ids = [];
    for (const n of [1, 2, 3, 4, 5]) {
      const id = await newSession({ contact_id });
      if (n < 5) await say(id, 'contact', `Message ${n}`);
      ids.push(id);
    }
    const [a, b, c, d, e] = ids as [string, string, string, string, string];
    await say(b, 'agent', 'An answer');
    await api.org.patch(`/chat/sessions/${c}`, { status: 'closed_resolved' });
    const walk = async (order: string) => {
      const found: string[] = [];
      let cursor = '';
      do {
        const page = await list(`contact_id=${contact_id}&order=${order}&limit=2${cursor}`);
        found.push(...page.items.map(({ id }: { id: string }) => id));
        cursor = page.next === null ? '' : `&cursor=${page.next}`;
      } while (cursor !== '');
      return found;
    };
    expect(await walk('newest')).toEqual([b, e, d, c, a]);
    expect((await walk('waiting')).slice(0, 2)).toEqual([a, d]);
    expect(new Set(await walk('waiting'))).toEqual(new Set(ids));
    expect(new Set(await walk('sla'))).toEqual(new Set(ids));
    expect(await walk('created')).toEqual([e, d, c, b, a]);

    const first = await list(`contact_id=${contact_id}&limit=2`);
    await say(a, 'contact', 'Once more');
    const rest = await list(`contact_id=${contact_id}&limit=10&cursor=${first.next}`);
    expect(rest.items.map(({ id }: { id: string }) => id)).toEqual([d, c]);
    expect((await ann.get(`/inbox?order=created&cursor=${first.next}`)).status).toBe(400);
  });

  it('have the same rows by pages of every size', async () => {
    const person = await signIn(api, 'agent');
    const contact_id = await newContact('Sizes');
    await Promise.all(
      Array.from({ length: 70 }, async (_, n) => {
        const id = await newSession(n % 3 === 0 ? {} : { contact_id });
        if (n % 2 === 0) await say(id, n % 4 === 0 ? 'contact' : 'agent', `Message ${n}`);
        const changes = [
          n % 8 === 0 ? await person.post(`/chat/sessions/${id}/read`, {}) : undefined,
          n % 7 === 0 ? await api.org.patch(`/chat/sessions/${id}`, { status: 'closed_resolved' }) : undefined,
          n % 7 === 1 ? await person.post(`/chat/sessions/${id}/snooze`, { until_reply: true }) : undefined,
        ];
        for (const change of changes) expect(change?.status ?? 200).toBe(200);
      }),
    );
    const walk = async (query: string, limit: number) => {
      const found: { id: string }[] = [];
      let cursor = '';
      do {
        const page = await list(`${query}&limit=${limit}${cursor}`, person);
        found.push(...page.items);
        cursor = page.next === null ? '' : `&cursor=${page.next}`;
      } while (cursor !== '');
      return found;
    };
    const filters = ['', 'status=open', 'status=closed', 'view=waiting', 'view=unassigned', 'unread=true'];
    const queries = filters.flatMap((filter) =>
      ['newest', 'waiting', 'sla', 'created'].map((order) => `${filter}&order=${order}`),
    );
    for (const query of queries) {
      const rows = await walk(query, 50);
      expect(rows.length).toBeGreaterThan(0);
      expect([query, rows]).toEqual([query, await walk(query, 30)]);
    }
  });
});

describe('the filters', () => {
  it('find sessions by who has them, who is waited for, and where they are', async () => {
    const contact_id = await newContact('Filters');
    const ids = await Promise.all([1, 2, 3, 4].map(() => newSession({ contact_id, channel: { type: 'web' } })));
    const [m, f, c, s] = ids as [string, string, string, string];
    for (const id of ids) await say(id, 'contact', 'Hello');
    await api.org.post(`/chat/sessions/${m}/assign`, { assignee_id: ann.id });
    await say(f, 'agent', 'Hi');
    await api.org.patch(`/chat/sessions/${c}`, { status: 'closed_unresolved' });
    await api.org.post(`/chat/sessions/${s}/snooze`, { until_reply: true });
    const found = async (query: string) => (await idsOf(`contact_id=${contact_id}&${query}`)).toSorted();
    const of = (...wanted: string[]) => wanted.toSorted();
    expect(await found('status=open')).toEqual(of(m, f));
    expect(await found('status=closed')).toEqual([c]);
    expect(await found('status=snoozed')).toEqual([s]);
    expect(await found('assignee=me')).toEqual([m]);
    expect(await found(`assignee=${ann.id}`)).toEqual([m]);
    expect(await found('assignee=none')).toEqual(of(f, c, s));
    expect(await found('waiting_on=customers')).toEqual([f]);
    expect(await found('answered_by=people')).toEqual([m]);
    expect(await found('answered_by=people,nobody')).toEqual(of(m, f, c, s));
    expect(await found('channel=email,sms')).toEqual([]);
    expect(await found('team=none')).toEqual(of(m, f, c, s));
    expect(await found('view=mine')).toEqual([m]);
    expect(await found('view=unassigned')).toEqual([f]);
    expect(await found('view=waiting')).toEqual([m]);
    expect(await found('view=snoozed')).toEqual([s]);
    expect(await found('view=all&status=closed')).toEqual([c]);
    await api.org.post(`/chat/sessions/${m}/tags`, { tags: ['vip'] });
    expect(await found('tag=VIP')).toEqual([m]);
  });

  it('find sessions by when they were opened, also closed ones beside a view of open ones', async () => {
    const contact_id = await newContact('Dates');
    const [a, b, c] = [
      await newSession({ contact_id }),
      await newSession({ contact_id }),
      await newSession({ contact_id }),
    ];
    await api.org.patch(`/chat/sessions/${b}`, { status: 'closed_resolved' });
    const openedAt = async (id: string) => (await api.org.get(`/chat/sessions/${id}`)).body.created_at;
    const [atB, atC] = [await openedAt(b), await openedAt(c)];
    const found = (query: string) => idsOf(`contact_id=${contact_id}&order=created&${query}`);
    expect(await found(`created_after=${atB}`)).toEqual([c, b]);
    expect(await found(`created_before=${atC}`)).toEqual([b, a]);
    expect(await found('created_after=0000-01-01T00:00:00Z')).toEqual([c, b, a]);
    expect(await found(`created_after=${atB}&created_before=${atC}`)).toEqual([b]);
    expect(await found(`view=all&created_before=${atC}`)).toEqual([a]);
    expect(await found(`view=all&status=all&created_before=${atC}`)).toEqual([b, a]);
    const { body: view } = await ann.post('/views', {
      name: 'That moment',
      query: { created_after: atB, created_before: atC },
      shared: 'me',
    });
    expect(await found(`view=${view.id}`)).toEqual([b]);
    await ann.delete(`/views/${view.id}`);
  });

  it('find a ticket number, a contact and words of messages', async () => {
    const contact_id = await newContact('Wilhelmina');
    const id = await newSession({ contact_id });
    await say(id, 'contact', 'My parcel is soaked');
    const { ticket_number } = (await api.org.get(`/chat/sessions/${id}`)).body;
    for (const q of [`%23${ticket_number}`, 'Wilhelm', 'soaked parcel'])
      expect([q, await idsOf(`q=${q}`)]).toEqual([q, [id]]);
    expect(await idsOf(`q=${ticket_number}`)).toContain(id);
    expect(await idsOf('q=nothing-like-it')).toEqual([]);
  });

  it('refuse what they do not know, and what only a member has', async () => {
    for (const query of [
      'status=new',
      'assignee=you',
      'answered_by=ai,ai,ai,ai',
      'order=oldest',
      'created_after=yesterday',
      'cursor=x',
      'view=x'.repeat(20),
    ])
      expect([query, (await ann.get(`/inbox?${query}`)).status]).toEqual([query, 400]);
    for (const query of ['assignee=me', 'unread=true', 'view=mine'])
      expect([query, (await api.org.get(`/inbox?${query}`)).status]).toEqual([query, 400]);
    for (const query of ['view=nope', `view=${crypto.randomUUID()}`])
      expect([query, (await ann.get(`/inbox?${query}`)).status]).toEqual([query, 404]);
  });
});

describe('views', () => {
  const query = { status: 'open', tag: 'vip' };
  const namesOf = async (client: Client): Promise<string[]> =>
    (await client.get('/views')).body.items
      .filter((view: { is_built_in: boolean }) => !view.is_built_in)
      .map(({ name }: { name: string }) => name);

  it('are those of every org, and those that members keep for themselves, a team or all', async () => {
    const [ben, viewer] = [await signIn(api, 'agent'), await signIn(api, 'viewer')];
    const team = (await api.org.post('/teams', { name: 'VIP desk' })).body;
    await api.org.post(`/teams/${team.id}/users`, { userId: ben.id });
    const own = await ann.post('/views', { name: 'My VIPs', query, shared: 'me', position: 2 });
    expect([own.status, own.body]).toMatchObject([
      201,
      { name: 'My VIPs', query, shared: 'me', is_own: true, can_edit: true },
    ]);
    const shared = await ann.post('/views', { name: 'All VIPs', query, shared: 'org', position: 1 });
    await api.org.post('/views', { name: 'Desk', query, shared: 'team', team_id: team.id });
    expect(await namesOf(ann)).toEqual(['All VIPs', 'My VIPs']);
    expect(await namesOf(ben)).toEqual(['Desk', 'All VIPs']);
    expect(await namesOf(api.org)).toEqual(['Desk', 'All VIPs']);
    expect(await namesOf(api.other)).toEqual([]);
    const { items } = (await ann.get('/views')).body;
    expect(items.slice(0, 8).map(({ id }: { id: string }) => id)).toEqual([
      ...['mine', 'unassigned', 'waiting', 'breaching', 'snoozed', 'ai', 'all', 'closed'],
    ]);
    expect((await ben.get(`/inbox?view=${own.body.id}`)).status).toBe(404);
    expect((await ben.patch(`/views/${own.body.id}`, { name: 'Mine now' })).status).toBe(404);
    expect((await ben.patch(`/views/${shared.body.id}`, { name: 'Ours' })).status).toBe(403);
    expect((await viewer.post('/views', { name: 'No', query, shared: 'me' })).status).toBe(403);
    const admin = await signIn(api, 'admin');
    const rightsOf = async (client: Client) => {
      const view = (await client.get('/views')).body.items.find(({ id }: { id: string }) => id === shared.body.id);
      return [view.is_own, view.can_edit];
    };
    expect([await rightsOf(ann), await rightsOf(ben)]).toEqual([
      [true, true],
      [false, false],
    ]);
    expect([await rightsOf(admin), await rightsOf(api.org)]).toEqual([
      [false, true],
      [false, true],
    ]);
    expect((await admin.patch(`/views/${shared.body.id}`, { name: 'Ours' })).body.name).toBe('Ours');
    const moved = await ann.patch(`/views/${own.body.id}`, { shared: 'org', query: { order: 'sla' } });
    expect(moved.body).toMatchObject({ shared: 'org', query: { order: 'sla' }, position: 2 });
    expect(await namesOf(ben)).toContain('My VIPs');
    expect((await ann.delete(`/views/${own.body.id}`)).status).toBe(200);
    expect((await ann.delete(`/views/${own.body.id}`)).status).toBe(404);
  });

  it('stay with the member who made them, also once shared with a team that the member is not in', async () => {
    const [dan, eve] = [await signIn(api, 'agent'), await signIn(api, 'agent')];
    const { body: team } = await api.org.post('/teams', { name: 'Night' });
    const { body: view } = await dan.post('/views', { name: 'For the night', query: { tag: 'late' }, shared: 'me' });
    const shared = await dan.patch(`/views/${view.id}`, { shared: 'team', team_id: team.id });
    expect(shared.body).toMatchObject({ shared: 'team', is_own: true, can_edit: true });
    const idsOf = async (client: Pick<typeof dan, 'get'>) =>
      (await client.get('/views')).body.items.map(({ id }: { id: string }) => id);
    expect(await idsOf(dan)).toContain(view.id);
    expect(await idsOf(eve)).not.toContain(view.id);
    expect((await dan.get(`/inbox?view=${view.id}`)).status).toBe(200);
    expect((await eve.get(`/inbox?view=${view.id}`)).status).toBe(404);
    expect((await eve.patch(`/views/${view.id}`, { shared: 'me' })).status).toBe(404);
    expect((await dan.patch(`/views/${view.id}`, { shared: 'me' })).body).toMatchObject({
      shared: 'me',
      team_id: null,
    });
  });

  it('are refused with filters that do not exist, and where nobody would own them', async () => {
    for (const body of [
      { name: 'x', query: { status: 'new' }, shared: 'org' },
      { name: ' ', query, shared: 'org' },
      { name: 'x', query, shared: 'team' },
      { name: 'x', query, shared: 'team', team_id: crypto.randomUUID() },
      { name: 'x', query, shared: 'me' },
      { name: 'x', query: { cursor: 'x' }, shared: 'org' },
    ])
      expect([body, (await api.org.post('/views', body)).status]).toEqual([body, 400]);
  });

  it('are counted, also those that are not open', async () => {
    const contact_id = await newContact('Counted');
    const id = await newSession({ contact_id });
    await newSession({ contact_id });
    await say(id, 'contact', 'Count me');
    const { body: view } = await ann.post('/views', { name: 'Counted', query: { contact_id }, shared: 'me' });
    const { body } = await ann.get(`/inbox/counts?views=${view.id},all`);
    expect(body.counts[view.id]).toEqual({ total: 2, unread: 1, breached: 0 });
    expect(body.counts.all.total).toBeGreaterThan(1);
    expect((await api.org.get('/inbox/counts?views=all')).body.counts.all.unread).toBe(null);
    expect((await ann.get(`/inbox/counts?views=all,${crypto.randomUUID()}`)).status).toBe(404);
    expect((await api.org.get(`/inbox/counts?views=${view.id}`)).status).toBe(404);
    expect((await ann.get('/inbox/counts')).status).toBe(400);
  });
});
