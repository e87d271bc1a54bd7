import { sql } from 'kysely';
import { connectHubspot, historyOf, type OrgWithHubspot } from '../../support/crm.ts';
import { resetAfter, unavailable } from '../../support/fakes/faulty-server.ts';
import type { FakeObject } from '../../support/fakes/hubspot/objects.ts';
import { limited, refuses } from '../../support/fakes/hubspot/server.ts';
import { changeOf, eventOf, noteEventOf } from '../../support/fakes/hubspot/webhooks.ts';
import { eventually, type Stack, startStack } from '../../support/stack/stack.ts';

const TICKETS = '/crm/v3/objects/tickets';

let stack: Stack;
let crm: OrgWithHubspot;
beforeAll(async () => {
  stack = await startStack({ env: { EGRESS_ALLOW: '127.0.0.0/8' } });
  await stack.org.patch('/org/settings', { handoff_target: 'crm' });
});
afterAll(() => stack.close());
beforeEach(async () => {
  crm = await connectHubspot(stack.org);
});
afterEach(() => crm.hubspot.close());

async function newSession(email = `${crypto.randomUUID()}@example.com`): Promise<string> {
  const { org } = stack;
  const contact = await org.post('/contacts', { contact: { email, name: 'Ann Smith' } });
  const { id } = (await org.post('/chat/sessions', { contact_id: contact.body.id, channel: { type: 'web' } })).body;
  await org.post(`/chat/sessions/${id}/send`, {
    sender: 'contact',
    message: { type: 'text', text: 'The parcel is lost' },
  });
  return id;
}
const handOff = (id: string) => stack.org.post(`/chat/sessions/${id}/handoff`, { reason: 'Asked for a human' });
const session = async (id: string) => (await stack.org.get(`/chat/sessions/${id}`)).body;
const inState = (id: string, state: string) =>
  eventually(`a handoff that is ${state}`, async () => {
    const now = await session(id);
    return now.handoff?.state === state && now;
  });
const partOf = (now: { handoff: { parts: { part: string }[] } }, part: string) =>
  now.handoff.parts.find((one) => one.part === part);
const withPart = (id: string, part: string, state: string) =>
  eventually(`a ${part} that is ${state}`, async () => {
    const now = await session(id);
    return (partOf(now, part) as { state?: string } | undefined)?.state === state && now;
  });
const resolve = (id: string, more: object = {}) =>
  stack.org.patch(`/chat/sessions/${id}`, { status: 'closed_resolved', ...more });

describe('a handoff to HubSpot', () => {
  it('creates the contact and an associated ticket, and shows the state of each part', async () => {
    const id = await newSession('ann.smith@example.com');
    await stack.org.patch(`/chat/sessions/${id}`, { custom_data: { order_number: '17', nonsense: 'x' } });
    crm.hubspot.crm.properties.push({ name: 'order_number', type: 'string' });
    const { status, body } = await handOff(id);
    expect([status, body.handoff.state]).toEqual([200, 'pending']);

    const now = await inState(id, 'done');
    expect(now.handoff.parts.map(({ part, state }: { part: string; state: string }) => [part, state])).toEqual([
      ['contact', 'done'],
      ['ticket', 'done'],
      ['comment', 'skipped'],
    ]);
    expect(now.handoff.summary).toBe('Customer: The parcel is lost');
    const [ticket] = crm.hubspot.crm.tickets;
    expect(now.ticketing_system).toEqual({ name: 'hubspot', external_id: ticket?.id, id_type: 'ticket_id' });
    expect(ticket?.properties).toMatchObject({
      order_number: '17',
      subject: expect.stringContaining('The parcel is lost'),
    });
    expect(ticket?.properties.content).toContain('Asked for a human');
    expect(ticket?.properties.content).toContain('Summary\nCustomer: The parcel is lost\n');
    expect(ticket?.properties.nonsense).toBeUndefined();
    expect(crm.hubspot.crm.contacts.map(({ properties }) => properties.email)).toEqual(['ann.smith@example.com']);
    expect(ticket?.associations).toEqual([crm.hubspot.crm.contacts[0]?.id]);
  });

  it('adds a comment with a link to the session to the thread of a HubSpot conversation', async () => {
    const threadId = crm.hubspot.openThread();
    await crm.deliver(eventOf(crm.hubspot.addMessage(threadId, { text: 'Where is my order?' })));
    const { id } = await eventually('a session', async () => {
      const { items } = (await stack.org.get('/chat/sessions')).body;
      return items.find(
        (one: { ticketing_system: { external_id: string } | null }) => one.ticketing_system?.external_id === threadId,
      );
    });
    await handOff(id);
    await inState(id, 'done');
    const comments = () => crm.hubspot.threads.get(threadId)?.filter(({ type }) => type === 'COMMENT') ?? [];
    expect(comments()).toHaveLength(1);
    expect(comments()[0]?.text).toContain(id);
    expect(comments()[0]?.text).toContain('Summary\nCustomer: Where is my order?\n');
    await crm.deliver(...comments().map((comment) => eventOf(comment)));
    await crm.deliver(eventOf(crm.hubspot.addMessage(threadId, { text: 'Hello?' })));
    const story = await eventually('what came later', async () => {
      const lines = await historyOf(stack.org, id);
      return lines.includes('contact: Hello?') && lines;
    });
    expect(story.filter((line) => line.startsWith('human_agent_comment'))).toEqual([]);
  });

  it('tries four times to create a ticket while HubSpot is down, then waits for a manual retry', async () => {
    const id = await newSession();
    crm.hubspot.next('POST', TICKETS, ...Array.from({ length: 5 }, () => unavailable()));
    await handOff(id);
    const parked = await withPart(id, 'ticket', 'parked');
    expect(parked.handoff.state).toBe('partial');
    expect(partOf(parked, 'ticket')).toMatchObject({
      attempts: 4,
      error: expect.any(String),
      next_try_at: expect.any(String),
    });
    expect(crm.hubspot.requests('POST', TICKETS)).toHaveLength(4);

    expect((await stack.org.post(`/chat/sessions/${id}/handoff/retry`)).status).toBe(200);
    await inState(id, 'done');
    expect(crm.hubspot.requests('POST', TICKETS).map(({ status }) => status)).toEqual([503, 503, 503, 503, 503, 201]);
    expect(crm.hubspot.crm.tickets).toHaveLength(1);
  });

  it.each([
    { what: 'the limit of a day', fault: limited('DAILY'), minutes: 15, reason: 'DAILY' },
    { what: 'a pause of an hour', fault: unavailable('3600'), minutes: 60, reason: '503' },
  ])('parks a ticket after $what until it may be tried, and a retry by hand is sent at once', async (limit) => {
    const id = await newSession();
    crm.hubspot.next('POST', TICKETS, limit.fault);
    const from = Date.now();
    await handOff(id);
    const parked = partOf(await withPart(id, 'ticket', 'parked'), 'ticket') as { next_try_at?: string } | undefined;
    expect(parked).toMatchObject({ attempts: 1, error: expect.stringContaining(limit.reason) });
    const pauseMs = Date.parse(parked?.next_try_at ?? '') - from;
    expect(Math.round(pauseMs / 60_000)).toBe(limit.minutes);

    expect((await stack.org.post(`/chat/sessions/${id}/handoff/retry`)).status).toBe(200);
    await inState(id, 'done');
    expect(crm.hubspot.requests('POST', TICKETS).at(-1)).toMatchObject({ status: 201 });
    expect(crm.hubspot.crm.tickets).toHaveLength(1);
  });

  it('succeeds after three failures', async () => {
    const id = await newSession();
    crm.hubspot.next('POST', TICKETS, unavailable(), unavailable(), unavailable());
    await handOff(id);
    await inState(id, 'done');
    expect(crm.hubspot.requests('POST', TICKETS).map(({ status }) => status)).toEqual([503, 503, 503, 201]);
  });

  it('creates only one ticket if the answer was lost', async () => {
    const id = await newSession();
    crm.hubspot.next('POST', TICKETS, resetAfter);
    await handOff(id);
    const now = await inState(id, 'done');
    expect(crm.hubspot.crm.tickets.map((ticket) => ticket.id)).toEqual([now.ticketing_system.external_id]);
    expect(crm.hubspot.requests('POST', TICKETS)).toHaveLength(1);
  });

  it.each([403, 400])('looks again after a refused look-up (%i), and creates no second ticket', async (status) => {
    const id = await newSession();
    crm.hubspot.next('POST', TICKETS, resetAfter);
    crm.hubspot.next('GET', /^\/crm\/v4\/objects\/contacts\/[^/]+\/associations\/tickets$/, refuses(status, 'not now'));
    await handOff(id);
    const failed = await withPart(id, 'ticket', 'failed');
    expect(failed.handoff.state).toBe('partial');
    await stack.org.post(`/chat/sessions/${id}/handoff/retry`, {});
    const now = await inState(id, 'done');
    expect(crm.hubspot.crm.tickets.map((ticket) => ticket.id)).toEqual([now.ticketing_system.external_id]);
    expect(crm.hubspot.requests('POST', TICKETS)).toHaveLength(1);
  });

  it('does not retry a refused ticket, which can be settled by hand', async () => {
    const id = await newSession();
    crm.hubspot.next('POST', TICKETS, refuses(400, 'subject is not wanted'));
    await handOff(id);
    const failed = await withPart(id, 'ticket', 'failed');
    expect(failed.handoff.state).toBe('partial');
    expect(partOf(failed, 'ticket')).toMatchObject({
      error: expect.stringContaining('subject is not wanted'),
      attempts: 1,
    });
    expect(crm.hubspot.requests('POST', TICKETS)).toHaveLength(1);
    const settle = (body: object) => stack.org.post(`/chat/sessions/${id}/handoff/settle`, body);
    expect((await settle({ part: 'conversation' })).status).toBe(409);
    expect((await settle({ part: 'ticket', external_id: '4 2' })).status).toBe(400);
    const settled = await settle({ part: 'ticket', external_id: '4242' });
    expect(partOf(settled.body, 'ticket')).toMatchObject({ state: 'settled', external_id: '4242' });
    await inState(id, 'done');
    expect((await session(id)).ticketing_system).toMatchObject({ external_id: '4242' });
    const other = await newSession();
    crm.hubspot.next('POST', TICKETS, refuses(400, 'subject is not wanted'));
    await handOff(other);
    await withPart(other, 'ticket', 'failed');
    const taken = await stack.org.post(`/chat/sessions/${other}/handoff/settle`, {
      part: 'ticket',
      external_id: '4242',
    });
    expect([taken.status, taken.body.message]).toEqual([400, expect.stringContaining('another session')]);
  });

  it('is done without the contact if HubSpot refuses it', async () => {
    const id = await newSession();
    crm.hubspot.next('POST', '/crm/v3/objects/contacts/search', refuses(400, 'no search today'));
    await handOff(id);
    const now = await inState(id, 'done');
    expect(partOf(now, 'contact')).toMatchObject({
      state: 'failed',
      error: expect.stringContaining('no search today'),
    });
    expect(crm.hubspot.crm.tickets).toHaveLength(1);
  });

  it('waits while HubSpot refuses the credentials, says how to fix it, and continues once they are replaced', async () => {
    const id = await newSession();
    crm.hubspot.revoke(crm.hubspot.accessToken);
    await handOff(id);
    await withPart(id, 'contact', 'failed');
    await withPart(id, 'ticket', 'parked');
    const { items } = (await stack.org.get('/integrations')).body;
    expect(items[0]).toMatchObject({ connected: false, last_error: expect.stringContaining('PUT /integrations/crm') });
    crm.hubspot.restore(crm.hubspot.accessToken);
    await crm.reconnect();
    await inState(id, 'done');
  });

  it('says what it waits for while the CRM is not connected, and begins once it is', async () => {
    const org = await stack.createOrg();
    const settings = await org.patch('/org/settings', { handoff_target: 'crm' });
    const waits_for = 'The CRM is not connected: PUT /integrations/crm';
    expect([settings.status, settings.body.warnings]).toEqual([200, [expect.stringContaining(waits_for)]]);
    const contact = await org.post('/contacts', { contact: { email: 'ann@example.com' } });
    const { id } = (await org.post('/chat/sessions', { contact_id: contact.body.id })).body;
    const { body } = await org.post(`/chat/sessions/${id}/handoff`, {});
    expect(body.handoff).toMatchObject({ state: 'pending', waits_for });
    const connected = await connectHubspot(org);
    try {
      const done = await eventually('the handoff', async () => {
        const { handoff } = (await org.get(`/chat/sessions/${id}`)).body;
        return handoff.state === 'done' && handoff;
      });
      expect(done.waits_for).toBeUndefined();
      expect((await org.get('/org/settings')).body.warnings).toEqual([]);
      expect((await org.get('/integrations')).body.items).toMatchObject([{ kind: 'crm', warnings: [] }]);
    } finally {
      await connected.hubspot.close();
    }
  });

  it('says why nothing is handed over if the CRM is connected and there is no handoff target', async () => {
    const org = await stack.createOrg();
    const connected = await connectHubspot(org);
    try {
      const note = expect.stringContaining('handoff_target is not set');
      const { id } = (await org.post('/chat/sessions', {})).body;
      const { body } = await org.post(`/chat/sessions/${id}/handoff`, {});
      expect(body.handoff).toMatchObject({ state: 'done', parts: [], note });
      expect((await org.get('/org/settings')).body.warnings).toEqual([note]);
      expect((await org.get('/integrations')).body.items).toMatchObject([{ kind: 'crm', warnings: [note] }]);
      await org.patch('/org/settings', { handoff_target: 'none' });
      expect((await org.get('/org/settings')).body.warnings).toEqual([]);
    } finally {
      await connected.hubspot.close();
    }
  });

  it('is refused for an org without a handoff target and for the session of another org', async () => {
    const { other } = stack;
    const { id } = (await other.post('/chat/sessions', {})).body;
    const { body } = await other.post(`/chat/sessions/${id}/handoff`, {});
    expect(body.handoff.state).toBe('done');
    const mine = await newSession();
    expect((await other.post(`/chat/sessions/${mine}/handoff/retry`)).status).toBe(404);
    expect((await other.post(`/chat/sessions/${mine}/handoff/settle`, { part: 'ticket' })).status).toBe(404);
    expect((await stack.org.post(`/chat/sessions/${mine}/handoff/retry`)).status).toBe(409);
    expect((await other.post(`/chat/sessions/${id}/handoff/retry`)).status).toBe(409);
  });
});

describe('the ticket of a session', () => {
  async function handedOff() {
    const id = await newSession();
    await handOff(id);
    const now = await inState(id, 'done');
    return { id, ticketId: now.ticketing_system.external_id as string };
  }

  const waitingNotes = () =>
    stack.db.selectFrom('crm_events').select('id').where('queue', '=', 'notes').where('state', '=', 'queued').execute();

  /** Brings the last look at notes forward, and wakes their workflow with a note that is gone. */
  const ageNotes = async () => {
    await sql`update crm_batches set received_at = received_at - interval '22 seconds'`.execute(stack.db);
    await sql`
      update crm_events set not_before = not_before - interval '22 seconds' where not_before > now() + interval '6 seconds'
    `.execute(stack.db);
    await crm.deliver(noteEventOf('999999999'));
  };

  it('is closed some seconds after the session is resolved, unless the session is reopened before', async () => {
    const [closed, reopened, unreflected] = await Promise.all([handedOff(), handedOff(), handedOff()]);
    const from = Date.now();
    await Promise.all([resolve(closed.id), resolve(reopened.id)]);
    await resolve(unreflected.id, { reflect_status_change_for_integration: false });
    const waiting = stack.temporal.workflow.getHandle(`ticket-close/${reopened.id}/1`);
    await eventually('the wait', () => waiting.describe().catch(() => undefined)); // an earlier reopening prevents it
    await stack.org.patch(`/chat/sessions/${reopened.id}`, { status: 'open' });
    await eventually(
      'a closed ticket',
      () => crm.hubspot.requests('PATCH', `${TICKETS}/${closed.ticketId}`).length > 0,
    );
    expect(Date.now() - from).toBeGreaterThan(13_500);
    await eventually('a closed stage', () => crm.hubspot.ticket(closed.ticketId)?.properties.hs_pipeline_stage === '4');
    await eventually('the end of the other run', async () => (await waiting.describe()).status.name === 'COMPLETED');
    expect(crm.hubspot.requests('PATCH').map(({ path }) => path)).toEqual([`${TICKETS}/${closed.ticketId}`]);
  });

  it('goes back to the open stage some seconds after its session is reopened, unless that is not to be reflected', async () => {
    const [asked, written, left] = await Promise.all([handedOff(), handedOff(), handedOff()]);
    const all = [asked, written, left];
    const stageOf = ({ ticketId }: { ticketId: string }) => crm.hubspot.ticket(ticketId)?.properties.hs_pipeline_stage;
    const first = all.map(stageOf);
    await Promise.all(all.map(({ id }) => resolve(id)));
    await eventually('closed tickets', () => all.every((one) => stageOf(one) === '4'));
    const from = Date.now();
    await stack.org.patch(`/chat/sessions/${asked.id}`, { status: 'open' });
    await stack.org.post(`/chat/sessions/${written.id}/send`, {
      sender: 'contact',
      message: { type: 'text', text: 'It is lost again' },
    });
    const silently = { status: 'open', reflect_status_change_for_integration: false };
    await stack.org.patch(`/chat/sessions/${left.id}`, silently);
    await eventually('reopened tickets', () => stageOf(asked) === first[0] && stageOf(written) === first[1]);
    expect(Date.now() - from).toBeGreaterThan(13_500);
    expect(stageOf(left)).toBe('4');
    expect(crm.hubspot.requests('PATCH')).toHaveLength(5);
  });

  it('stays in the stage that people gave it when its session is reopened', async () => {
    const { id, ticketId } = await handedOff();
    await resolve(id, { reflect_status_change_for_integration: false });
    const ticket = crm.hubspot.ticket(ticketId) as FakeObject;
    ticket.properties.hs_pipeline_stage = '2';
    await stack.org.patch(`/chat/sessions/${id}`, { status: 'open' });
    await eventually('the end of the run', async () => {
      const run = await stack.temporal.workflow
        .getHandle(`ticket-reopen/${id}`)
        .describe()
        .catch(() => undefined);
      return run?.status.name === 'COMPLETED';
    });
    expect([ticket.properties.hs_pipeline_stage, crm.hubspot.requests('PATCH')]).toEqual(['2', []]);
  });

  it('is closed after creation if its session was resolved before, unless the change is not to be reflected', async () => {
    const [followed, unfollowed] = await Promise.all([newSession(), newSession()]);
    const many = Array.from({ length: 8 }, () => unavailable());
    crm.hubspot.next('POST', TICKETS, ...many);
    await Promise.all([handOff(followed), handOff(unfollowed)]);
    await Promise.all([withPart(followed, 'ticket', 'parked'), withPart(unfollowed, 'ticket', 'parked')]);
    await resolve(followed);
    await resolve(unfollowed, { reflect_status_change_for_integration: false });
    await eventually('an empty outbox', async () => {
      const left = await stack.db.selectFrom('outbox').select('id').where('type', '=', 'ticket-resolved').execute();
      return left.length === 0;
    });
    for (const id of [followed, unfollowed]) await stack.org.post(`/chat/sessions/${id}/handoff/retry`);
    const made = await Promise.all([inState(followed, 'done'), inState(unfollowed, 'done')]);
    const [closing, open] = made.map(({ ticketing_system }) => ticketing_system.external_id);
    await eventually('a closed ticket', () => crm.hubspot.ticket(closing)?.properties.hs_pipeline_stage === '4');
    expect(crm.hubspot.requests('PATCH').map(({ path }) => path)).toEqual([`${TICKETS}/${closing}`]);
    expect(crm.hubspot.ticket(open)?.properties.hs_pipeline_stage).not.toBe('4');
  });

  it('updates the session with the latest value of each property, and closes it', async () => {
    const { id, ticketId } = await handedOff();
    const at = Date.now();
    await crm.deliver(changeOf(ticketId, 'priority', 'HIGH', { occurredAt: at }));
    await eventually('a priority', async () => (await session(id)).custom_data.priority === 'HIGH');
    await crm.deliver(
      changeOf(ticketId, 'priority', 'LOW', { occurredAt: at - 5_000 }),
      changeOf(ticketId, 'region', '', { occurredAt: at }),
      changeOf(ticketId, 'hs_pipeline_stage', '4', { occurredAt: at + 1 }),
      changeOf(ticketId, 'hs_pipeline_stage', '4', { occurredAt: at + 2 }),
    );
    await eventually('a closed session', async () => (await session(id)).status === 'closed_resolved');
    expect((await session(id)).custom_data).toEqual({ priority: 'HIGH', hs_pipeline_stage: '4' });
    const story = await historyOf(stack.org, id);
    expect(story.filter((line) => line === 'status_changed')).toHaveLength(1);
    expect(crm.hubspot.requests('PATCH')).toEqual([]);
  });

  it('does not close a session that was opened again since, however late its closing is reported', async () => {
    const { id, ticketId } = await handedOff();
    await resolve(id, { reflect_status_change_for_integration: false });
    const closedAt = Date.now();
    const isOpen = async () => (await session(id)).status === 'open';
    await stack.org.post(`/chat/sessions/${id}/send`, {
      sender: 'contact',
      message: { type: 'text', text: 'It is lost again' },
    });
    expect(await isOpen()).toBe(true);
    await crm.deliver(
      changeOf(ticketId, 'hs_pipeline_stage', '4', { occurredAt: closedAt }),
      changeOf(ticketId, 'priority', 'HIGH', { occurredAt: closedAt + 1 }),
    );
    await eventually('the priority', async () => (await session(id)).custom_data.priority === 'HIGH');
    expect(await isOpen()).toBe(true);
    expect((await session(id)).custom_data.hs_pipeline_stage).toBe('4');
    await crm.deliver(changeOf(ticketId, 'hs_pipeline_stage', '4', { occurredAt: Date.now() + 6_000 }));
    await eventually('a closed session', async () => (await session(id)).status === 'closed_resolved');
  });

  it('adds its notes to the session, each once', async () => {
    const { id, ticketId } = await handedOff();
    const note = crm.hubspot.addNote({ hs_note_body: '<p>Called <b>back</b></p>' }, [ticketId]);
    const stray = crm.hubspot.addNote({ hs_note_body: 'Elsewhere' }, []);
    await crm.deliver(noteEventOf(stray.id), noteEventOf(note.id), noteEventOf(note.id));
    await crm.deliver(noteEventOf(note.id));
    await eventually('a note', async () =>
      (await historyOf(stack.org, id)).includes('human_agent_comment: Called back'),
    );
    await ageNotes();
    await eventually('an empty queue', async () => (await waitingNotes()).length === 0);
    expect((await historyOf(stack.org, id)).filter((line) => line.startsWith('human_agent_comment'))).toHaveLength(1);
  });

  it('adds a note whose association comes later, at the second or third look, and without delaying other notes', async () => {
    const { id, ticketId } = await handedOff();
    const notes = ['Second', 'Third', 'Never'].map((text) => crm.hubspot.addNote({ hs_note_body: text }, []));
    const [second, third, never] = notes as [FakeObject, FakeObject, FakeObject];
    const readsOf = (note: FakeObject) => crm.hubspot.requests('GET', `/crm/v3/objects/notes/${note.id}`).length;
    const isShown = async (text: string) => (await historyOf(stack.org, id)).includes(`human_agent_comment: ${text}`);
    await crm.deliver(...notes.map((note) => noteEventOf(note.id)));
    await eventually('a first look', () => notes.every((note) => readsOf(note) === 1));
    second.associations.push(ticketId);
    const prompt = crm.hubspot.addNote({ hs_note_body: 'Prompt' }, [ticketId]);
    await crm.deliver(noteEventOf(prompt.id));
    await eventually('a note that does not wait', () => isShown('Prompt'));
    expect(readsOf(second)).toBe(1);
    await eventually('the second look', () => isShown('Second'));
    await eventually('the second look at the others', () => readsOf(third) === 2 && readsOf(never) === 2);
    third.associations.push(ticketId);
    await ageNotes();
    await eventually('the third look', () => isShown('Third'));
    await eventually('an empty queue', async () => (await waitingNotes()).length === 0);
    expect(notes.map(readsOf)).toEqual([2, 3, 3]);
    const skipped = await stack.db.selectFrom('crm_events').selectAll().where('object_id', '=', never.id).execute();
    expect(skipped).toMatchObject([{ state: 'skipped', reason: 'no session has its ticket' }]);
  });

  it('is not synced while ticketing is disabled', async () => {
    const { id, ticketId } = await handedOff();
    await crm.reconnect({ ticketing_enabled: false });
    await crm.deliver(changeOf(ticketId, 'priority', 'HIGH'));
    await eventually('a skipped event', async () => {
      const found = await stack.db
        .selectFrom('crm_events')
        .select('reason')
        .where('object_id', '=', ticketId)
        .executeTakeFirst();
      return found?.reason === 'ticketing is disabled';
    });
    expect((await session(id)).custom_data).toEqual({});
  });
});
