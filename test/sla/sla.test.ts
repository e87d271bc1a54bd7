import { sql } from 'kysely';
import { lockName } from '../../src/db/locks.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { evaluateClocks } from '../../src/sla/clocks/service.ts';
import { moveBack } from '../support/lateness.ts';
import type { Client } from '../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../support/stack/stack.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
  await sql`
    create table announced (type text, subject_id uuid, payload jsonb, depth integer, at timestamptz not null default clock_timestamp());
    create function keep_announced() returns trigger language plpgsql as
      'begin insert into announced values (new.type, new.subject_id, new.payload, new.depth); return new; end';
    create trigger keep_announced after insert on outbox for each row when (new.kind = 'event') execute function keep_announced();
  `.execute(stack.db);
});
afterAll(() => stack.close());

interface Announced {
  type: string;
  payload: { due_at: string; metric: string; cycle: number; policy_id: string };
  depth: number;
  at: Date;
}

/**
 * Returns the announcements about the session's clocks, in order. A trigger stores them, as the relay deletes events.
 */
async function announced(sessionId: string): Promise<Announced[]> {
  const { rows } = await sql<Announced>`
    select type, payload, depth, at from announced where subject_id = ${sessionId} and type like 'sla-%' and type <> 'sla-session-changed' order by at
  `.execute(stack.db);
  return rows;
}
const typesOf = async (sessionId: string) => (await announced(sessionId)).map(({ type }) => type);

const newPolicy = async (body: object, assignment?: object, org: Client = stack.org): Promise<string> => {
  const hasTarget = Object.keys(body).some((field) => field.endsWith('_target_seconds'));
  const targets = hasTarget ? body : { ...body, resolution_target_seconds: 31_536_000 };
  const made = await org.post('/sla/policies', { name: 'Gold', ...targets });
  expect(made.status).toBe(201);
  if (assignment !== undefined) {
    expect((await org.put(`/sla/policies/${made.body.id}/assignment`, assignment)).status).toBe(200);
  }
  return made.body.id;
};
const newSession = async (body: object = {}, org: Client = stack.org): Promise<string> =>
  (await org.post('/chat/sessions', body)).body.id;
const say = async (id: string, sender: 'contact' | 'agent', text = 'Hi') => {
  const answer = await stack.org.post(`/chat/sessions/${id}/send`, { sender, message: { type: 'text', text } });
  expect(answer.status).toBe(201);
};
const sla = async (id: string) => (await stack.org.get(`/chat/sessions/${id}/sla`)).body;
const clock = async (id: string, metric: string, cycle = 1) =>
  (await sla(id)).clocks.find((one: { metric: string; cycle: number }) => one.metric === metric && one.cycle === cycle);
const underPolicy = (id: string, policyId: string | null) =>
  eventually('the policy', async () => ((await sla(id)).policy?.id ?? null) === policyId);
const age = (id: string, seconds: number) => moveBack(stack.db, id, seconds);
const history = async (id: string) =>
  (await stack.org.get(`/chat/sessions/${id}/history?limit=200`)).body.items
    .map(({ event }: { event: { type: string; metric: string; cycle: number } }) => event)
    .filter(({ type }: { type: string }) => type.startsWith('sla_'))
    .map(
      ({ type, metric, cycle }: { type: string; metric: string; cycle: number }) =>
        `${type.slice(4)} ${metric} ${cycle}`,
    );
const decisionOf = (id: string) =>
  stack.db
    .selectFrom('sla_clocks')
    .select(['outcome', 'decided_at'])
    .where('session_id', '=', id)
    .where('metric', '=', 'first_reply')
    .executeTakeFirst();
const dateIn = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
const deletePolicy = (id: string) => stack.org.delete(`/sla/policies/${id}`);

describe('an SLA policy', () => {
  it('is created, shown, changed and deleted, and is not accessible to another org', async () => {
    const { body: made } = await stack.org.post('/sla/policies', { name: 'Gold', first_reply_target_seconds: 60 });
    expect(made).toMatchObject({ office_hours_id: null, next_reply_target_seconds: null, assignment: null });
    const changed = await stack.org.patch(`/sla/policies/${made.id}`, { resolution_target_seconds: 300 });
    expect(changed.body).toMatchObject({
      name: 'Gold',
      first_reply_target_seconds: 60,
      resolution_target_seconds: 300,
    });
    expect((await stack.org.get(`/sla/policies/${made.id}`)).body).toEqual(changed.body);
    expect((await stack.org.get('/sla/policies')).body.items).toContainEqual(changed.body);
    for (const foreign of [
      stack.other.get(`/sla/policies/${made.id}`),
      stack.other.patch(`/sla/policies/${made.id}`, { name: 'Mine' }),
      stack.other.put(`/sla/policies/${made.id}/assignment`, {}),
      stack.other.delete(`/sla/policies/${made.id}`),
    ]) {
      expect((await foreign).status).toBe(404);
    }
    expect((await stack.other.get('/sla/policies')).body.items).toEqual([]);
    expect((await deletePolicy(made.id)).status).toBe(200);
    expect((await deletePolicy(made.id)).status).toBe(404);
  });

  it('is refused with invalid values, naming the fields', async () => {
    const issues = async (body: object) =>
      (await stack.org.post('/sla/policies', { name: 'x', ...body })).body.issues?.map(
        ({ path }: { path: string }) => path,
      );
    expect(await issues({ name: '' })).toEqual(['body.name']);
    expect(await issues({ first_reply_target_seconds: 59, next_reply_target_seconds: 59.5 })).toHaveLength(2);
    expect(await issues({ resolution_target_seconds: 299 })).toEqual(['body.resolution_target_seconds']);
    expect(await issues({ resolution_target_seconds: 3e9 })).toEqual(['body.resolution_target_seconds']);
    const hours = { name: 'x', iana_timezone: 'UTC', shifts: [] };
    const foreign = (await stack.other.post('/office-hours', hours)).body.id;
    expect(await issues({ office_hours_id: foreign })).toEqual(['body.office_hours_id']);
    const id = await newPolicy({});
    const team = (await stack.other.post('/teams', { name: 'Theirs' })).body.id;
    const assignment = await stack.org.put(`/sla/policies/${id}/assignment`, { teams: [team], tags: ['nope'] });
    expect(assignment.body.issues.map(({ path }: { path: string }) => path)).toEqual(['body.teams.0', 'body.tags.0']);
    await deletePolicy(id);
  });

  it('needs no target, and has no clocks until it gets one', async () => {
    const org = await stack.createOrg();
    const made = await org.post('/sla/policies', { name: 'Idle' });
    expect(made).toMatchObject({ status: 201, body: { name: 'Idle', first_reply_target_seconds: null } });
    const path = `/sla/policies/${made.body.id}`;
    await org.put(`${path}/assignment`, {});
    const id = await newSession({}, org);
    const readSla = async () => (await org.get(`/chat/sessions/${id}/sla`)).body;
    await eventually('the policy', async () => (await readSla()).policy?.id === made.body.id);
    await org.post(`/chat/sessions/${id}/send`, { sender: 'contact', message: { type: 'text', text: 'Hi' } });
    const stateOf = async () =>
      (await readSla()).clocks.find(({ metric }: { metric: string }) => metric === 'first_reply')?.state;
    expect(await stateOf()).toBe('not_applicable');
    expect((await org.patch(path, { first_reply_target_seconds: 60 })).status).toBe(200);
    expect(await stateOf()).toBe('running');
    expect((await org.patch(path, { first_reply_target_seconds: null })).status).toBe(200);
    expect(await stateOf()).toBe('not_applicable');
  });

  it('prevents the deletion of its office hours', async () => {
    const hours = (await stack.org.post('/office-hours', { name: 'x', iana_timezone: 'UTC', shifts: [] })).body.id;
    const id = await newPolicy({ office_hours_id: hours });
    expect((await stack.org.delete(`/office-hours/${hours}`)).status).toBe(409);
    await stack.org.patch(`/sla/policies/${id}`, { office_hours_id: null });
    expect((await stack.org.delete(`/office-hours/${hours}`)).status).toBe(200);
    await deletePolicy(id);
  });
});

describe('the SLA policy of a session', () => {
  it('is the oldest match by team, channel, tag and contact, and follows changes of each', async () => {
    await stack.org.put('/tags', { tag_name: 'Vip' });
    const team = (await stack.org.post('/teams', { name: 'Billing' })).body.id;
    const filter = { or: [{ and: [{ type: 'contacts_attributes_in', attributes: [{ plan: 'pro' }] }] }] };
    const byContact = await newPolicy({ first_reply_target_seconds: 60 }, { filter });
    const byTag = await newPolicy({ first_reply_target_seconds: 60 }, { tags: ['VIP'], channels: ['web', 'sms'] });
    const byTeam = await newPolicy({ first_reply_target_seconds: 60 }, { teams: [team] });
    const rest = await newPolicy({ first_reply_target_seconds: 60 }, { channels: ['web'], tags: [] });
    const none = await newPolicy({ first_reply_target_seconds: 60 });
    const contact = (await stack.org.post('/contacts', { contact: { email: 'ann@example.com' } })).body.id;
    const id = await newSession({ contact_id: contact, channel: { type: 'web' } });
    const elsewhere = await newSession({ channel: { type: 'slack' } });
    await underPolicy(id, rest);
    await stack.org.post(`/chat/sessions/${id}/assign`, { team_id: team });
    await underPolicy(id, byTeam);
    await stack.org.post(`/chat/sessions/${id}/tags`, { tags: ['vip'] });
    await underPolicy(id, byTag);
    await stack.org.patch(`/contacts/${contact}`, { contact: { custom_data: { plan: 'pro' } } });
    await underPolicy(id, byContact);
    await deletePolicy(byContact);
    await underPolicy(id, byTag);
    await stack.org.put(`/sla/policies/${byTag}/assignment`, { channels: ['sms'] });
    await underPolicy(id, byTeam);
    for (const policy of [byTag, byTeam, rest]) await deletePolicy(policy);
    await underPolicy(id, null);
    expect(await sla(elsewhere)).toEqual({ policy: null, clocks: [] });
    await deletePolicy(none);
  });

  it('follows the deletion of its tag, team, contact and segment, and a change of the segment', async () => {
    await stack.org.put('/tags', { tag_name: 'Refund' });
    const team = (await stack.org.post('/teams', { name: 'Returns' })).body.id;
    const { body: contact } = await stack.org.post('/contacts', {
      contact: { email: 'bo@example.com', custom_data: { plan: 'max' } },
    });
    const filterOn = (plan: string) => ({
      or: [{ and: [{ type: 'contacts_attributes_in', attributes: [{ plan }] }] }],
    });
    const inSegment = (segment_id: string) => ({
      filter: { or: [{ and: [{ type: 'contact_belongs_to_segment', segment_id }] }] },
    });
    const segment = (await stack.org.post('/segments', { name: 'Max', filter: filterOn('max') })).body.id;
    const other = (await stack.org.post('/segments', { name: 'Most', filter: filterOn('max') })).body.id;
    const last = await newPolicy({ first_reply_target_seconds: 60 }, { filter: filterOn('max') });
    const rest = await newPolicy({ first_reply_target_seconds: 60 }, { channels: ['web'] });
    const id = await newSession({ contact_id: contact.id, channel: { type: 'web' } });
    await underPolicy(id, last);
    const policies = {
      tag: await newPolicy({ first_reply_target_seconds: 60 }, { tags: ['refund'] }),
      team: await newPolicy({ first_reply_target_seconds: 60 }, { teams: [team] }),
      segment: await newPolicy({ first_reply_target_seconds: 60 }, inSegment(segment)),
      other: await newPolicy({ first_reply_target_seconds: 60 }, inSegment(other)),
    };
    await stack.org.post(`/chat/sessions/${id}/tags`, { tags: ['refund'] });
    await stack.org.post(`/chat/sessions/${id}/assign`, { team_id: team });
    // The oldest policy applies: those before the one to be looked at are deleted one after the other.
    await deletePolicy(last);
    await deletePolicy(rest);
    await underPolicy(id, policies.tag);
    expect((await stack.org.delete('/tags/refund')).status).toBe(200);
    await underPolicy(id, policies.team);
    expect((await stack.org.delete(`/teams/${team}`)).status).toBe(200);
    await underPolicy(id, policies.segment);
    expect((await stack.org.patch(`/segments/${segment}`, { filter: filterOn('mini') })).status).toBe(200);
    await underPolicy(id, policies.other);
    expect((await stack.org.delete(`/segments/${other}`)).status).toBe(200);
    await underPolicy(id, null);
    expect((await stack.org.patch(`/segments/${segment}`, { filter: filterOn('max') })).status).toBe(200);
    await underPolicy(id, policies.segment);
    expect((await stack.org.delete(`/contacts/${contact.id}`)).status).toBe(200);
    await underPolicy(id, null);
    for (const policy of Object.values(policies)) await deletePolicy(policy);
  });

  it('is found when a session is reopened, and does not count what came before the closing', async () => {
    const targets = { first_reply_target_seconds: 60, resolution_target_seconds: 300 };
    const id = await newSession();
    await say(id, 'contact');
    await age(id, 1_000);
    const move = (status: string) => stack.org.patch(`/chat/sessions/${id}`, { status });
    await move('closed_unresolved');
    const first = await newPolicy(targets, {});
    await say(id, 'contact', 'Anybody?');
    await underPolicy(id, first);
    for (const metric of ['first_reply', 'resolution']) {
      const { state, elapsed_seconds } = await clock(id, metric);
      expect([state, elapsed_seconds < 60]).toEqual(['running', true]);
    }
    await evaluateClocks(stack.db, stack.org.id, id);
    expect(await typesOf(id)).toEqual([]);
    await move('closed_unresolved');
    const second = await newPolicy(targets, {});
    await deletePolicy(first);
    await move('open');
    await underPolicy(id, second);
    await deletePolicy(second);
  });

  it('follows data of the contact’s sessions, also of another one', async () => {
    const filter = { or: [{ and: [{ type: 'contacts_sessions_attributes_in', attributes: [{ plan: 'gold' }] }] }] };
    const policy = await newPolicy({ first_reply_target_seconds: 60 }, { filter });
    const contact = (await stack.org.post('/contacts', { contact: { email: 'di@example.com' } })).body.id;
    const [one, other, stranger] = [
      await newSession({ contact_id: contact }),
      await newSession({ contact_id: contact }),
      await newSession(),
    ];
    const setPlan = (plan: string) => stack.org.patch(`/chat/sessions/${one}`, { custom_data: { plan } });
    await setPlan('gold');
    for (const id of [one, other]) await underPolicy(id, policy);
    expect((await sla(stranger)).policy).toBe(null);
    await setPlan('silver');
    for (const id of [one, other]) await underPolicy(id, null);
    await deletePolicy(policy);
  });

  it('is shown only to its org', async () => {
    const id = await newSession();
    expect((await stack.other.get(`/chat/sessions/${id}/sla`)).status).toBe(404);
    const reader = await stack.org.withScopes('chat-sessions:read');
    expect((await reader.get(`/chat/sessions/${id}/sla`)).status).toBe(403);
  });
});

describe('SLA clocks', () => {
  const targets = { first_reply_target_seconds: 60, next_reply_target_seconds: 60, resolution_target_seconds: 300 };
  let policyId: string;
  beforeAll(async () => {
    policyId = await newPolicy(targets, {});
  });
  afterAll(() => deletePolicy(policyId));

  const watched = async () => {
    const id = await newSession();
    await underPolicy(id, policyId);
    return id;
  };

  const targetOf = async (id: string) => {
    const { items } = (await stack.org.get('/inbox?limit=100')).body;
    return items.find((row: { id: string }) => row.id === id).sla;
  };

  it('run, pause and stop with messages and the status, and each change is recorded once', async () => {
    const id = await watched();
    expect(await clock(id, 'first_reply')).toMatchObject({ state: 'not_started', intervals: [] });
    expect(await clock(id, 'resolution')).toMatchObject({ state: 'running', due_at: expect.any(String) });
    await say(id, 'contact');
    expect(await clock(id, 'first_reply')).toMatchObject({ state: 'running', cycle: 1 });
    const target = await eventually('the target in lists', async () => {
      const found = await targetOf(id);
      return found?.metric === 'first_reply' && found;
    });
    expect(target).toEqual({
      metric: 'first_reply',
      due_at: (await clock(id, 'first_reply')).due_at,
      state: 'running',
    });
    await say(id, 'agent');
    expect(await clock(id, 'first_reply')).toMatchObject({ state: 'fulfilled', due_at: null });
    expect(await clock(id, 'resolution')).toMatchObject({ state: 'paused', due_at: null });
    await say(id, 'contact');
    await say(id, 'contact', 'And another thing');
    expect(await clock(id, 'next_reply')).toMatchObject({ state: 'running', cycle: 1 });
    await stack.org.patch(`/chat/sessions/${id}`, { status: 'closed_resolved' });
    expect(await clock(id, 'next_reply')).toMatchObject({ state: 'paused' });
    expect(await clock(id, 'resolution')).toMatchObject({ state: 'fulfilled' });
    await eventually('no target in lists', async () => (await targetOf(id)) === null);
    await say(id, 'contact');
    await say(id, 'agent');
    const expected = [
      'started resolution 1',
      'started first_reply 1',
      'fulfilled first_reply 1',
      'paused resolution 1',
      'started next_reply 1',
      'resumed resolution 1',
      'fulfilled resolution 1',
      'paused next_reply 1',
      'resumed next_reply 1',
      'resumed resolution 1',
      'fulfilled next_reply 1',
      'paused resolution 1',
    ];
    await eventually('all of history', async () => (await history(id)).length >= expected.length);
    await Promise.all([1, 2, 3].map(() => evaluateClocks(stack.db, stack.org.id, id)));
    expect((await history(id)).toSorted()).toEqual(expected.toSorted());
    expect(await typesOf(id)).toEqual([]);
  });

  it('warn and breach within a second of their time, once, even with concurrent evaluations', async () => {
    const id = await watched();
    await say(id, 'contact');
    await age(id, 45);
    await evaluateClocks(stack.db, stack.org.id, id);
    await say(id, 'contact', 'Anybody?'); // wakes the workflow to compute its timer again
    const first = await eventually('the warning', async () => (await announced(id))[0]);
    expect(first.type).toBe('sla-first-reply-warning');
    const { due_at } = (await clock(id, 'first_reply')) as { due_at: string };
    const warningLateMs = first.at.getTime() - (Date.parse(due_at) - 12_000);
    await Promise.all(Array.from({ length: 5 }, () => evaluateClocks(stack.db, stack.org.id, id)));
    const breach = await eventually('the breach', async () => (await announced(id))[1]);
    expect(breach).toMatchObject({
      type: 'sla-first-reply-breached',
      payload: { due_at, policy_id: policyId, cycle: 1 },
    });
    expect(await targetOf(id)).toEqual({ metric: 'first_reply', due_at, state: 'breached' });
    const { items } = (await stack.org.get('/inbox?view=breaching')).body;
    expect(items[0].id).toBe(id);
    expect((await stack.org.get('/inbox/counts?views=breaching')).body.counts.breaching.breached).toBe(1);
    const lateMs = breach.at.getTime() - Date.parse(due_at);
    for (const late of [warningLateMs, lateMs]) {
      expect(late).toBeGreaterThanOrEqual(0);
      expect(late).toBeLessThan(1_000);
    }
    if (process.env.SHOW_LATENESS) process.stderr.write(`late: warning ${warningLateMs} ms, breach ${lateMs} ms\n`);
    await Promise.all(Array.from({ length: 5 }, () => evaluateClocks(stack.db, stack.org.id, id)));
    await say(id, 'agent');
    await eventually('the end', async () => (await history(id)).includes('fulfilled first_reply 1'));
    expect(await clock(id, 'first_reply')).toMatchObject({
      state: 'breached',
      breached_at: due_at,
      stopped_at: expect.any(String),
    });
    expect(await typesOf(id)).toEqual(['sla-first-reply-warning', 'sla-first-reply-breached']);
    expect((await history(id)).filter((line: string) => line === 'breached first_reply 1')).toHaveLength(1);
  }, 60_000);

  it('count what happened before the relay had read of the session', async () => {
    const id = await inTransaction(stack.db, async (trx) => {
      await lockName(trx, `events ${stack.org.id}`); // the relay handles no events of the org
      const late = await newSession();
      await say(late, 'contact');
      await age(late, 100);
      await sql`update outbox set created_at = created_at - interval '100 seconds' where subject_id = ${late}`.execute(
        stack.db,
      );
      await say(late, 'agent');
      return late;
    });
    await eventually('the breach', async () => (await typesOf(id)).includes('sla-first-reply-breached'));
    expect(await history(id)).toContain('breached first_reply 1');
    expect(await decisionOf(id)).toMatchObject({ outcome: 'breached' });
  });

  it('are not moved by messages of a blocked contact, who is not waited for either', async () => {
    const email = 'spam@example.com';
    const contact = (await stack.org.post('/contacts', { contact: { email } })).body.id;
    const id = await newSession({ contact_id: contact });
    await underPolicy(id, policyId);
    await say(id, 'contact');
    await say(id, 'agent');
    await stack.org.post('/blocklist/contacts', { email });
    await say(id, 'contact', 'And now?');
    await age(id, 100);
    await say(id, 'agent', 'Bye'); // wakes the clocks
    await evaluateClocks(stack.db, stack.org.id, id);
    await say(id, 'contact', 'And now?');
    expect((await stack.org.get(`/chat/sessions/${id}`)).body.waiting_on).toBe('customers');
    expect(await clock(id, 'next_reply')).toMatchObject({ state: 'not_started' });
    expect(await clock(id, 'resolution')).toMatchObject({ state: 'paused' });
    expect(await history(id)).not.toContain('started next_reply 1');
  });

  it('announce nothing if the reply came before the evaluation', async () => {
    const id = await watched();
    await say(id, 'contact');
    await say(id, 'agent');
    await age(id, 100);
    await evaluateClocks(stack.db, stack.org.id, id);
    expect(await typesOf(id)).toEqual([]);
    expect(await clock(id, 'first_reply')).toMatchObject({ state: 'fulfilled' });
  });

  it('announce a breached next reply with its cycle, and a breached resolution', async () => {
    const id = await watched();
    for (const sender of ['contact', 'agent', 'contact', 'agent', 'contact'] as const) await say(id, sender);
    await age(id, 400);
    await evaluateClocks(stack.db, stack.org.id, id);
    const told = await eventually('both', async () => (await announced(id)).length >= 2 && (await announced(id)));
    expect(told.map(({ type, payload }) => `${type} ${payload.cycle}`).toSorted()).toEqual([
      'sla-next-reply-breached 2',
      'sla-resolution-breached 1',
    ]);
  });

  it('continue the chain of workflow runs that opened a session', async () => {
    const id = await watched();
    await sql`update sessions set active_depth = 3 where id = ${id}`.execute(stack.db); // as an insert by a run does
    await age(id, 400);
    await evaluateClocks(stack.db, stack.org.id, id);
    expect(await announced(id)).toMatchObject([{ type: 'sla-resolution-breached', depth: 3 }]);
  });

  it('follow changes of the policy and of office hours, and still announce a breach only once', async () => {
    const always = [{ day_of_week: 'everyday', start_time: '00:00:00', end_time: '00:00:00' }];
    const hours = (await stack.org.post('/office-hours', { name: 'x', iana_timezone: 'UTC', shifts: always })).body;
    const change = async (more: object) => {
      const { name, iana_timezone, shifts } = hours;
      const answer = await stack.org.put(`/office-hours/${hours.id}`, { name, iana_timezone, shifts, ...more });
      expect(answer.status).toBe(200);
    };
    await stack.org.patch(`/sla/policies/${policyId}`, { office_hours_id: hours.id });
    const id = await watched();
    await say(id, 'contact');
    await age(id, 100);
    await evaluateClocks(stack.db, stack.org.id, id);
    expect(await typesOf(id)).toEqual(['sla-first-reply-breached']);
    await stack.org.patch(`/sla/policies/${policyId}`, { first_reply_target_seconds: 110 });
    await eventually('the warning', async () => (await typesOf(id)).includes('sla-first-reply-warning'));
    expect(await clock(id, 'first_reply')).toMatchObject({ state: 'running' });
    await change({ holidays: [-1, 0, 1].map((days) => ({ date: dateIn(days) })) });
    const closed = await clock(id, 'first_reply');
    expect(closed).toMatchObject({ state: 'running', elapsed_seconds: 0, intervals: [] });
    expect(Date.parse(closed.due_at)).toBeGreaterThan(Date.now() + 86_400_000);
    await eventually('the new time', async () => (await decisionOf(id))?.decided_at === null);
    await change({ holidays: [] });
    const due = Date.parse((await clock(id, 'first_reply')).due_at);
    const { decided_at } = await eventually('the second breach', async () => {
      const decision = await decisionOf(id);
      return decision?.outcome === 'breached' && decision;
    });
    expect(decided_at?.getTime()).toBe(due);
    await evaluateClocks(stack.db, stack.org.id, id);
    expect((await typesOf(id)).filter((type) => type.endsWith('breached'))).toEqual(['sla-first-reply-breached']);
    await stack.org.patch(`/sla/policies/${policyId}`, { ...targets, office_hours_id: null });
  }, 60_000);

  it.each(['23:59:59', '24:00:00'])('count every second in office hours that end each day at %s', async (end_time) => {
    const shifts = [{ day_of_week: 'everyday', start_time: '00:00:00', end_time }];
    const { body } = await stack.org.post('/office-hours', { name: 'Always', iana_timezone: 'Asia/Tokyo', shifts });
    await stack.org.patch(`/sla/policies/${policyId}`, {
      first_reply_target_seconds: 10 * 86_400,
      office_hours_id: body.id,
    });
    const id = await watched();
    await say(id, 'contact');
    const { started_at, due_at } = await clock(id, 'first_reply');
    expect(Date.parse(due_at) - Date.parse(started_at)).toBe(10 * 86_400_000);
    await stack.org.patch(`/sla/policies/${policyId}`, { ...targets, office_hours_id: null });
  });

  it('end with the policy', async () => {
    const other = await newPolicy(targets, {});
    const id = await watched();
    await say(id, 'contact');
    await stack.org.put(`/sla/policies/${policyId}/assignment`, { channels: ['slack'] });
    await underPolicy(id, other);
    await deletePolicy(other);
    await underPolicy(id, null);
    await age(id, 100);
    await evaluateClocks(stack.db, stack.org.id, id);
    expect(await typesOf(id)).toEqual([]);
    await stack.org.put(`/sla/policies/${policyId}/assignment`, {});
    await underPolicy(id, policyId);
    await eventually('the breach', async () => (await typesOf(id)).includes('sla-first-reply-breached'));
  }, 60_000);
});
