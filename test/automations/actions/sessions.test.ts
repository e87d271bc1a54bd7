import { ACTIONS } from '../../../src/automations/actions/registry.ts';
import { inTransaction } from '../../../src/db/transaction.ts';
import { newId } from '../../../src/ids.ts';
import { addMember } from '../../../src/orgs/members/service.ts';
import { startApi, type TestApi, type TestOrg } from '../../support/stack/api.ts';
import { createActionRunner, depsOf, type RunAction } from '../action-runner.ts';

let api: TestApi;
let perform: RunAction;
let org: TestOrg;
let contactId: string;
let sessionId: string;
beforeAll(async () => {
  api = await startApi();
  perform = createActionRunner(api);
});
afterAll(() => api.close());
beforeEach(async () => {
  org = await api.createOrg();
  contactId = (await org.post('/contacts', { contact: { email: 'ada@example.com', name: 'Ada' } })).body.id;
  sessionId = (await org.post('/chat/sessions', { contact_id: contactId })).body.id;
});

const session = async (id = sessionId) => (await org.get(`/chat/sessions/${id}`)).body;
const history = async () =>
  (await org.get(`/chat/sessions/${sessionId}/history`)).body.items.map(({ event }: { event: object }) => event);
const listAnnounced = async (id: string, type: string) =>
  api.db
    .selectFrom('outbox')
    .select('id')
    .where('subject_id', '=', id)
    .where('type', '=', type as never)
    .execute();
const newSequence = async (more: object = {}) => {
  const data = {
    from_email: 'a@example.org',
    email_sender_name: 'A',
    email_subject: 'S',
    email_body: 'B',
    email_is_transactional: false,
  };
  const steps = [{ delay_in_minutes: 60, action: { type: 'send_emails', data } }];
  const { status, body } = await org.post('/sequences', { filter: null, steps, ...more });
  expect([status, body]).toEqual([201, expect.objectContaining({ id: expect.any(String) })]);
  return body.id as string;
};

describe('update-session', () => {
  it('changes status, custom data, team and assignee, and returns the session like GET', async () => {
    const member = await addMember(api.db, org.id, { email: 'grace@example.com' });
    const team = (
      await org.post('/teams', { name: 'T', is_support_enabled: true, support_assignment_strategy: 'unassigned' })
    ).body.id;
    const input = { session_id: sessionId, team_id: team, assignee_id: member, custom_data: { order: '17' } };
    const output = await perform(org, 'update-session', input);
    expect(output.session).toEqual(await session());
    expect(output.session).toMatchObject({ assignee_id: member, team: { id: team }, custom_data: { order: '17' } });
    const resolved = await perform(org, 'update-session', { session_id: sessionId, status: 'closed_resolved' });
    expect(resolved.session.status).toBe('closed_resolved');
    expect(await listAnnounced(sessionId, 'ticket-resolved')).toHaveLength(1);
  });

  it('resolves a session once, even if the step runs twice', async () => {
    const input = { session_id: sessionId, status: 'closed_resolved' };
    for (let n = 0; n < 2; n++) await perform(org, 'update-session', input, 'same');
    expect(await listAnnounced(sessionId, 'ticket-resolved')).toHaveLength(1);
    expect((await history()).filter(({ type }: { type: string }) => type === 'status_changed')).toHaveLength(1);
  });

  it.each([{ team_id: newId() }, { assignee_id: 999_999 }])(
    'rejects %j unknown in the org, and changes nothing',
    async (change) => {
      const input = { session_id: sessionId, status: 'closed_resolved', ...change };
      await expect(perform(org, 'update-session', input)).rejects.toMatchObject({
        name: 'DomainError',
        kind: 'invalid',
      });
      expect((await session()).status).toBe('open');
    },
  );
});

describe('tag-ticket and untag-ticket', () => {
  beforeEach(async () => {
    for (const tag_name of ['refund', 'vip']) expect((await org.put('/tags', { tag_name })).status).toBeLessThan(300);
  });

  it('add and remove a tag once, and return the tags of the session', async () => {
    for (let n = 0; n < 2; n++)
      expect(await perform(org, 'tag-ticket', { session_id: sessionId, tags: ['refund', 'vip'] }, 'same')).toEqual({
        tags: ['refund', 'vip'],
      });
    expect(await listAnnounced(sessionId, 'ticket-tag-added')).toHaveLength(2);
    for (let n = 0; n < 2; n++)
      expect(await perform(org, 'untag-ticket', { session_id: sessionId, tags: ['REFUND', 'nope'] }, 'off')).toEqual({
        tags: ['vip'],
      });
    expect((await history()).filter(({ type }: { type: string }) => type === 'tag_removed')).toHaveLength(1);
  });

  it('name the tags unknown in the org in their error', async () => {
    await expect(perform(org, 'tag-ticket', { session_id: sessionId, tags: ['refund', 'nope'] })).rejects.toThrow(
      /nope/,
    );
    expect((await session()).tags).toEqual([]);
  });
});

describe('actions in a session', () => {
  it('handoff-session hands off once and returns the first handoff', async () => {
    const first = await perform(org, 'handoff-session', { session_id: sessionId, reason: 'Angry' }, 'same');
    expect(first.handoff).toMatchObject({ reason: 'Angry', state: 'done' });
    expect(await perform(org, 'handoff-session', { session_id: sessionId }, 'same')).toEqual(first);
    expect(await listAnnounced(sessionId, 'pre-ticket-handoff')).toHaveLength(1);
  });

  it('add-note adds an internal note', async () => {
    const { message_id } = await perform(org, 'add-note', { session_id: sessionId, text: 'Look here' });
    const { items } = (await org.get(`/chat/sessions/${sessionId}/history`)).body;
    expect(items).toMatchObject([
      {
        id: message_id,
        event: { type: 'human_agent_comment', content: { type: 'text', text: 'Look here' }, human_agent_id: null },
      },
    ]);
  });

  it('send-message sends an automatic message, which is no reply of an agent', async () => {
    await org.post(`/chat/sessions/${sessionId}/send`, { sender: 'contact', message: { type: 'text', text: 'Hi' } });
    const { message_id } = await perform(org, 'send-message', { session_id: sessionId, text: 'Hello' });
    const { items } = (await org.get(`/chat/sessions/${sessionId}/history`)).body;
    expect(items.slice(1)).toMatchObject([
      {
        id: message_id,
        event: {
          type: 'workflow_message',
          workflow_run_id: expect.any(String),
          content: { type: 'text', text: 'Hello' },
        },
      },
    ]);
    expect(await session()).toMatchObject({ handoff: null, waiting_on: 'human_agents' });
  });

  it('an action leaves nothing behind if its step does not commit', async () => {
    const action = ACTIONS.get('send-message');
    if (action === undefined || !('apply' in action)) throw new Error('is local');
    const step = { orgId: org.id, runId: newId(), depth: 0, dedupeKey: 'x' };
    const died = inTransaction(api.db, async (trx) => {
      await action.apply(trx, depsOf(api), step, { session_id: sessionId, text: 'Hello' });
      throw new Error('died');
    });
    await expect(died).rejects.toThrow('died');
    expect(await history()).toEqual([]);
  });
});

describe('update-contact', () => {
  it('merges fields once, even if the step runs twice, and returns the contact like GET', async () => {
    const fields = { name: 'Ada L.', phone: '+44 20 7946 0958', custom_data: { plan: 'pro' } };
    for (let n = 0; n < 2; n++) {
      const { contact } = await perform(org, 'update-contact', { contact_id: contactId, fields }, 'same');
      expect(contact).toEqual((await org.get(`/contacts/${contactId}`)).body);
      expect(contact).toMatchObject({ name: 'Ada L.', phone_number: '+442079460958', email: 'ada@example.com' });
    }
    expect(await listAnnounced(contactId, 'contact-updated')).toHaveLength(1);
  });

  it('rejects another contact’s e-mail address', async () => {
    await org.post('/contacts', { contact: { email: 'taken@example.com' } });
    const taken = perform(org, 'update-contact', { contact_id: contactId, fields: { email: 'taken@example.com' } });
    await expect(taken).rejects.toMatchObject({ kind: 'conflict' });
  });
});

describe('add-to-sequence and remove-from-sequence', () => {
  const enrollments = async (id: string) => (await org.get(`/sequences/${id}/enrollments`)).body.items;

  it('enroll a contact once and end the enrollment once', async () => {
    const sequence_id = await newSequence({ custom_id: 'welcome' });
    const first = await perform(org, 'add-to-sequence', { sequence_id, contact_id: contactId }, 'same');
    expect(await perform(org, 'add-to-sequence', { sequence_id: 'welcome', contact_id: contactId }, 'same')).toEqual(
      first,
    );
    expect(await enrollments(sequence_id)).toMatchObject([{ id: first.enrollment_id, status: 'active' }]);
    for (let n = 0; n < 2; n++)
      expect(await perform(org, 'remove-from-sequence', { sequence_id, contact_id: contactId }, 'off')).toEqual(first);
    expect(await enrollments(sequence_id)).toMatchObject([
      { status: 'exited', exit_reason: 'removed from the sequence' },
    ]);
    expect(await perform(org, 'add-to-sequence', { sequence_id, contact_id: contactId })).toEqual(first);
  });

  it('enroll no contact outside of the filter, and none after the sequence has ended', async () => {
    const filter = { or: [{ and: [{ type: 'contacts_email_domain_name_in', domain_name_in: ['example.net'] }] }] };
    const sequence_id = await newSequence({ filter });
    const add = () => perform(org, 'add-to-sequence', { sequence_id, contact_id: contactId });
    await expect(add()).rejects.toThrow("The contact was not enrolled: the contact is outside the sequence's filter");
    expect(await perform(org, 'remove-from-sequence', { sequence_id, contact_id: contactId })).toEqual({
      enrollment_id: null,
    });
    await org.post(`/sequences/${sequence_id}/cancel`);
    await expect(add()).rejects.toMatchObject({ kind: 'conflict' });
  });

  it('find no sequence or contact of another org', async () => {
    const sequence_id = await newSequence();
    for (const contact_id of [newId(), (await api.other.post('/contacts', { contact: { name: 'Eve' } })).body.id])
      await expect(perform(org, 'add-to-sequence', { sequence_id, contact_id })).rejects.toThrow('Contact not found');
    for (const type of ['add-to-sequence', 'remove-from-sequence'])
      await expect(perform(api.other, type, { sequence_id, contact_id: contactId })).rejects.toThrow(
        'Sequence not found',
      );
    expect(await enrollments(sequence_id)).toEqual([]);
  });
});

it.each<[string, object]>([
  ['update-session', { status: 'closed_resolved' }],
  ['tag-ticket', { tags: ['refund'] }],
  ['untag-ticket', { tags: ['refund'] }],
  ['handoff-session', {}],
  ['add-note', { text: 'x' }],
  ['send-message', { text: 'x' }],
])('%s finds no session of another org and no unknown session', async (type, input) => {
  const before = await session();
  await expect(perform(api.other, type, { session_id: sessionId, ...input })).rejects.toMatchObject({
    kind: 'not_found',
  });
  await expect(perform(org, type, { session_id: newId(), ...input })).rejects.toMatchObject({ kind: 'not_found' });
  expect(await session()).toEqual(before);
});

it('update-contact finds no contact of another org', async () => {
  const input = { contact_id: contactId, fields: { name: 'Eve' } };
  await expect(perform(api.other, 'update-contact', input)).rejects.toMatchObject({ kind: 'not_found' });
});
