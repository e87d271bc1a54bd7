import { emailStep } from '../support/sequences.ts';
import { startApi, type TestApi, type TestOrg } from '../support/stack/api.ts';

let api: TestApi;
let org: TestOrg;
beforeAll(async () => {
  api = await startApi();
  org = await api.createOrg();
});
afterAll(() => api.close());

const LENIENT = { headers: { prefer: 'respond-async, handling=lenient' } };
const misspelt = () => ({ filter: null, steps: [emailStep('One')], is_continous: false });

describe('a field that an operation does not know', () => {
  it('is refused with the nearest name, and nothing is done', async () => {
    const { status, body } = await org.post('/sequences', misspelt());
    expect([status, body.issues]).toEqual([
      400,
      [{ path: 'body.is_continous', message: 'is not known here: did you mean is_continuous?' }],
    ]);
    expect((await org.get('/sequences')).body.items).toEqual([]);
  });

  it.each<[string, string, unknown, string, string?]>([
    ['in an object of the body', '/contacts', { contact: { emial: 'ann@example.com' } }, 'body.contact.emial', 'email'],
    ['of another case', '/contacts', { contact: { customData: {} } }, 'body.contact.customData', 'custom_data'],
    ['with the field’s name in it', '/contacts', { contact: { phone_no: '1' } }, 'body.contact.phone_no', 'phone'],
    [
      'in one of several forms',
      '/sequences',
      { filter: null, steps: [{ ...emailStep('One'), delay_in_minute: 5 }] },
      'body.steps.0.delay_in_minute',
      'delay_in_minutes',
    ],
    ['unlike any other', '/tags', { tag_name: 'vip', nonsense: 1 }, 'body.nonsense'],
  ])('is refused by its path: %s', async (_, path, given, field, nearest) => {
    const { status, body } = await (path === '/tags' ? org.put(path, given) : org.post(path, given));
    expect(status).toBe(400);
    const message = nearest === undefined ? 'is not known here' : `is not known here: did you mean ${nearest}?`;
    expect(body.issues).toEqual([{ path: field, message }]);
  });

  it('is refused where it belongs to another form, with a word of that', async () => {
    const { id } = (await org.post('/contacts', { contact: { email: 'ref@example.com' } })).body;
    const sequence = (await org.post('/sequences', { filter: null, steps: [emailStep('One')] })).body.id;
    const contacts = [{ id, email: 'ref@example.com' }];
    const { status, body } = await org.post(`/sequences/${sequence}/contacts`, { contacts });
    expect([status, body.issues]).toEqual([
      400,
      [{ path: 'body.contacts.0.email', message: 'does not go with the other fields given here' }],
    ]);
  });

  it('is refused as a query parameter, and in a body where there is none', async () => {
    const found = await org.get('/contacts?limt=1');
    expect([found.status, found.body.issues]).toEqual([
      400,
      [{ path: 'query.limt', message: 'is not known here: did you mean limit?' }],
    ]);
    expect((await org.get('/org?verbose=1')).status).toBe(400);
    const made = await org.post('/workflows', { trigger_type: 'manual-trigger', name: 'W', workflow_blocks: [] });
    expect((await org.post(`/workflows/${made.body.workflow_id}/deactivate`, { version: 1 })).status).toBe(400);
    expect((await org.post(`/workflows/${made.body.workflow_id}/deactivate`, {})).status).toBe(200);
  });

  it('is refused where it can be read only, unless the whole is sent back with its id', async () => {
    const path = `/chat/sessions/${(await api.org.post('/chat/sessions', {})).body.id}`;
    const { body: session } = await api.org.get(path);
    const wished = await api.org.patch(path, { ticket_number: 7 });
    expect(wished).toMatchObject({ status: 400, body: { issues: [{ path: 'body.ticket_number' }] } });
    const sentBack = await api.org.patch(path, { ...session, status: 'closed_resolved' });
    expect([sentBack.status, sentBack.headers.get('x-ignored-fields')]).toEqual([
      200,
      expect.stringContaining('body.ticket_number'),
    ]);
  });

  it('is ignored with Prefer: handling=lenient, and named', async () => {
    const { status, headers } = await org.post('/sequences?verbose=1', misspelt(), LENIENT);
    expect(status).toBe(201);
    expect(headers.get('preference-applied')).toBe('handling=lenient');
    expect(headers.get('x-ignored-fields')).toBe('query.verbose, body.is_continous');
    const partner = await api.partner.post('/partner/v1/orgs', { name: 'Org', nmae: 'x' }, LENIENT);
    expect([partner.status, partner.headers.get('x-ignored-fields')]).toEqual([201, 'body.nmae']);
    expect((await api.partner.post('/partner/v1/orgs', { name: 'Org', nmae: 'x' })).status).toBe(400);
  });

  it('is ignored in an org with the setting lenient_input, and named', async () => {
    const lenient = await api.createOrg();
    await lenient.patch('/org/settings', { lenient_input: true });
    const { status, headers } = await lenient.post('/sequences', misspelt());
    expect([status, headers.get('preference-applied')]).toEqual([201, null]);
    expect(headers.get('x-ignored-fields')).toBe('body.is_continous');
    await lenient.patch('/org/settings', { lenient_input: null });
    expect((await lenient.post('/sequences', misspelt())).status).toBe(400);
  });

  it('is the error of its contact in a batch', async () => {
    const { body } = await org.post('/contacts/batch', { contacts: [{ emial: 'x@example.com' }, { name: 'Ann' }] });
    expect(body.results).toEqual([
      { error: expect.stringContaining('emial') },
      { id: expect.any(String), created: true },
    ]);
  });

  it('is the error of its contact in a batch, also where it is nested', async () => {
    const nested = { email: 'nested@example.com', http_action_overrides: { header: { token: 'x' } } };
    expect((await org.post('/contacts/batch', { contacts: [nested] })).body.results).toEqual([
      { error: expect.stringContaining('header') },
    ]);
  });

  it('is ignored in a batch with Prefer: handling=lenient, and named', async () => {
    const contacts = [
      { email: 'batch@example.com', plan: 'pro' },
      { email: 'no address', plan: 'pro' },
    ];
    const { body, headers } = await org.post('/contacts/batch', { contacts }, LENIENT);
    expect(body.results).toEqual([
      { id: expect.any(String), created: true },
      { error: expect.stringMatching(/^email: /) },
    ]);
    expect(headers.get('preference-applied')).toBe('handling=lenient');
    expect(headers.get('x-ignored-fields')).toBe('body.contacts.0.plan, body.contacts.1.plan');
  });

  it('is ignored where other products call', async () => {
    const user = { email: 'ann@example.com', name: 'Ann', plan: 'pro' };
    expect((await org.post('/widget/authenticate-user', user)).status).toBe(200);
    const { id } = (await org.post('/chat/sessions', {})).body;
    const called = await org.post('/crm/miaw/webhook', { event: 'message:new', session_id: id, extra: 1 });
    expect(called.status).not.toBe(400);
  });
});

describe('the list of contacts', () => {
  it('finds the contact with an e-mail address or a phone number', async () => {
    const of = await api.createOrg();
    for (const contact of [{ email: 'Ann@example.com' }, { email: 'bob@example.com', phone: '+442079460958' }])
      await of.post('/contacts', { contact });
    const found = async (query: Record<string, string>) => {
      const { items } = (await of.get(`/contacts?${new URLSearchParams(query)}`)).body;
      return items.map(({ email }: { email: string }) => email);
    };
    expect(await found({ email: 'ANN@example.com' })).toEqual(['ann@example.com']);
    expect(await found({ phone_number: '+442079460958' })).toEqual(['bob@example.com']);
    expect(await found({ email: 'ann@example.com', phone_number: '+442079460958' })).toEqual([]);
    expect(await found({ email: 'nobody@example.com' })).toEqual([]);
    expect((await of.get('/contacts?email=nobody')).status).toBe(400);
  });
});
