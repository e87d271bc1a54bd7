import { assignIfWaiting } from '../../src/conversations/assignment/queues.service.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { createDesk, type Desk } from '../support/desk.ts';
import { startApi, type TestApi } from '../support/stack/api.ts';
import { eventually } from '../support/stack/stack.ts';

const ALWAYS_CLOSED = { iana_timezone: 'UTC', shifts: [] };

/** No relay runs: the tests see only direct effects of requests. */
let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const newDesk = async (settings: object = {}): Promise<Desk> => {
  const org = await api.createOrg();
  if (Object.keys(settings).length > 0) expect((await org.patch('/org/settings', settings)).status).toBe(200);
  return createDesk(api, org);
};
describe('assignment to a team', () => {
  it('selects the least busy member, counting the sessions of all teams', async () => {
    const desk = await newDesk();
    const [busy, idle] = (await desk.join(2)) as [number, number];
    const team = await desk.team('least-busy', [busy, idle]);
    for (let n = 0; n < 3; n++)
      await desk.org.post(`/chat/sessions/${await desk.session()}/assign`, { assignee_id: busy });
    expect(await desk.comeOneByOne(team, 5)).toEqual([idle, idle, idle, busy, idle]);
  });

  it('goes round the members: it skips an unavailable one, who comes next when available again', async () => {
    const desk = await newDesk();
    const [a, b, c] = (await desk.join(3)) as [number, number, number];
    const team = await desk.team('round-robin', [a, b, c]);
    expect(await desk.comeOneByOne(team, 2)).toEqual([a, b]);
    await desk.setAvailable(c, false);
    expect(await desk.comeOneByOne(team, 3)).toEqual([a, b, a]);
    await desk.setAvailable(c, true);
    expect(await desk.comeOneByOne(team, 3)).toEqual([c, b, a]);
  });

  it.each([
    ['has support disabled', { is_support_enabled: false }],
    ['has automatic assignment turned off', { support_assignment_strategy: 'unassigned' }],
  ])('leaves a session unassigned or with its assignee if the team %s', async (_, change) => {
    const desk = await newDesk();
    const [member] = (await desk.join(1)) as [number];
    const team = await desk.team('round-robin', [member], change);
    expect(await desk.comeOneByOne(team, 1)).toEqual([null]);
    const id = await desk.session();
    await desk.assign(id, { assignee_id: member });
    expect(await desk.assign(id, { team_id: team })).toBe(member);
  });

  it('selects no unavailable member, and none outside of the team’s office hours', async () => {
    const desk = await newDesk();
    const members = await desk.join(2);
    const away = await desk.team('round-robin', members.slice(0, 1));
    await desk.setAvailable(members[0] as number, false);
    expect(await desk.comeOneByOne(away, 1)).toEqual([null]);
    const hours = (await desk.org.post('/office-hours', { name: 'x', ...ALWAYS_CLOSED })).body.id;
    const closed = await desk.team('round-robin', members, { support_office_hours_id: hours });
    expect(await desk.comeOneByOne(closed, 1)).toEqual([null]);
  });

  it('queues a new session behind waiting ones', async () => {
    const desk = await newDesk({ member_capacity: 1 });
    const team = await desk.team('round-robin', await desk.join(1));
    const [, second] = await desk.come(team, 2);
    await desk.org.patch('/org/settings', { member_capacity: 2 });
    expect(await desk.comeOneByOne(team, 1)).toEqual([null]); // a member is free, but the second session is first in the queue
    expect(await desk.assigneeOf(second as string)).toBe(null);
  });
});

describe('an explicit assignee', () => {
  it('gets the session regardless of capacity, and an explicit null leaves it unassigned', async () => {
    const desk = await newDesk({ member_capacity: 1 });
    const [member, other] = (await desk.join(2)) as [number, number];
    const team = await desk.team('least-busy', [member, other]);
    const sessions = [await desk.session(), await desk.session(), await desk.session()] as const;
    for (const id of sessions) await desk.assign(id, { assignee_id: member, team_id: team });
    expect((await desk.openByMember()).get(member)).toBe(3);
    expect(await desk.assign(sessions[0], { assignee_id: null })).toBe(null);
    expect(await desk.assign(await desk.session(), { assignee_id: null, team_id: team })).toBe(null);
    expect(await desk.assign(sessions[0], { team_id: team })).toBe(other); // now the team selects again
  });

  it('keeps the session when it moves to another of their teams, and loses it to a team without them', async () => {
    const desk = await newDesk();
    const [first, second] = (await desk.join(2)) as [number, number];
    const [one, both, another] = [
      await desk.team('round-robin', [first]),
      await desk.team('round-robin', [second, first]),
      await desk.team('round-robin', [second]),
    ];
    const id = await desk.session();
    expect(await desk.assign(id, { team_id: one })).toBe(first);
    expect(await desk.assign(id, { team_id: both })).toBe(first);
    expect(await desk.assign(id, { team_id: both })).toBe(first);
    expect(await desk.assign(id, { team_id: another })).toBe(second);
    expect(await desk.eventsOf(id, 'assigned')).toEqual([
      { type: 'assigned', assignee_id: first, team_id: one },
      { type: 'assigned', assignee_id: first, team_id: both },
      { type: 'assigned', assignee_id: second, team_id: another },
    ]);
  });
});

describe('a handoff', () => {
  it('assigns an unassigned session to a member of its team', async () => {
    const desk = await newDesk();
    const [member] = (await desk.join(1)) as [number];
    const team = await desk.team('round-robin', [member]);
    const id = await desk.session();
    await desk.assign(id, { team_id: team, assignee_id: null });
    await desk.org.post(`/chat/sessions/${id}/handoff`, {});
    expect(await desk.assigneeOf(id)).toBe(member);
  });
});

describe('a reopened session', () => {
  const closed = async (desk: Desk, team: string) => {
    const [id] = (await desk.come(team, 1)) as [string];
    const assignee = await desk.assigneeOf(id);
    await desk.org.patch(`/chat/sessions/${id}`, { status: 'closed_resolved' });
    return { id, assignee: assignee as number };
  };
  const reply = async (desk: Desk, id: string) => {
    const message = { sender: 'contact', message: { type: 'text', text: 'And now?' } };
    expect((await desk.org.post(`/chat/sessions/${id}/send`, message)).status).toBe(201);
    return desk.assigneeOf(id);
  };

  it('stays with an available assignee', async () => {
    const desk = await newDesk();
    const team = await desk.team('round-robin', await desk.join(3));
    const { id, assignee } = await closed(desk, team);
    expect(await reply(desk, id)).toBe(assignee);
  });

  it('goes to another member if the assignee is unavailable, at capacity, or no longer in the team', async () => {
    const desk = await newDesk({ member_capacity: 2 });
    const members = await desk.join(2);
    const team = await desk.team('round-robin', members);
    const away = await closed(desk, team);
    await desk.setAvailable(away.assignee, false);
    expect(await reply(desk, away.id)).toBe(members.find((id) => id !== away.assignee));
    await desk.setAvailable(away.assignee, true);

    const full = await closed(desk, team);
    for (let n = 0; n < 2; n++) await desk.assign(await desk.session(), { assignee_id: full.assignee });
    const next = await reply(desk, full.id);
    expect(next).not.toBe(full.assignee);
    expect(next === null || members.includes(next)).toBe(true);

    const left = await newDesk();
    const [gone, stays] = (await left.join(2)) as [number, number];
    const its = await left.team('round-robin', [gone, stays]);
    const { id } = await closed(left, its);
    await left.org.delete(`/teams/${its}/users/${gone}`);
    expect(await reply(left, id)).toBe(stays);
  });

  it('waits for the team outside of its office hours, also if an agent reopens it', async () => {
    const desk = await newDesk();
    const [member] = (await desk.join(1)) as [number];
    const team = await desk.team('round-robin', [member]);
    const sessions = [await closed(desk, team), await closed(desk, team)] as const;
    const hours = (await desk.org.post('/office-hours', { name: 'x', ...ALWAYS_CLOSED })).body.id;
    await desk.change(team, { support_office_hours_id: hours });
    expect(await reply(desk, sessions[0].id)).toBe(null);
    await desk.org.patch(`/chat/sessions/${sessions[1].id}`, { status: 'open' });
    expect(await desk.assigneeOf(sessions[1].id)).toBe(null);
    expect((await desk.eventsOf(sessions[0].id, 'assigned')).at(-1)).toMatchObject({
      assignee_id: null,
      team_id: team,
    });
  });

  it('stays the AI’s if people have returned it, and nobody’s if nobody was to be picked, unless it was handed off since', async () => {
    const desk = await newDesk();
    const [member] = (await desk.join(1)) as [number];
    const team = await desk.team('round-robin', [member]);
    const close = (id: string) => desk.org.patch(`/chat/sessions/${id}`, { status: 'closed_resolved' });
    const [returned = ''] = await desk.come(team, 1);
    await desk.org.post(`/chat/sessions/${returned}/handoff`, {});
    expect((await desk.org.post(`/chat/sessions/${returned}/return-to-ai`)).status).toBe(200);
    const held = await desk.session();
    expect(await desk.assign(held, { team_id: team, assignee_id: null })).toBe(null);
    for (const id of [returned, held]) {
      await close(id);
      expect(await reply(desk, id)).toBe(null);
    }
    const states = await api.db.selectFrom('sessions').select('ai_state').where('id', 'in', [returned, held]).execute();
    expect(states).toEqual([{ ai_state: 'off' }, { ai_state: 'off' }]); // the AI's next turn decides
    await close(held);
    await desk.org.patch(`/chat/sessions/${held}`, { status: 'open' });
    expect(await desk.assigneeOf(held)).toBe(null);
    await close(returned);
    await desk.org.post(`/chat/sessions/${returned}/handoff`, {});
    expect(await reply(desk, returned)).toBe(member);
  });

  it('stays with its assignee if it has no team', async () => {
    const desk = await newDesk();
    const [member] = (await desk.join(1)) as [number];
    const id = await desk.session();
    await desk.assign(id, { assignee_id: member });
    await desk.org.patch(`/chat/sessions/${id}`, { status: 'closed_unresolved' });
    await desk.setAvailable(member, false);
    expect(await reply(desk, id)).toBe(member);
  });
});

describe('another org', () => {
  it('takes no part in assignment: its members get nothing, and its team is refused', async () => {
    const [desk, stranger] = [await newDesk(), await newDesk({ member_capacity: 1 })];
    const team = await desk.team('round-robin', await desk.join(1));
    const foreign = await stranger.session();
    expect((await stranger.org.post(`/chat/sessions/${foreign}/assign`, { team_id: team })).status).toBe(400);
    expect((await stranger.org.post(`/chat/sessions/${await desk.session()}/assign`, { team_id: team })).status).toBe(
      404,
    );
    expect((await desk.openByMember()).size).toBe(0);
  });
});

describe('a seat that gets free', () => {
  it('is given to the longest waiting session by the process that freed it, and the event for the workflow is stored', async () => {
    const desk = await newDesk({ member_capacity: 1 });
    const [member] = (await desk.join(1)) as [number];
    const team = await desk.team('least-busy', [member]);
    const [has, first, second] = (await desk.come(team, 3)) as [string, string, string];
    await desk.org.patch(`/chat/sessions/${has}`, { status: 'closed_resolved' });
    expect(await eventually('an assignee', async () => (await desk.assigneeOf(first)) ?? undefined)).toBe(member);
    expect(await desk.assigneeOf(second)).toBe(null);
    const events = api.db.selectFrom('outbox').select('id').where('type', '=', 'staffing-changed');
    expect(await events.where('org_id', '=', desk.org.id).execute()).not.toEqual([]);
  });

  it('is given by the reaction to other changes, which wakes the workflow for what that leaves', async () => {
    const desk = await newDesk({ member_capacity: 1 });
    const [member] = (await desk.join(1)) as [number];
    await desk.setAvailable(member, false);
    const [first] = (await desk.come(await desk.team('least-busy', [member]), 2)) as [string];
    await desk.setAvailable(member, true);
    await api.db.deleteFrom('outbox').where('org_id', '=', desk.org.id).execute();
    await inTransaction(api.db, (trx) => assignIfWaiting(trx, desk.org.id));
    expect(await eventually('an assignee', async () => (await desk.assigneeOf(first)) ?? undefined)).toBe(member);
    const commands = api.db.selectFrom('outbox').select('workflow_id').where('kind', '=', 'signal');
    expect(await commands.where('org_id', '=', desk.org.id).execute()).toEqual([
      { workflow_id: `assignment/${desk.org.id}` },
    ]);
  });
});
