import { sql } from 'kysely';
import { deleteTeamBatch } from '../../src/desk/teams/service.ts';
import { addMember, deleteMemberBatch } from '../../src/orgs/members/service.ts';
import { createDesk, type Desk } from '../support/desk.ts';
import { startApi, type TestApi, type TestOrg } from '../support/stack/api.ts';
import { eventually, startStack } from '../support/stack/stack.ts';

/** More than are cleared in a request, and than in a transaction. */
const MANY = 2_100;

type Columns = { assignee_id?: number; team_id?: string };

const insertSessions = ({ db, org }: Desk, { assignee_id = undefined, team_id = undefined }: Columns, count = MANY) =>
  sql`
    insert into sessions (org_id, id, channel, ticket_number, assignee_id, team_id)
    select ${org.id}, gen_random_uuid(), 'api', 1000000 + n, ${assignee_id ?? null}, ${team_id ?? null}
    from generate_series(1, ${count}) as n
  `.execute(db);
const countSessions = async ({ db, org }: Desk, column: 'assignee_id' | 'team_id') => {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from sessions where org_id = ${org.id} and ${sql.ref(column)} is not null
  `.execute(db);
  return rows[0]?.count;
};
const countRows = async ({ db, org }: Desk, table: 'members' | 'teams') =>
  (await db.selectFrom(table).select('name').where('org_id', '=', org.id).execute()).length;
const afterOne = () => {
  let asked = 0;
  return () => asked++ > 0;
};
const never = () => false;

describe('without a worker', () => {
  let api: TestApi;
  let org: TestOrg;
  let desk: Desk;
  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(() => api.close());
  beforeEach(async () => {
    org = await api.createOrg();
    desk = createDesk(api, org);
  });

  const memberIds = async () => (await org.get('/members')).body.map(({ id }: { id: number }) => id);

  it('a member with few sessions is deleted from them in the request', async () => {
    const [member] = (await desk.join(1)) as [number];
    await insertSessions(desk, { assignee_id: member }, 10);
    expect((await org.delete(`/members/${member}`)).status).toBe(200);
    expect([await countSessions(desk, 'assignee_id'), await countRows(desk, 'members')]).toEqual([0, 0]);
  });

  it('a member with many sessions is gone at once, and from its sessions afterwards', async () => {
    const [member, other] = (await desk.join(2)) as [number, number];
    const team = await desk.team('round-robin', [member, other]);
    await insertSessions(desk, { assignee_id: member });
    expect((await org.delete(`/members/${member}`)).status).toBe(200);

    expect(await memberIds()).toEqual([other]);
    expect((await org.get(`/teams/${team}`)).body.members.map(({ id }: { id: number }) => id)).toEqual([other]);
    const session = await desk.session();
    expect((await org.post(`/chat/sessions/${session}/assign`, { assignee_id: member })).status).toBe(400);
    expect((await org.post(`/teams/${team}/users`, { userId: member })).status).toBe(400);
    expect((await org.patch(`/members/${member}`, { available: true })).status).toBe(404);
    expect((await org.delete(`/members/${member}`)).status).toBe(404);
    expect(await desk.comeOneByOne(team, 2)).toEqual([other, other]);

    const ref = { orgId: org.id, userId: member };
    expect(await deleteMemberBatch(api.db, ref, afterOne())).toBe(false);
    expect(await countSessions(desk, 'assignee_id')).toBe(MANY - 1_000 + 2);
    const both = await Promise.all([deleteMemberBatch(api.db, ref, never), deleteMemberBatch(api.db, ref, never)]);
    expect(both).toEqual([true, true]);
    expect([await countSessions(desk, 'assignee_id'), await countRows(desk, 'members')]).toEqual([2, 1]);
  });

  it('a member added again meanwhile keeps the sessions not cleared yet', async () => {
    const [member] = (await desk.join(1)) as [number];
    await insertSessions(desk, { assignee_id: member });
    await org.delete(`/members/${member}`);
    const ref = { orgId: org.id, userId: member };
    await deleteMemberBatch(api.db, ref, afterOne());
    const { rows } = await sql<{ email: string }>`select email from users where id = ${member}`.execute(api.db);
    const [user] = rows as [{ email: string }];
    expect(await addMember(api.db, org.id, { email: user.email, name: 'Ann' })).toBe(member);
    expect((await org.get('/members')).body).toMatchObject([{ id: member, name: 'Ann', role: 'agent' }]);
    expect(await deleteMemberBatch(api.db, ref, never)).toBe(true);
    expect(await countSessions(desk, 'assignee_id')).toBe(MANY - 1_000);
    expect(await memberIds()).toEqual([member]);
  });

  it('a team with many sessions is gone at once, and from its sessions afterwards', async () => {
    const [member] = (await desk.join(1)) as [number];
    const team = await desk.team('round-robin', [member]);
    await insertSessions(desk, { team_id: team });
    expect((await org.delete(`/teams/${team}`)).status).toBe(200);

    expect((await org.get('/teams')).body.items).toEqual([]);
    const { items } = (await org.get('/chat/sessions?limit=1')).body;
    expect(items[0].team).toBeNull();
    const session = await desk.session();
    expect((await org.post(`/chat/sessions/${session}/assign`, { team_id: team })).status).toBe(400);
    expect((await org.put(`/teams/${team}`, { name: 'Again' })).status).toBe(404);
    expect((await org.post(`/teams/${team}/users`, { userId: member })).status).toBe(404);
    expect((await org.delete(`/teams/${team}`)).status).toBe(404);

    const ref = { orgId: org.id, teamId: team };
    expect(await deleteTeamBatch(api.db, ref, afterOne())).toBe(false);
    expect(await countSessions(desk, 'team_id')).toBe(MANY - 1_000);
    const both = await Promise.all([deleteTeamBatch(api.db, ref, never), deleteTeamBatch(api.db, ref, never)]);
    expect(both).toEqual([true, true]);
    expect([await countSessions(desk, 'team_id'), await countRows(desk, 'teams')]).toEqual([0, 0]);
  });
});

it('workflows delete members and teams with many sessions', async () => {
  const stack = await startStack();
  try {
    const desk = createDesk(stack, stack.org);
    const [member] = (await desk.join(1)) as [number];
    const team = await desk.team('unassigned', [member]);
    await insertSessions(desk, { assignee_id: member, team_id: team });
    expect((await stack.org.delete(`/members/${member}`)).status).toBe(200);
    expect((await stack.org.delete(`/teams/${team}`)).status).toBe(200);
    await eventually('no member and no team', async () => {
      const left = await Promise.all([countRows(desk, 'members'), countRows(desk, 'teams')]);
      return left.every((count) => count === 0);
    });
    expect(await countSessions(desk, 'assignee_id')).toBe(0);
    expect(await countSessions(desk, 'team_id')).toBe(0);
    const { workflow } = stack.temporal;
    await workflow.getHandle(`member-deletion/${stack.org.id}/${member}`).result();
    await workflow.getHandle(`team-deletion/${team}`).result();
  } finally {
    await stack.close();
  }
});
