import { emailStep } from '../support/sequences.ts';
import { startApi, type TestApi } from '../support/stack/api.ts';

const steps = [emailStep('One')];
const whatsApp = (parameters: object) => ({
  delay_in_minutes: 0,
  action: {
    type: 'send_whatsapp_messages',
    data: { phone_number_id: '1', template: { name: 'hello', language: 'en', parameters } },
  },
});
const constant = { type: 'CONSTANT', value: 'x' };

describe('the sequences API', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(() => api.close());

  const create = async (input: object = {}) =>
    (await api.org.post('/sequences', { filter: null, steps, ...input })).body.id;

  it('shows a sequence as it was created, by its id and by its custom_id', async () => {
    const id = await create({ name: 'Welcome', custom_id: 'welcome/1', is_continuous: false });
    const { body } = await api.org.get(`/sequences/${id}`);
    expect(body).toMatchObject({
      id,
      name: 'Welcome',
      custom_id: 'welcome/1',
      org_id: api.org.id,
      status: 'pending',
      filter: null,
    });
    expect(body.steps).toEqual([{ ...steps[0], id: expect.any(String) }]);
    expect((await api.org.get('/sequences/welcome%2F1')).body).toEqual(body);
    expect((await api.other.get('/sequences/welcome%2F1')).status).toBe(404);
  });

  it('sends a step without a delay at once', async () => {
    const [{ action }] = steps as [ReturnType<typeof emailStep>];
    const id = await create({ is_continuous: false, steps: [{ action }] });
    expect((await api.org.get(`/sequences/${id}`)).body.steps).toMatchObject([{ delay_in_minutes: 0 }]);
  });

  it('keeps the delay of a step that a change names without one', async () => {
    const [{ action }] = steps as [ReturnType<typeof emailStep>];
    const id = await create({ is_continuous: false, steps: [{ action, delay_in_minutes: 5 }] });
    const [kept] = (await api.org.get(`/sequences/${id}`)).body.steps;
    const changed = await api.org.patch(`/sequences/${id}`, { steps: [{ action }, { id: kept.id, action }] });
    expect(changed.status).toBe(200);
    const delays = (await api.org.get(`/sequences/${id}`)).body.steps;
    expect(delays).toMatchObject([{ delay_in_minutes: 0 }, { id: kept.id, delay_in_minutes: 5 }]);
  });

  it('accepts a custom_id once in an org, and again once its sequence is deleted', async () => {
    const id = await create({ custom_id: 'once' });
    const second = await api.org.post('/sequences', { filter: null, steps, custom_id: 'once' });
    expect(second.status).toBe(409);
    const conflicting = { type: 'sequence', id, field: 'custom_id' };
    expect(second.body).toMatchObject({ code: 'already_exists', conflicting });
    expect(second.body.message).toContain('custom_id "once"');
    const other = await create({ custom_id: 'another' });
    const changed = await api.org.patch(`/sequences/${other}`, { custom_id: 'once' });
    expect(changed.body).toMatchObject({ statusCode: 409, code: 'already_exists', conflicting });
    expect((await api.other.post('/sequences', { filter: null, steps, custom_id: 'once' })).status).toBe(201);
    expect((await api.org.delete(`/sequences/${id}`)).status).toBe(200);
    expect((await api.org.get(`/sequences/${id}`)).status).toBe(404);
    expect(await create({ custom_id: 'once' })).toEqual(expect.any(String));
  });

  it.each([
    ['no steps', { steps: [] }, 'body.steps'],
    ['no filter', { filter: undefined }, 'body.filter'],
    ['a filter of an unknown type', { filter: { or: [{ and: [{ type: 'all' }] }] } }, 'body.filter.or.0.and.0.type'],
    [
      'a filter with an unknown property',
      { filter: { or: [{ and: [{ type: 'all_contacts', x: 1 }] }] } },
      'body.filter.or.0.and.0',
    ],
    ['a negative delay', { steps: [emailStep('A', -1)] }, 'body.steps.0.delay_in_minutes'],
    ['a delay of centuries', { steps: [emailStep('A', 1e12)] }, 'body.steps.0.delay_in_minutes'],
    [
      'an invalid sender address',
      { steps: [emailStep('A', 0, { from_email: 'me' })] },
      'body.steps.0.action.data.from_email',
    ],
    [
      'a subject of two lines',
      { steps: [emailStep('A\r\nBcc: all@example.com')] },
      'body.steps.0.action.data.email_subject',
    ],
    [
      'a template mapping with an unknown property',
      { steps: [whatsApp({ body: { type: 'body', parameters: [], x: 1 } })] },
      'body.steps.0.action.data.template.parameters.body',
    ],
    [
      'a button beyond the ninth',
      { steps: [whatsApp({ buttons: [{ type: 'button', index: '10', sub_type: 'url', parameters: [] }] })] },
      'body.steps.0.action.data.template.parameters.buttons.0.index',
    ],
    [
      'a mix of named and unnamed parameters',
      {
        steps: [
          whatsApp({
            body: {
              type: 'body',
              parameters: [
                { type: 'text', text: constant, parameter_name: 'a' },
                { type: 'text', text: constant },
              ],
            },
          }),
        ],
      },
      'body.steps.0.action.data.template.parameters.body.parameters',
    ],
  ])('rejects %s and names the path', async (_, input, path) => {
    const { status, body } = await api.org.post('/sequences', { filter: null, steps, ...input });
    expect(status).toBe(400);
    expect(body.issues.map((issue: { path: string }) => issue.path)).toContain(path);
  });

  it('accepts every kind of template parameter', async () => {
    const text = {
      type: 'text',
      text: { type: 'GLOBAL_DYNAMIC', ref: 'CONTACT_NAME', fallback: 'you' },
      parameter_name: 'name',
    };
    const link = { link: { type: 'DYNAMIC', ref: 'photo', fallback: 'https://example.com/a.png' } };
    const location = { latitude: constant, longitude: constant, name: constant, address: constant };
    const parameters = {
      header: {
        type: 'header',
        parameters: [
          text,
          { type: 'image', image: link },
          { type: 'video', video: link },
          { type: 'document', document: link },
          { type: 'location', location },
        ],
      },
      body: { type: 'body', parameters: [text] },
      buttons: [{ type: 'button', index: '0', sub_type: 'url', parameters: [{ type: 'text', text: constant }] }],
    };
    const id = await create({ steps: [whatsApp(parameters)] });
    const { body } = await api.org.get(`/sequences/${id}`);
    expect(body.steps[0].action.data.template.parameters).toEqual(parameters);
  });

  it('enrolls contacts once, creates unknown ones, and reports skipped ones', async () => {
    const domain = { or: [{ and: [{ type: 'contacts_email_domain_name_in', domain_name_in: ['in.example'] }] }] };
    const id = await create({ filter: domain });
    const unknown = { id: '0190a0a0-0000-7000-8000-000000000000' };
    const contacts = [
      { email: 'ann@in.example' },
      { email: 'bob@out.example' },
      unknown,
      { phone_number: '+4915112345678' },
    ];
    const first = await api.org.post(`/sequences/${id}/contacts`, { contacts });
    expect(first.status).toBe(201);
    expect(first.body).toMatchObject({ enrolled: 1, run_id: expect.any(String) });
    expect(first.body.skipped).toEqual([
      { contact: { email: 'bob@out.example' }, reason: "the contact is outside the sequence's filter" },
      { contact: unknown, reason: 'there is no contact with this id' },
      { contact: { phone_number: '+4915112345678' }, reason: "the contact is outside the sequence's filter" },
    ]);
    const second = await api.org.post(`/sequences/${id}/contacts`, { contacts: [{ email: 'ANN@in.example' }] });
    expect(second.body.skipped).toEqual([
      { contact: { email: 'ann@in.example' }, reason: 'the contact was enrolled before' },
    ]);
  });

  it('cancels one run of a sequence by its id', async () => {
    const id = await create();
    const { body } = await api.org.post(`/sequences/${id}/contacts`, { contacts: [{ email: 'ann@run.example' }] });
    expect((await api.other.put(`/sequences/${body.run_id}/cancel`)).status).toBe(404);
    expect((await api.org.put(`/sequences/${body.run_id}/cancel`)).status).toBe(200);
    expect((await api.org.get(`/sequences/${id}`)).body.status).toBe('active');
  });

  it('rejects steps of another sequence, and repeated steps', async () => {
    const id = await create();
    const foreign = (await api.org.get(`/sequences/${await create()}`)).body.steps[0];
    const own = (await api.org.get(`/sequences/${id}`)).body.steps[0];
    expect((await api.org.patch(`/sequences/${id}`, { steps: [foreign] })).status).toBe(400);
    expect((await api.org.patch(`/sequences/${id}`, { steps: [own, own] })).status).toBe(400);
    const answer = await api.org.patch(`/sequences/${id}`, { steps: [own, emailStep('Two')] });
    expect(answer).toMatchObject({ status: 200, body: (await api.org.get(`/sequences/${id}`)).body });
    const changed = answer.body.steps;
    expect(changed.map((step: { id: string }) => step.id === own.id)).toEqual([true, false]);
  });

  it('lists all sequences of the org by creation, page by page', async () => {
    const owner = await api.createOrg('Lists');
    const created: string[] = [];
    for (let i = 0; i < 5; i++) created.push((await owner.post('/sequences', { filter: null, steps })).body.id);
    const seen: string[] = [];
    let path = '/sequences?limit=2';
    for (;;) {
      const { body } = await owner.get(path);
      seen.push(...body.items.map((item: { id: string }) => item.id));
      if (body.next === null) break;
      path = `/sequences?limit=2&cursor=${body.next}`;
    }
    expect(seen).toEqual(created);
    const odd = await owner.get('/sequences?cursor=abc');
    expect([odd.status, odd.body.issues[0].path]).toEqual([400, 'query.cursor']);
  });
});
