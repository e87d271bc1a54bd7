import { sql } from 'kysely';
import { recordConstraintErrors } from '../../src/automations/runs/start-runs.queries.ts';
import { newId } from '../../src/ids.ts';
import { signIn } from '../sign-in/signing-in.ts';
import { smsStep } from '../support/sequences.ts';
import { startApi, type TestApi } from '../support/stack/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

interface Item {
  kind: string;
  title: string;
  detail: string | null;
  count: number;
  ref: { kind: string; id: string } | null;
}

const contact = async (fields: object): Promise<string> =>
  (await api.org.post('/contacts', { contact: fields })).body.id;
const session = async (contact_id: string) => {
  const { body } = await api.org.post('/chat/sessions', { contact_id });
  return (await api.org.get(`/chat/sessions/${body.id}`)).body;
};
const sequence = async (name: string): Promise<string> =>
  (await api.org.post('/sequences', { name, filter: null, is_continuous: true, steps: [smsStep('Hello')] })).body.id;
const delivery = (status: 'unknown' | 'sent' | 'suppressed', contact_id?: string, more: object = {}) =>
  api.db
    .insertInto('deliveries')
    .values({
      org_id: api.org.id,
      id: newId(),
      channel: 'sms',
      to: '+4915112345678',
      status,
      contact_id: contact_id ?? null,
      ...more,
    })
    .execute();

describe('what needs a person', () => {
  const attention = async (who = api.org as Pick<TestApi['org'], 'get'>): Promise<Item[]> =>
    (await who.get('/org/attention')).body.items;

  /** A workflow of which two runs failed, and whose constraint cannot be evaluated. */
  async function brokenWorkflow(): Promise<string> {
    const step = { $kind: 'Block', type: 'wait', id: 'pause', inputs: { minutes: 60 } };
    const made = { name: 'Refund', trigger_type: 'manual-trigger', workflow_blocks: [step] };
    const { workflow_id: id } = (await api.org.post('/workflows', made)).body;
    await api.org.post(`/workflows/${id}/activate`, {});
    await Promise.all([1, 2].map(() => api.org.post(`/workflows/${id}/trigger`, { input: {} })));
    await api.db.updateTable('automation_runs').set({ status: 'failed' }).where('automation_id', '=', id).execute();
    await api.db.transaction().execute((trx) => {
      const failure = { count: 1, message: 'No such variable' };
      return recordConstraintErrors(trx, api.org.id, id, failure);
    });
    return id;
  }
  /** A webhook that is gone, a connection that fails, a site with held removals, and a parked event. */
  async function otherTrouble() {
    const org_id = api.org.id;
    const [hook, site] = [newId(), newId()];
    const shape = { description: null, event_types: [], payload: 'full' as const, ordered: false, header_names: [] };
    const state = { enabled: false, disabled_because: 'gone', disabled_at: new Date() } as const;
    const endpoint = { org_id, id: hook, url: 'https://gone.example/', secret: 'sealed', ...shape, ...state };
    await api.db.insertInto('webhook_endpoints').values(endpoint).execute();
    await sql`insert into integrations (org_id, kind, provider, failing_since, last_error)
      values (${org_id}, 'sms', 'twilio', now(), 'refused')`.execute(api.db);
    await sql`insert into datasources (org_id, id, url, display_name) values (${org_id}, ${site}, 'https://a.example', 'Help')`.execute(
      api.db,
    );
    for (const held of [9, 3])
      await sql`insert into crawl_jobs (org_id, id, datasource_id, kind, status, held_pages, created_at, completed_at)
        values (${org_id}, ${newId()}, ${site}, 'full', 'completed', ${held}, clock_timestamp(), now())`.execute(
        api.db,
      );
    await sql`insert into outbox (org_id, kind, type, subject_id, payload, interruptions, available_at)
      values (${org_id}, 'event', 'contact-created', ${newId()}, '{}', 6, 'infinity')`.execute(api.db);
    return { hook, site };
  }

  it('is named with its reason and what it is about, for callers that may read it, and in its org alone', async () => {
    expect(await attention()).toEqual([]);
    const [paused, stopped] = [await sequence('Paused by itself'), await sequence('Paused by hand')];
    await api.db
      .updateTable('sequences')
      .set({ status: 'paused', paused_at: new Date() })
      .where('id', 'in', [paused, stopped])
      .execute();
    await api.db.updateTable('sequences').set({ paused_reason: 'No sender' }).where('id', '=', paused).execute();
    await Promise.all([delivery('unknown'), delivery('unknown'), delivery('sent')]);
    expect((await api.org.put('/email/domains', { domainName: 'mail.acme.example' })).status).toBe(200);
    const workflow = await brokenWorkflow();
    const { hook, site } = await otherTrouble();
    const items = await attention();
    expect(items).toMatchObject([
      { kind: 'integration_failing', title: 'twilio (sms)', detail: 'refused', ref: { kind: 'integration' } },
      { kind: 'domain_broken', title: 'mail.acme.example', count: 1, ref: { kind: 'domain' } },
      { kind: 'webhook_disabled', title: 'https://gone.example/', detail: 'It answered 410', ref: { id: hook } },
      {
        kind: 'sequence_paused',
        title: 'Paused by itself',
        detail: 'No sender',
        ref: { kind: 'sequence', id: paused },
      },
      { kind: 'unknown_delivery', count: 2, ref: null },
      { kind: 'run_failed', title: 'Refund', count: 2, ref: { kind: 'workflow', id: workflow } },
      { kind: 'workflow_constraint_error', title: 'Refund', detail: 'No such variable', ref: { id: workflow } },
      { kind: 'held_removals', title: 'Help', count: 3, ref: { kind: 'website', id: site } },
      { kind: 'parked_event', title: 'contact-created', count: 1, ref: null },
    ]);
    expect((await attention(await api.org.withScopes('email:read'))).map(({ kind }) => kind)).toEqual([
      'domain_broken',
    ]);
    expect(await attention(await api.org.withScopes('contacts:read'))).toEqual([]);
    expect(await attention(api.other)).toEqual([]);
    expect((await attention(await signIn(api, 'viewer'))).map(({ kind }) => kind)).toContain('sequence_paused');
  });
});

describe('work of people on conversations', () => {
  const attentionTo = async (kind: string): Promise<Item[]> =>
    (await api.org.get('/org/attention')).body.items.filter((item: Item & { kind: string }) => item.kind === kind);

  it('is named one conversation each where a handoff is not complete, and as one list of calls of assistants', async () => {
    const org_id = api.org.id;
    const ids = await Promise.all(['Hal', 'Ivy'].map(async (name) => (await session(await contact({ name }))).id));
    for (const id of ids) {
      const state = JSON.stringify({ state: 'partial', parts: [] });
      await sql`update sessions set handoffs = 2, handoff = ${state}::jsonb where org_id = ${org_id} and id = ${id}`.execute(
        api.db,
      );
      await sql`insert into crm_handoff_parts (org_id, session_id, part, position, state, handoff_number)
        values (${org_id}, ${id}, 'ticket', 1, 'failed', 2), (${org_id}, ${id}, 'comment', 2, 'parked', 2)`.execute(
        api.db,
      );
    }
    const handoffs = await attentionTo('handoff_partial');
    expect(handoffs.map(({ ref }) => ref?.id).sort()).toEqual(ids.sort());
    expect(handoffs.map(({ title }) => title.replace(/^#\d+ /, '')).sort()).toEqual(['Hal', 'Ivy']);
    const [first] = ids;
    await sql`update sessions set handoffs = 3 where org_id = ${org_id} and id = ${first}`.execute(api.db);
    expect((await attentionTo('handoff_partial')).map(({ ref }) => ref?.id)).toEqual(ids.slice(1)); // a later one began
    await sql`delete from crm_handoff_parts where org_id = ${org_id}`.execute(api.db);
    await sql`update sessions set handoff = null where org_id = ${org_id}`.execute(api.db);
    for (const tool of ['send_message', 'add_to_sequence'])
      await sql`insert into mcp_confirmations (org_id, id, key_id, key_name, tool, arguments, state, expires_at)
        values (${org_id}, ${newId()}, ${newId()}, 'Helper', ${tool}, '{}', 'needs_confirmation', now() + interval '1 hour')`.execute(
        api.db,
      );
    expect(await attentionTo('confirmation_waiting')).toEqual([]);
    expect(await attentionTo('assistant_call_waiting')).toMatchObject([
      { title: 'Calls of assistants', count: 2, ref: null },
    ]);
    await sql`delete from mcp_confirmations where org_id = ${org_id}`.execute(api.db);
  });
});

describe('the timeline of a contact', () => {
  it('names the step of a message of a sequence, among the steps that are left', async () => {
    const eve = await contact({ name: 'Eve' });
    const steps = ['Removed', 'First', 'Second'].map((message) => smsStep(message));
    const sequence = { name: 'Welcome', is_continuous: false, filter: null };
    const { id } = (await api.org.post('/sequences', { ...sequence, steps })).body;
    const [, first, second] = (await api.org.get(`/sequences/${id}`)).body.steps;
    expect((await api.org.patch(`/sequences/${id}`, { steps: [first, second] })).status).toBe(200);
    await delivery('suppressed', eve, { sequence_id: id, step_id: second.id });
    await delivery('sent', eve);
    const { items } = (await api.org.get(`/contacts/${eve}/timeline`)).body;
    expect(items).toMatchObject([
      { title: 'Message by SMS', status: 'sent' },
      { title: 'Welcome, step 2 by SMS', status: 'suppressed' },
    ]);
  });

  it('says which API key opened a conversation, and names the channel of any other as people say it', async () => {
    const fay = await contact({ name: 'Fay' });
    for (const type of ['api', 'web', 'whatsapp'])
      await api.org.post('/chat/sessions', { contact_id: fay, channel: { type } });
    const titles = async (): Promise<string[]> =>
      (await api.org.get(`/contacts/${fay}/timeline`)).body.items.map(({ title }: Item) => title.replace(/\d+/, '1'));
    const others = ['Conversation #1 by WhatsApp', 'Conversation #1 by web chat'];
    expect(await titles()).toEqual([...others, 'Conversation #1 by the API key Test']);
    await api.db.updateTable('session_events').set({ actor: null }).where('type', '=', 'session_created').execute();
    expect(await titles()).toEqual([...others, 'Conversation #1 by the API']);
  });

  it('has all there is of the contact, newest first, page by page, and nothing of others', async () => {
    const phone_number = '+442079460958';
    const [ada, ben] = [
      await contact({ name: 'Ada', email: 'ada@line.example', phone_number }),
      await contact({ name: 'Ben' }),
    ];
    const { id: sessionId } = await session(ada);
    await session(ben);
    await delivery('sent', ada);
    await delivery('sent', ben);
    await api.org.post('/suppressions', { address: 'ada@line.example' });
    const timeline = async (query = ''): Promise<(Item & { at: string })[]> =>
      (await api.org.get(`/contacts/${ada}/timeline${query}`)).body.items;
    const all = await timeline();
    expect(all.map(({ kind }) => kind).sort()).toEqual(['delivery', 'session', 'suppression']);
    expect(all.map(({ at }) => at)).toEqual(
      all
        .map(({ at }) => at)
        .toSorted()
        .toReversed(),
    );
    expect(all.find(({ kind }) => kind === 'session')?.ref).toEqual({ kind: 'session', id: sessionId });
    const { body: first } = await api.org.get(`/contacts/${ada}/timeline?limit=2`);
    expect([...first.items, ...(await timeline(`?limit=2&cursor=${first.next}`))]).toEqual(all);
    expect((await timeline('?kinds=session,run')).map(({ kind }) => kind)).toEqual(['session']);
    expect((await api.org.get(`/contacts/${ada}/timeline?kinds=mail`)).status).toBe(400);
    const limited = await api.org.withScopes('contacts:read');
    const { body: readable } = await limited.get(`/contacts/${ada}/timeline`);
    expect(readable.items.map(({ kind }: Item) => kind)).toEqual(['suppression']);
    expect((await api.other.get(`/contacts/${ada}/timeline`)).status).toBe(404);
  });
});

describe('the search over everything', () => {
  const search = async (q: string, more = '', who = api.org as Pick<TestApi['org'], 'get'>): Promise<Item[]> =>
    (await who.get(`/search?q=${encodeURIComponent(q)}${more}`)).body.items;
  const found = async (...args: Parameters<typeof search>) => (await search(...args)).map(({ ref }) => ref?.id);

  it('finds a conversation by its number, names by a part, messages by words and anything by its id', async () => {
    const grace = await contact({ name: 'Grace 1', email: 'grace@search.example' });
    const { id, ticket_number } = await session(grace);
    const message = { type: 'text', text: 'The teapot is cracked' };
    await api.org.post(`/chat/sessions/${id}/send`, { sender: 'contact', message });
    const welcome = await sequence('Welcome % back');
    expect(await search(`#${ticket_number}`)).toMatchObject([
      { kind: 'session', title: `#${ticket_number} Grace 1`, ref: { kind: 'session', id } },
    ]);
    expect((await search(`${ticket_number}`))[0]?.ref?.id).toBe(id);
    expect(await found('grac')).toEqual([grace]);
    expect(await found('teapot')).toEqual([id]);
    expect(await found('come % b')).toEqual([welcome]);
    expect(await found('come _ b')).toEqual([]);
    for (const one of [id, grace, welcome]) expect(await found(one.toUpperCase())).toContain(one);
    expect(await found('grac', '&kinds=session,message')).toEqual([]);
    expect(await found('teapot', '', await api.org.withScopes('contacts:read'))).toEqual([]);
    for (const q of [`#${ticket_number}`, 'grac', 'teapot', id]) expect(await found(q, '', api.other)).toEqual([]);
    expect((await api.org.post('/redaction/session', { sessionId: id, reason: 'asked' })).status).toBe(200);
    expect(await found('teapot')).toEqual([]);
  });

  it('lists contacts by a part of a name, an e-mail or a number in one page', async () => {
    const ids = await Promise.all([
      contact({ name: 'Quincy Adams' }),
      contact({ email: 'quincy@list.example' }),
      contact({ name: 'Nobody', phone_number: '+4915112345670' }),
    ]);
    const list = async (query: string) =>
      (await api.org.get(`/contacts?${query}`)).body.items.map((one: { id: string }) => one.id);
    expect((await list('q=quin')).sort()).toEqual(ids.slice(0, 2).sort());
    expect(await list('q=%2B4915112345670')).toEqual(ids.slice(2));
    expect(await list('q=quin&limit=1')).toHaveLength(1);
    expect((await api.org.get('/contacts?q=quin&email=a@b.example')).status).toBe(400);
    expect((await api.other.get('/contacts?q=quin')).body.items).toEqual([]);
  });
});
