import { sql } from 'kysely';
import { startTriggeredRuns } from '../../../src/automations/triggers/trigger-events.service.ts';
import { lockName } from '../../../src/db/locks.ts';
import { inTransaction } from '../../../src/db/transaction.ts';
import { newId } from '../../../src/ids.ts';
import { addMember } from '../../../src/orgs/members/service.ts';
import { announce } from '../../../src/outbox/announcing.ts';
import { setCausingRun } from '../../../src/outbox/causation.ts';
import type { ClaimedEvent } from '../../../src/outbox/claim.ts';
import type { TestOrg } from '../../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../../support/stack/stack.ts';
import { activate, expectRunsAsDescribed, type StartedRun } from '../../support/triggers.ts';

let stack: Stack;
let org: TestOrg;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack.close());
beforeEach(async () => {
  org = await stack.createOrg();
});

/** Waits until the relay has handled all announced events. */
const settled = () =>
  eventually('the relay', async () => {
    const waiting = await stack.db.selectFrom('outbox').select('id').where('kind', '=', 'event').limit(1).execute();
    return waiting.length === 0;
  });
const runs = (id: string) => expectRunsAsDescribed(stack.db, id);
const theRun = async (id: string): Promise<StartedRun> => {
  await settled();
  const all = await runs(id);
  expect(all).toHaveLength(1);
  return all[0] as StartedRun;
};
const done = async (answer: Promise<{ status: number; body: { id: string } }>) => {
  const { status, body } = await answer;
  expect(JSON.stringify([status < 300, body])).toContain('[true');
  return body;
};
const newContact = async (more: object = {}) =>
  (await org.post('/contacts', { contact: { email: `${crypto.randomUUID()}@example.com`, name: 'Ada', ...more } })).body
    .id as string;
const newSession = async (more: object = {}) =>
  (await org.post('/chat/sessions', { contact_id: await newContact(), ...more })).body.id as string;
const shownSession = async (id: string) => (await org.get(`/chat/sessions/${id}`)).body;
const shownContact = async (id: string) => (await org.get(`/contacts/${id}`)).body;
const patch = (id: string, body: object) => org.patch(`/chat/sessions/${id}`, body);
const whatEveryTriggerHas = (type: string) => ({
  event_id: expect.stringMatching(/^event\/\d+$/),
  occurred_at: expect.stringMatching(/^\d{4}-.*Z$/),
  trigger_type: type,
});

describe('a workflow starts once, with the event in its trigger output, when', () => {
  it('a contact is saved for the first time', async () => {
    const { id } = await activate(org, { trigger_type: 'contact-created' });
    const contact = await newContact();
    await org.patch(`/contacts/${contact}`, { name: 'Ada' });
    const run = await theRun(id);
    expect(run.trigger_output).toEqual({
      ...whatEveryTriggerHas('contact-created'),
      contact: await shownContact(contact),
    });
    expect(run).toMatchObject({ trigger_cause: 'automatic', depth: 0 });
  });

  it('a session is opened', async () => {
    const { id } = await activate(org, { trigger_type: 'ticket-created' });
    const session = await newSession();
    const shown = await shownSession(session);
    expect((await theRun(id)).trigger_output).toEqual({
      ...whatEveryTriggerHas('ticket-created'),
      session: shown,
      contact: await shownContact(shown.contact.id),
    });
  });

  it('a session without a contact is opened', async () => {
    const { id } = await activate(org, { trigger_type: 'ticket-created' });
    await newSession({ contact_id: undefined });
    expect((await theRun(id)).trigger_output).toMatchObject({ contact: null, session: { contact: null } });
  });

  it('the assignee or team of a session changes', async () => {
    const { id } = await activate(org, { trigger_type: 'ticket-reassigned' });
    const member = await addMember(stack.db, org.id, { email: `${crypto.randomUUID()}@example.com` });
    const session = await newSession();
    await org.post(`/chat/sessions/${session}/assign`, { assignee_id: member, team_id: null });
    expect((await theRun(id)).trigger_output).toEqual({
      ...whatEveryTriggerHas('ticket-reassigned'),
      session: await shownSession(session),
      contact: expect.objectContaining({ name: 'Ada' }),
      from: { assignee_id: null, team_id: null },
      to: { assignee_id: member, team_id: null },
    });
  });

  it('a session is resolved, including its session_closed_payload', async () => {
    const { id } = await activate(org, { trigger_type: 'ticket-resolved' });
    const session = await newSession();
    await patch(session, { status: 'closed_resolved', session_closed_payload: { cause: 'refunded' } });
    await patch(session, { status: 'closed_resolved' });
    expect((await theRun(id)).trigger_output).toMatchObject({
      session: { id: session, status: 'closed_resolved' },
      contact: { name: 'Ada' },
      session_closed_payload: { cause: 'refunded' },
    });
  });

  it('a session is handed off, both before and after the handoff', async () => {
    const before = await activate(org, { trigger_type: 'pre-ticket-handoff' });
    const after = await activate(org, { trigger_type: 'ticket-handoff' });
    const session = await newSession();
    await org.post(`/chat/sessions/${session}/handoff`, { reason: 'angry' });
    await org.post(`/chat/sessions/${session}/handoff`, { reason: 'again' });
    await eventually('the end of the run before it', async () => (await runs(after.id)).length > 0);
    for (const { id } of [before, after]) {
      expect((await theRun(id)).trigger_output).toMatchObject({
        session: { id: session },
        contact: { name: 'Ada' },
        handoff: { reason: 'angry', state: 'done' },
      });
    }
  });

  it('a session gets tags, once for each tag', async () => {
    const { id } = await activate(org, { trigger_type: 'ticket-tag-added' });
    await org.put('/tags', { tag_name: 'VIP' });
    await org.put('/tags', { tag_name: 'Refund' });
    const session = await newSession();
    await org.post(`/chat/sessions/${session}/tags`, { tags: ['vip', 'refund'] });
    await org.post(`/chat/sessions/${session}/tags`, { tags: ['vip'] });
    await settled();
    const tags = (await runs(id)).map(({ trigger_output }) => trigger_output.tag);
    expect(tags.toSorted()).toEqual(['Refund', 'VIP']);
  });

  it('a CSAT score is given', async () => {
    const { id } = await activate(org, { trigger_type: 'csat-score-submit' });
    const session = await newSession();
    await patch(session, { status: 'closed_resolved' });
    await done(org.post('/csat/scores', { session_id: session, score: 4, comment: 'Quick' }));
    await org.post('/csat/scores', { session_id: session, score: 4, comment: 'Quick' });
    expect((await theRun(id)).trigger_output).toMatchObject({ session: { id: session }, score: 4, comment: 'Quick' });
  });

  it.each([
    ['sla-first-reply-breached', 'first_reply'],
    ['sla-next-reply-breached', 'next_reply'],
    ['sla-resolution-breached', 'resolution'],
  ] as const)('an SLA clock is breached: %s', async (type, metric) => {
    const { id } = await activate(org, { trigger_type: type });
    const policy = await done(org.post('/sla/policies', { name: 'Gold', first_reply_target_seconds: 60 }));
    const session = await newSession();
    const due_at = new Date().toISOString();
    const payload = { policy_id: policy.id, metric, cycle: 1, target_seconds: 60, due_at };
    await inTransaction(stack.db, (trx) => announce(trx, org.id, [{ type, subject_id: session, payload }]));
    expect((await theRun(id)).trigger_output).toEqual({
      ...whatEveryTriggerHas(type),
      session: await shownSession(session),
      contact: expect.objectContaining({ name: 'Ada' }),
      policy: (await org.get(`/sla/policies/${policy.id}`)).body,
      due_at,
    });
  });
});

describe('a run waits for events since its start', () => {
  it('also for those that the relay handles together with the event that started it', async () => {
    const { id } = await activate(org, {
      trigger_type: 'ticket-created',
      workflow_blocks: [
        {
          $kind: 'Block',
          type: 'wait-for-event',
          id: 'end',
          inputs: { trigger_type: 'ticket-resolved', timeout_minutes: 60 },
        },
      ],
    });
    await inTransaction(stack.db, async (trx) => {
      await lockName(trx, `events ${org.id}`);
      const session = await newSession();
      await patch(session, { status: 'closed_resolved' });
    });
    const run = await eventually('the end of the run', async () => {
      const { runs } = (await org.get(`/workflows/${id}/runs`)).body;
      return runs[0]?.status === 'completed' && runs[0];
    });
    const { steps } = (await org.get(`/workflows/${id}/runs/${run.id}`)).body;
    expect(steps).toEqual([expect.objectContaining({ output: expect.objectContaining({ timed_out: false }) })]);
  });
});

describe('trigger.output tells the session as of the event, however late the relay comes', () => {
  /** Does something while the relay cannot handle events of the org, and then waits until it has. */
  async function whileEventsWait(work: () => Promise<void>): Promise<void> {
    await inTransaction(stack.db, async (trx) => {
      await lockName(trx, `events ${org.id}`);
      await work();
    });
    await settled();
  }
  const newMember = () => addMember(stack.db, org.id, { email: `${crypto.randomUUID()}@example.com` });

  it('each resolution tells the payload that it was closed with, and none if it had none', async () => {
    const { id } = await activate(org, { trigger_type: 'ticket-resolved' });
    const session = await newSession();
    const say = () =>
      org.post(`/chat/sessions/${session}/send`, { sender: 'contact', message: { type: 'text', text: 'No' } });
    await whileEventsWait(async () => {
      await patch(session, { status: 'closed_resolved', session_closed_payload: { cause: 'refunded' } });
      await say();
      await patch(session, { status: 'closed_resolved' });
      await patch(session, { status: 'open' });
      await patch(session, { status: 'closed_resolved', session_closed_payload: 'again' });
      await patch(session, { status: 'open' });
      await patch(session, { status: 'closed_resolved' });
    });
    const told = (await runs(id)).map(({ trigger_output }) => trigger_output.session_closed_payload);
    expect(told).toHaveLength(4);
    expect(told).toEqual(expect.arrayContaining([{ cause: 'refunded' }, 'again']));
    expect(told.filter((payload) => payload === null)).toHaveLength(2);
  });

  it('a resolution tells the session as resolved, although it was opened again, taken from its assignee, and lost its tags', async () => {
    const { id } = await activate(org, { trigger_type: 'ticket-resolved' });
    await org.put('/tags', { tag_name: 'VIP' });
    const member = await newMember();
    const session = await newSession();
    await whileEventsWait(async () => {
      await org.post(`/chat/sessions/${session}/tags`, { tags: ['VIP'] });
      await org.post(`/chat/sessions/${session}/assign`, { assignee_id: member, team_id: null });
      await patch(session, { status: 'closed_resolved' });
      await patch(session, { status: 'open' });
      await org.post(`/chat/sessions/${session}/assign`, { assignee_id: null, team_id: null });
      await org.delete(`/chat/sessions/${session}/tags?tag_name=VIP`);
    });
    expect((await theRun(id)).trigger_output.session).toMatchObject({
      id: session,
      status: 'closed_resolved',
      assignee_id: member,
      tags: ['VIP'],
    });
    expect(await shownSession(session)).toMatchObject({ status: 'open', assignee_id: null, tags: [] });
  });

  it('each of two changes of the team tells its own team, although one is deleted', async () => {
    const { id } = await activate(org, { trigger_type: 'ticket-reassigned' });
    const [first, second] = await Promise.all(
      ['First', 'Second'].map(async (name) => (await done(org.post('/teams', { name }))).id),
    );
    const session = await newSession();
    await whileEventsWait(async () => {
      for (const team_id of [first, second])
        await org.post(`/chat/sessions/${session}/assign`, { team_id, assignee_id: null });
      await org.delete(`/teams/${second}`);
    });
    const shown = (await runs(id)).map(({ trigger_output: { session, to } }) => [to.team_id, session.team]);
    expect(Object.fromEntries(shown)).toMatchObject({
      [String(first)]: { id: first, name: 'First' },
      [String(second)]: { id: second, name: 'Second' },
    });
  });

  it('a handoff that has ended since tells its time without its texts, as no waiting event has them', async () => {
    const before = await activate(org, { trigger_type: 'pre-ticket-handoff' });
    const session = await newSession();
    let at = '';
    await whileEventsWait(async () => {
      await done(org.post(`/chat/sessions/${session}/handoff`, { reason: 'a secret reason' }));
      at = (await shownSession(session)).handoff.at;
      const waiting = await stack.db.selectFrom('outbox').select('payload').where('org_id', '=', org.id).execute();
      expect(JSON.stringify(waiting)).toContain('handed_off');
      expect(JSON.stringify(waiting)).not.toContain('secret');
      await done(org.post(`/chat/sessions/${session}/return-to-ai`, {}));
    });
    const handoff = { at, state: 'done', reason: null, summary: null, sentiment: null };
    expect((await theRun(before.id)).trigger_output).toMatchObject({
      session: { ai_closure_type: 'handed_off', handoff },
      handoff,
    });
    expect(await shownSession(session)).toMatchObject({ ai_closure_type: null, handoff: null });
  });

  it('an opening tells the session before it was resolved, and who was waited for once somebody had spoken', async () => {
    const { id } = await activate(org, { trigger_type: 'ticket-created' });
    await whileEventsWait(async () => {
      const session = await newSession();
      const message = { type: 'text', text: 'Where is my lamp?' };
      await done(org.post(`/chat/sessions/${session}/send`, { sender: 'contact', message }));
      await patch(session, { status: 'closed_resolved' });
    });
    expect((await theRun(id)).trigger_output.session).toMatchObject({ status: 'open', waiting_on: 'human_agents' });
  });
});

describe('no workflow starts', () => {
  it('if its constraint does not hold', async () => {
    const constraint = { '==': [{ var: 'contact.name' }, 'Grace'] };
    const held = await activate(org, { trigger_type: 'contact-created', trigger_constraints: constraint });
    await newContact();
    await newContact({ name: 'Grace' });
    expect((await theRun(held.id)).trigger_output.contact.name).toBe('Grace');
  });

  it('if its constraint cannot be evaluated, and the reason is a sentence', async () => {
    const trigger_constraints = { '>': [{ length: { var: 'contact.nickname' } }, 0] };
    const { id } = await activate(org, { trigger_type: 'contact-created', trigger_constraints });
    const starts = { '!=': [{ var: 'contact.custom_data' }, null] };
    const other = await activate(org, { trigger_type: 'contact-created', trigger_constraints: starts });
    await newContact();
    await theRun(other.id);
    expect(await runs(id)).toEqual([]);
    const reason = 'length needs a text, a list or an object';
    expect((await org.get(`/workflows/${id}`)).body).toMatchObject({ last_constraint_error: reason });
    const { body } = await org.post('/workflows/simulate', { workflow_id: id, trigger_output: { contact: {} } });
    expect(body.error).toBe(`The constraints cannot be evaluated: ${reason}`);
  });

  it('in another org, while inactive, or twice for the same event', async () => {
    const theirs = await activate(stack.other, { trigger_type: 'ticket-created' });
    const { id } = await activate(org, { trigger_type: 'ticket-created' });
    const inactive = await activate(org, { trigger_type: 'ticket-created' });
    await org.post(`/workflows/${inactive.id}/deactivate`, {});
    const session = await newSession();
    const run = await theRun(id);
    expect([await runs(theirs.id), await runs(inactive.id)]).toEqual([[], []]);
    const again: ClaimedEvent<'ticket-created'> = {
      id: Number(run.trigger_key.split('/')[1]),
      org_id: org.id,
      type: 'ticket-created',
      subject_id: session,
      payload: {},
      depth: 0,
      created_at: new Date(),
    };
    await Promise.all(
      [1, 2, 3].map(() => inTransaction(stack.db, (trx) => startTriggeredRuns(trx, org.id, [again, again]))),
    );
    expect(await runs(id)).toHaveLength(1);
  });

  it('for events of another org’s session, an unknown session, or a blocked contact', async () => {
    const { id } = await activate(org, { trigger_type: 'ticket-tag-added' });
    const foreign = (await stack.other.post('/chat/sessions', {})).body.id;
    const blocked = await newSession({ contact_id: await newContact({ email: 'eve@blocked.example' }) });
    await org.post('/blocklist/domains', { domains: 'blocked.example' });
    const payload = { tag_name: 'VIP' };
    const subjects = [foreign, blocked, newId()];
    await inTransaction(stack.db, (trx) =>
      announce(
        trx,
        org.id,
        subjects.map((subject_id) => ({ type: 'ticket-tag-added', subject_id, payload })),
      ),
    );
    await settled();
    expect(await runs(id)).toEqual([]);
  });
});

describe('an event caused by a run', () => {
  const tag = (depth: number, session: string) =>
    inTransaction(stack.db, async (trx) => {
      await setCausingRun(trx, { runId: newId(), depth });
      await announce(trx, org.id, [{ type: 'ticket-tag-added', subject_id: session, payload: { tag_name: 'VIP' } }]);
    });

  it('starts runs one deeper, up to a depth of 10: then the run fails with the reason', async () => {
    const { id } = await activate(org, { trigger_type: 'ticket-tag-added' });
    const session = await newSession();
    await tag(0, session);
    expect(await theRun(id)).toMatchObject({ depth: 1, error: null });
    await tag(9, session);
    await settled();
    const [, last] = await runs(id);
    expect(last).toMatchObject({ depth: 10, status: 'failed', error: expect.stringContaining('10') });
  });

  it('is stored with the run’s id, unlike events of later transactions', async () => {
    const runId = newId();
    const subject_id = newId();
    const rows = await inTransaction(stack.db, async (trx) => {
      await setCausingRun(trx, { runId, depth: 2 });
      await announce(trx, org.id, [{ type: 'ticket-tag-added', subject_id, payload: { tag_name: 'x' } }]);
      return (await sql`select causation, depth from outbox where subject_id = ${subject_id}`.execute(trx)).rows;
    });
    expect(rows).toEqual([{ causation: runId, depth: 3 }]);
    const next = await inTransaction(stack.db, async (trx) => {
      await announce(trx, org.id, [{ type: 'ticket-tag-added', subject_id: runId, payload: { tag_name: 'x' } }]);
      return (await sql`select causation, depth from outbox where subject_id = ${runId}`.execute(trx)).rows;
    });
    expect(next).toEqual([{ causation: null, depth: 0 }]);
  });
});
