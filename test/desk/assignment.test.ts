import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createDesk, type Desk } from '../support/desk.ts';
import { startApi, type TestApi } from '../support/stack/api.ts';

const ALWAYS_CLOSED = { iana_timezone: 'UTC', shifts: [] };

/** No relay runs: what is seen here is what requests do by themselves. */
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
describe('a team', () => {
  it('gives the least busy of all, over all teams', async () => {
    const desk = await newDesk();
    const [busy, idle] = (await desk.join(2)) as [number, number];
    const team = await desk.team('least-busy', [busy, idle]);
    for (let n = 0; n < 3; n++)
      await desk.org.post(`/chat/sessions/${await desk.session()}/assign`, { assignee_id: busy });
    expect(await desk.comeOneByOne(team, 5)).toEqual([idle, idle, idle, busy, idle]);
  });

  it('goes round, and whoever is away is passed over and comes next when back', async () => {
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
    ['is not there for support', { is_support_enabled: false }],
    ['assigns nobody by itself', { support_assignment_strategy: 'unassigned' }],
  ])('that %s leaves a session to nobody, or to whom it has', async (_, change) => {
    const desk = await newDesk();
    const [member] = (await desk.join(1)) as [number];
    const team = await desk.team('round-robin', [member], change);
    expect(await desk.comeOneByOne(team, 1)).toEqual([null]);
    const id = await desk.session();
    await desk.assign(id, { assignee_id: member });
    expect(await desk.assign(id, { team_id: team })).toBe(member);
  });

  it('gives nothing to members who are away, nor outside of its office hours', async () => {
    const desk = await newDesk();
    const members = await desk.join(2);
    const away = await desk.team('round-robin', members.slice(0, 1));
    await desk.setAvailable(members[0] as number, false);
    expect(await desk.comeOneByOne(away, 1)).toEqual([null]);
    const hours = (await desk.org.post('/office-hours', { name: 'x', ...ALWAYS_CLOSED })).body.id;
    const closed = await desk.team('round-robin', members, { support_office_hours_id: hours });
    expect(await desk.comeOneByOne(closed, 1)).toEqual([null]);
  });

  it('keeps what comes behind those that wait in line', async () => {
    const desk = await newDesk({ member_capacity: 1 });
    const team = await desk.team('round-robin', await desk.join(1));
    const [first, second] = await desk.come(team, 2);
    await desk.org.patch(`/chat/sessions/${first}`, { status: 'closed_resolved' });
    expect(await desk.comeOneByOne(team, 1)).toEqual([null]); // though somebody is free: the second one is first
    expect(await desk.assigneeOf(second as string)).toBe(null);
  });
});

describe('who is named', () => {
  it('gets the session, whatever the capacity, and nobody means nobody', async () => {
    const desk = await newDesk({ member_capacity: 1 });
    const [member, other] = (await desk.join(2)) as [number, number];
    const team = await desk.team('least-busy', [member, other]);
    const sessions = [await desk.session(), await desk.session(), await desk.session()] as const;
    for (const id of sessions) await desk.assign(id, { assignee_id: member, team_id: team });
    expect((await desk.openByMember()).get(member)).toBe(3);
    expect(await desk.assign(sessions[0], { assignee_id: null })).toBe(null);
    expect(await desk.assign(await desk.session(), { assignee_id: null, team_id: team })).toBe(null);
    expect(await desk.assign(sessions[0], { team_id: team })).toBe(other); // asked for again
  });

  it('stays when the session comes to a team of theirs, and not when it comes to another', async () => {
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
  it('has the team pick somebody for a session that nobody has', async () => {
    const desk = await newDesk();
    const [member] = (await desk.join(1)) as [number];
    const team = await desk.team('round-robin', [member]);
    const id = await desk.session();
    await desk.assign(id, { team_id: team, assignee_id: null });
    await desk.org.post(`/chat/sessions/${id}/handoff`, {});
    expect(await desk.assigneeOf(id)).toBe(member);
  });
});

describe('a session that opens again', () => {
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

  it('stays with an assignee who is there', async () => {
    const desk = await newDesk();
    const team = await desk.team('round-robin', await desk.join(3));
    const { id, assignee } = await closed(desk, team);
    expect(await reply(desk, id)).toBe(assignee);
  });

  it('goes to another where the assignee is away, full, or no longer in the team', async () => {
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

  it('waits for the team outside of its hours, and when an agent opens it alike', async () => {
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

  it('stays with whom it has where it has no team', async () => {
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
  it('has no part in it: its members get nothing, and its team is refused', async () => {
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
