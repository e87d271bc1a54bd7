import { CrmError } from '../../../src/providers/crm/errors.ts';
import { errorAfter, resetAfter } from '../../support/fakes/faulty-server.ts';
import { refuses } from '../../support/fakes/hubspot/server.ts';
import { again, facts, first, SESSION_ID, startHubspotClient } from '../../support/hubspot-client.ts';

const TICKETS = '/crm/v3/objects/tickets';
const CONTACTS = '/crm/v3/objects/contacts';
const SCHEMA = '/crm/v3/properties/tickets';
const SESSION_PROPERTY = { name: 'switchboard_session_id', type: 'string', fieldType: 'text' };

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one.close()));
});

async function start(...settings: Parameters<typeof startHubspotClient>) {
  const started = await startHubspotClient(...settings);
  opened.push(started);
  return started;
}

describe('the contact of a handoff', () => {
  it('is found by its e-mail address in lower case', async () => {
    const { fake, client } = await start();
    fake.crm.searchLagMs = 0;
    const { id } = fake.addContact({ email: 'ann@example.com' });
    expect(await client.doPart('contact', facts(), first())).toEqual({ state: 'done', externalId: id });
    expect(fake.requests('POST', `${CONTACTS}/search`)[0]?.body).toEqual({
      filterGroups: [{ filters: [{ propertyName: 'email', operator: 'EQ', value: 'ann@example.com' }] }],
      sorts: [],
      properties: ['email'],
      limit: 1,
      after: '0',
    });
    expect(fake.requests('POST', CONTACTS)).toEqual([]);
  });

  it('is created with the known data if there is none', async () => {
    const { fake, client } = await start();
    const made = await client.doPart('contact', facts(), first());
    expect(made).toEqual({ state: 'done', externalId: fake.crm.contacts[0]?.id });
    expect(fake.crm.contacts[0]?.properties).toEqual({
      email: 'ann@example.com',
      firstname: 'Ann',
      lastname: 'Maria Smith',
    });
  });

  it('is the existing one even if search does not find it yet, so a second try creates no second contact', async () => {
    const { fake, client } = await start();
    fake.next('POST', CONTACTS, resetAfter);
    await expect(client.doPart('contact', facts(), first())).rejects.toMatchObject({ mayHaveArrived: true });
    const outcome = await client.doPart('contact', facts(), again());
    expect(outcome).toEqual({ state: 'done', externalId: fake.crm.contacts[0]?.id });
    expect(fake.crm.contacts).toHaveLength(1);
  });

  it('is skipped without an e-mail address', async () => {
    const { fake, client } = await start();
    const contact = { name: null, email: null, phone: '+15005550006' };
    expect(await client.doPart('contact', facts({ contact }), first())).toMatchObject({ state: 'skipped' });
    expect(fake.requests()).toEqual([]);
  });

  it('is the only optional part', async () => {
    const { client } = await start();
    expect(client.parts).toEqual([
      { name: 'contact', isOptional: true },
      { name: 'ticket', isOptional: false },
      { name: 'comment', isOptional: false },
    ]);
  });
});

describe('the ticket of a handoff', () => {
  it('describes the session, with its contact, stage, priority and owner', async () => {
    const { fake, client } = await start({ priority: 'HIGH', owner_id: '88' });
    const contact = fake.addContact({ email: 'ann@example.com' });
    const outcome = await client.doPart('ticket', facts({}, contact.id), first());
    const [ticket] = fake.crm.tickets;
    expect(outcome).toEqual({ state: 'done', externalId: ticket?.id });
    expect(ticket?.associations).toEqual([contact.id]);
    expect(ticket?.properties).toEqual({
      subject: 'Where is my order?',
      content: [
        'Summary',
        'Customer: Where is <my> order?',
        '',
        'Reason: asked for a human',
        'Language: en',
        `Conversation: https://desk.example.com/sessions/${SESSION_ID}`,
      ].join('\n'),
      hs_pipeline: '0',
      hs_pipeline_stage: '1',
      hs_ticket_priority: 'HIGH',
      hubspot_owner_id: '88',
    });
  });

  it('has no heading without a summary', async () => {
    const { fake, client } = await start();
    await client.doPart('ticket', facts({ summary: '' }), first());
    expect(fake.crm.tickets[0]?.properties.content).toMatch(/^Reason: asked for a human\n/);
  });

  it('has the custom data with a matching ticket property, and nothing else', async () => {
    const { fake, client } = await start();
    fake.crm.properties.push(SESSION_PROPERTY);
    const taken = { order_number: 'A-1', plan: 'PRO', topics: 'billing;returns', seats: '12', renews_on: '2026-01-31' };
    const left = { unknown: 'x', old_field: 'x', time_to_close: '1', hs_object_id: '9', subject: 'other' };
    await client.doPart('ticket', facts({ properties: { ...taken, ...left } }), first());
    const [ticket] = fake.crm.tickets;
    expect(ticket?.properties).toMatchObject({ ...taken, switchboard_session_id: SESSION_ID });
    expect(ticket?.properties).toMatchObject({ subject: 'Where is my order?' });
    expect(Object.keys(ticket?.properties ?? {})).not.toEqual(expect.arrayContaining(['unknown']));
    expect(ticket?.properties).not.toHaveProperty('old_field');
    expect(ticket?.properties).not.toHaveProperty('time_to_close');
    expect(ticket?.properties).not.toHaveProperty('hs_object_id');
  });

  it('is created without a priority or an owner that its schema does not take', async () => {
    const { fake, client } = await start({ priority: 'URGENT', owner_id: '88' });
    fake.crm.properties = fake.crm.properties.filter(({ name }) => name !== 'hubspot_owner_id');
    const outcome = await client.doPart('ticket', facts(), first());
    expect(outcome).toMatchObject({ state: 'done' });
    expect(fake.crm.tickets[0]?.properties).not.toHaveProperty('hs_ticket_priority');
    expect(fake.crm.tickets[0]?.properties).not.toHaveProperty('hubspot_owner_id');
    expect(fake.requests('POST', TICKETS).map(({ status }) => status)).toEqual([201]);
  });

  it('omits values that their property does not accept', async () => {
    const { fake, client } = await start();
    const properties = { plan: 'GOLD', topics: 'billing;weather', seats: 'many', renews_on: 'soon', order_number: '1' };
    await client.doPart('ticket', facts({ properties }), first());
    expect(Object.keys(fake.crm.tickets[0]?.properties ?? {}).sort()).toEqual(
      ['subject', 'content', 'hs_pipeline', 'hs_pipeline_stage', 'order_number'].sort(),
    );
  });

  it('reads the schema of tickets once for several tickets', async () => {
    const { fake, client } = await start();
    await Promise.all([1, 2, 3].map(() => client.doPart('ticket', facts(), first())));
    expect(fake.requests('GET', SCHEMA)).toHaveLength(1);
  });

  it('is created without a property that was removed in the meantime', async () => {
    const { fake, client } = await start();
    await client.doPart('ticket', facts({ properties: { order_number: '1' } }), first());
    fake.crm.properties = fake.crm.properties.filter(({ name }) => name !== 'order_number');
    await client.doPart('ticket', facts({ properties: { order_number: '2' } }), first());
    expect(fake.crm.tickets[1]?.properties).not.toHaveProperty('order_number');
    expect(fake.requests('POST', TICKETS).map(({ status }) => status)).toEqual([201, 400, 201]);
    expect(fake.requests('GET', SCHEMA)).toHaveLength(2);
  });

  it('is created without a value that is no longer an option', async () => {
    const { fake, client } = await start();
    await client.doPart('ticket', facts({ properties: { plan: 'PRO' } }), first());
    const plan = fake.crm.properties.find(({ name }) => name === 'plan');
    plan?.options?.pop();
    await client.doPart('ticket', facts({ properties: { plan: 'PRO' } }), first());
    expect(fake.crm.tickets.map(({ properties }) => properties.plan)).toEqual(['PRO', undefined]);
  });

  it('is retried only once, whatever HubSpot reports about its properties', async () => {
    const { fake, client } = await start();
    const unknown = refuses(400, 'Property values were not valid: [{"error":"PROPERTY_DOESNT_EXIST"}]');
    fake.next('POST', TICKETS, unknown, unknown);
    const failure = await client.doPart('ticket', facts(), first()).catch((error: unknown) => error);
    expect(failure).toMatchObject({ transient: false, status: 400 });
    expect(fake.requests('POST', TICKETS)).toHaveLength(2);
  });

  it('fails with the name of the stage if the configured one does not exist', async () => {
    const { client } = await start({ open_stage_id: '99' });
    await expect(client.doPart('ticket', facts(), first())).rejects.toThrow('hs_pipeline_stage 99');
  });

  it('begins in the first open stage if none is configured', async () => {
    const { fake, client } = await start({ pipeline_id: undefined, open_stage_id: undefined });
    await client.doPart('ticket', facts(), first());
    expect(fake.crm.tickets[0]?.properties).toMatchObject({ hs_pipeline: '0', hs_pipeline_stage: '1' });
  });

  it('is skipped if ticketing is off', async () => {
    const { fake, client } = await start({ ticketing_enabled: false });
    expect(await client.doPart('ticket', facts(), first())).toMatchObject({ state: 'skipped' });
    expect(await client.doPart('contact', facts(), first())).toMatchObject({ state: 'skipped' });
    expect(fake.requests()).toEqual([]);
  });
});

describe('a ticket possibly created by an earlier try', () => {
  it('is found among the tickets of its contact at once', async () => {
    const { fake, client } = await start();
    const contact = fake.addContact({ email: 'ann@example.com' });
    const old = Array.from({ length: 600 }, (_, n) => fake.addTicket({ subject: `${n}`, content: 'x' }, contact.id));
    fake.next('POST', TICKETS, errorAfter(502));
    await expect(client.doPart('ticket', facts({}, contact.id), first())).rejects.toBeInstanceOf(CrmError);
    const outcome = await client.doPart('ticket', facts({}, contact.id), again());
    expect(outcome).toEqual({ state: 'done', externalId: fake.crm.tickets.at(-1)?.id });
    expect(fake.crm.tickets).toHaveLength(old.length + 1);
  });

  it('is searched for too if its contact became known only after the first try', async () => {
    const { fake, client } = await start();
    fake.crm.searchLagMs = 0;
    fake.next('POST', TICKETS, resetAfter);
    await expect(client.doPart('ticket', facts(), first())).rejects.toBeInstanceOf(CrmError);
    const contact = fake.addContact({ email: 'ann@example.com' });
    const outcome = await client.doPart('ticket', facts({}, contact.id), { ...again(), hasNewContact: true });
    expect(outcome).toEqual({ state: 'done', externalId: fake.crm.tickets[0]?.id });
    expect(fake.crm.tickets).toHaveLength(1);
  });

  it('is created if its contact has none for the session', async () => {
    const { fake, client } = await start();
    const contact = fake.addContact({ email: 'ann@example.com' });
    fake.addTicket({ subject: facts().subject, content: 'of another session' }, contact.id);
    expect(await client.doPart('ticket', facts({}, contact.id), again())).toMatchObject({ state: 'done' });
    expect(fake.crm.tickets).toHaveLength(2);
  });

  it.each([
    ['by the session property', [SESSION_PROPERTY]],
    ['by subject and link where there is no such property', []],
  ])('is searched for without a contact %s', async (_name, more) => {
    const { fake, client } = await start();
    fake.crm.properties.push(...more);
    fake.crm.searchLagMs = 0;
    fake.addTicket({ subject: facts().subject, content: 'of another session' });
    fake.next('POST', TICKETS, resetAfter);
    await expect(client.doPart('ticket', facts(), first())).rejects.toMatchObject({ mayHaveArrived: true });
    const outcome = await client.doPart('ticket', facts(), again());
    expect(outcome).toEqual({ state: 'done', externalId: fake.crm.tickets[1]?.id });
    expect(fake.crm.tickets).toHaveLength(2);
  });

  it('delays the retry while search may not show it yet', async () => {
    const { fake, client } = await start();
    fake.crm.properties.push(SESSION_PROPERTY);
    fake.next('POST', TICKETS, resetAfter);
    await expect(client.doPart('ticket', facts(), first())).rejects.toMatchObject({ mayHaveArrived: true });
    const failure = await client.doPart('ticket', facts(), again(10_000)).catch((error: unknown) => error);
    expect(failure).toMatchObject({ transient: true, mayHaveArrived: true });
    const { retryAfterMs = 0 } = failure as CrmError;
    expect(retryAfterMs).toBeGreaterThan(18_000);
    expect(retryAfterMs).toBeLessThanOrEqual(20_000);
    expect(fake.requests('POST', TICKETS)).toHaveLength(1);
  });

  it('is created after this delay, measured from the latest try', async () => {
    const { fake, client } = await start();
    const early = { ...again(40_000), latest: new Date(Date.now() - 5_000) };
    await expect(client.doPart('ticket', facts(), early)).rejects.toMatchObject({ transient: true });
    expect(await client.doPart('ticket', facts(), again(31_000))).toMatchObject({ state: 'done' });
    expect(fake.crm.tickets).toHaveLength(1);
  });
});

describe('the comment of a handoff', () => {
  it('describes the session in the thread, with our text escaped', async () => {
    const { fake, client } = await start();
    const threadId = fake.openThread();
    const outcome = await client.doPart('comment', facts({ threadId, sentiment: 'negative' }), first());
    const [comment] = fake.threads.get(threadId) ?? [];
    expect(outcome).toEqual({ state: 'done', externalId: comment?.id });
    const url = facts().sessionUrl;
    expect(comment).toMatchObject({
      type: 'COMMENT',
      text: `Summary\n${facts().summary}\n\nSentiment: negative\nLanguage: en\nConversation: ${url}`,
      richText: `Summary<br>Customer: Where is &lt;my&gt; order?<br><br>Sentiment: negative<br>Language: en<br>Conversation: <a href="${url}">${url}</a>`,
    });
  });

  it('is skipped if the session has no thread', async () => {
    const { fake, client } = await start();
    expect(await client.doPart('comment', facts(), first())).toMatchObject({ state: 'skipped' });
    expect(fake.requests()).toEqual([]);
  });

  it('is not posted again after a lost response, even if its summary has changed', async () => {
    const { fake, client } = await start();
    const threadId = fake.openThread();
    fake.next('POST', /messages$/, resetAfter);
    await expect(client.doPart('comment', facts({ threadId }), first())).rejects.toMatchObject({ transient: true });
    const outcome = await client.doPart('comment', facts({ threadId, summary: 'More' }), again());
    expect(fake.threads.get(threadId)?.map(({ id }) => id)).toEqual([(outcome as { externalId: string }).externalId]);
  });
});
