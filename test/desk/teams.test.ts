import { addMember } from '../../src/orgs/members/service.ts';
import { startApi, type TestApi, type TestOrg } from '../support/stack/api.ts';

const NOBODY = '019aa1f0-0000-7000-8000-000000000000';
const DEFAULTS = {
  description: null,
  is_support_enabled: false,
  support_office_hours_id: null,
  support_assignment_strategy: 'unassigned',
};
const MADE = { id: expect.any(String), created_at: expect.any(String), updated_at: expect.any(String) };

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const create = async (fields: object = {}) => (await api.org.post('/teams', { name: 'Support', ...fields })).body;
const read = async (id: string) => (await api.org.get(`/teams/${id}`)).body;
const join = async (org: TestOrg = api.org) => {
  const name = crypto.randomUUID();
  const email = `${name}@example.com`;
  return { id: await addMember(api.db, org.id, { email, name }), email, name, available: true };
};
const officeHoursOf = async (org: TestOrg): Promise<string> =>
  (await org.post('/office-hours', { name: 'x', iana_timezone: 'UTC', shifts: [] })).body.id;

describe('a team', () => {
  it('is created, read, listed oldest first, and deleted', async () => {
    const org = await api.createOrg();
    const everything = {
      name: 'Billing',
      description: 'Invoices',
      is_support_enabled: true,
      support_office_hours_id: await officeHoursOf(org),
      support_assignment_strategy: 'least-busy',
    };
    const { status, body: first } = await org.post('/teams', everything);
    expect(status).toBe(201);
    expect(first).toEqual({ ...MADE, ...everything, members: [] });
    const { body: second } = await org.post('/teams', { name: 'Support' });
    expect(second).toEqual({ ...MADE, ...DEFAULTS, name: 'Support', members: [] });

    expect((await org.get(`/teams/${first.id}`)).body).toEqual(first);
    expect((await org.get('/teams')).body).toEqual({ items: [first, second], next: null });
    const { body: page } = await org.get('/teams?limit=1');
    expect(page.items).toEqual([first]);
    expect((await org.get(`/teams?limit=1&cursor=${page.next}`)).body).toEqual({ items: [second], next: null });

    expect(await org.delete(`/teams/${first.id}`)).toMatchObject({ status: 200, body: '' });
    expect((await org.get('/teams')).body.items).toEqual([second]);
    expect((await org.get(`/teams/${first.id}`)).status).toBe(404);
    expect((await org.delete(`/teams/${first.id}`)).status).toBe(404);
  });

  it('is replaced except for its members: an absent field gets its default', async () => {
    const before = await create({ description: 'All of it', is_support_enabled: true });
    const member = await join();
    await api.org.post(`/teams/${before.id}/users`, { userId: member.id });
    const { status, body } = await api.org.put(`/teams/${before.id}`, { name: 'Sales' });
    expect(status).toBe(200);
    expect(body).toEqual({ ...before, ...DEFAULTS, name: 'Sales', members: [member], updated_at: expect.any(String) });
    expect(Date.parse(body.updated_at)).toBeGreaterThan(Date.parse(before.updated_at));
    expect((await api.org.put(`/teams/${NOBODY}`, { name: 'Sales' })).status).toBe(404);
  });
});

describe('the members of a team', () => {
  it('are added and removed, and are shown as in the org', async () => {
    const { id } = await create();
    const [first, second] = [await join(), await join()];
    expect(await api.org.post(`/teams/${id}/users`, { userId: second.id, groupId: id })).toMatchObject({ status: 200 });
    const { body } = await api.org.post(`/teams/${id}/users`, { userId: first.id });
    expect(body).toEqual(await read(id));
    expect(body.members).toEqual([first, second]);

    await api.org.patch(`/members/${first.id}`, { available: false, name: 'Ada' });
    expect((await read(id)).members).toEqual([{ ...first, available: false, name: 'Ada' }, second]);

    expect(await api.org.delete(`/teams/${id}/users/${first.id}`)).toMatchObject({ status: 200, body: '' });
    expect((await read(id)).members).toEqual([second]);
    expect((await api.org.delete(`/teams/${id}/users/${first.id}`)).status).toBe(404);
  });

  it('are in it once, even if added repeatedly and concurrently', async () => {
    const { id } = await create();
    const { id: userId } = await join();
    const answers = await Promise.all([1, 2, 3, 4].map(() => api.org.post(`/teams/${id}/users`, { userId })));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect((await read(id)).members).toHaveLength(1);
  });

  it('may be in several teams, and leave all of them when they leave the org', async () => {
    const [one, two] = [await create(), await create()];
    const [member, stays] = [await join(), await join()];
    for (const team of [one, two]) await api.org.post(`/teams/${team.id}/users`, { userId: member.id });
    await api.org.post(`/teams/${two.id}/users`, { userId: stays.id });
    expect((await api.org.delete(`/members/${member.id}`)).status).toBe(200);
    expect([(await read(one.id)).members, (await read(two.id)).members]).toEqual([[], [stays]]);
  });

  it('stay in the org when the team is deleted', async () => {
    const { id } = await create();
    const member = await join();
    await api.org.post(`/teams/${id}/users`, { userId: member.id });
    expect((await api.org.delete(`/teams/${id}`)).status).toBe(200);
    expect((await api.org.get('/members')).body).toContainEqual(expect.objectContaining(member));
  });

  it('must be members of the org, and are added to the team of the path', async () => {
    const [team, another] = [await create(), await create()];
    const member = await join();
    const stranger = await join(api.other);
    const add = (body: unknown) => api.org.post(`/teams/${team.id}/users`, body);
    for (const userId of [stranger.id, 999_999_999, 0, -1, 1.5, '1', null, undefined, Number.MAX_SAFE_INTEGER]) {
      const { status, body } = await add({ userId });
      expect(`${userId} ${status} ${body.issues[0].path}`).toBe(`${userId} 400 body.userId`);
    }
    expect((await api.org.post(`/teams/${NOBODY}/users`, { userId: member.id })).status).toBe(404);
    expect((await api.org.delete(`/teams/${team.id}/users/x`)).status).toBe(400);
    const { status, body } = await add({ userId: member.id, groupId: another.id });
    expect([status, body.issues[0].path]).toEqual([400, 'body.groupId']);
    expect((await read(team.id)).members).toEqual([]);
    await add({ userId: member.id });
    expect((await read(team.id)).members).toEqual([member]);
    expect((await read(another.id)).members).toEqual([]);
  });
});

describe('the office hours of a team', () => {
  it('must belong to the org', async () => {
    const { id } = await create();
    for (const support_office_hours_id of [await officeHoursOf(api.other), NOBODY, 'always', '', 7]) {
      const answers = [
        await api.org.post('/teams', { name: 'x', support_office_hours_id }),
        await api.org.put(`/teams/${id}`, { name: 'x', support_office_hours_id }),
      ];
      for (const { status, body } of answers) {
        expect(`${status} ${body.issues[0].path}`).toBe('400 body.support_office_hours_id');
      }
    }
  });

  it('cannot be deleted while a team uses them: the refusal names the teams', async () => {
    const support_office_hours_id = await officeHoursOf(api.org);
    const remove = () => api.org.delete(`/office-hours/${support_office_hours_id}`);
    const teams = [
      await create({ name: 'Billing', support_office_hours_id }),
      await create({ support_office_hours_id }),
    ];
    const { status, body } = await remove();
    expect(status).toBe(409);
    expect(body.message).toContain('"Billing", "Support"');
    for (const { id } of teams) await api.org.put(`/teams/${id}`, { name: 'x' });
    expect((await remove()).status).toBe(200);
  });

  it('are either deleted or used if both requests come at once', async () => {
    for (let round = 0; round < 10; round++) {
      const support_office_hours_id = await officeHoursOf(api.org);
      const [made, removed] = await Promise.all([
        api.org.post('/teams', { name: 'Late', support_office_hours_id }),
        api.org.delete(`/office-hours/${support_office_hours_id}`),
      ]);
      expect(['201 409', '400 200']).toContain(`${made.status} ${removed.status}`);
    }
  });
});

describe('an invalid team', () => {
  it.each([
    ['name', undefined],
    ['name', ''],
    ['name', 'x'.repeat(256)],
    ['description', 'x'.repeat(2001)],
    ['description', 7],
    ['is_support_enabled', 'yes'],
    ['is_support_enabled', null],
    ['support_assignment_strategy', 'random'],
    ['support_assignment_strategy', null],
  ])('with a bad %s is a 400 that names the field (%#)', async (field, value) => {
    const { status, body } = await api.org.post('/teams', { name: 'Support', [field]: value });
    expect(`${status} ${body.issues[0].path}`).toBe(`400 body.${field}`);
    const { id } = await create();
    expect((await api.org.put(`/teams/${id}`, { name: 'Support', [field]: value })).status).toBe(400);
  });
});

describe('access to teams', () => {
  it('requires teams:read for reading and teams:write for changes', async () => {
    const { id } = await create();
    const { id: userId } = await join();
    const reader = await api.org.withScopes('teams:read');
    const writer = await api.org.withScopes('teams:write');
    for (const path of ['/teams', `/teams/${id}`]) {
      expect((await reader.get(path)).status).toBe(200);
      expect((await writer.get(path)).status).toBe(403);
    }
    const changesBy = async (client: typeof reader) => [
      (await client.post('/teams', { name: 'x' })).status,
      (await client.put(`/teams/${id}`, { name: 'x' })).status,
      (await client.post(`/teams/${id}/users`, { userId })).status,
      (await client.delete(`/teams/${id}/users/${userId}`)).status,
      (await client.delete(`/teams/${id}`)).status,
    ];
    expect(await changesBy(reader)).toEqual([403, 403, 403, 403, 403]);
    expect(await changesBy(writer)).toEqual([201, 200, 200, 200, 200]);
  });

  it('is a 404 for another org, and changes nothing', async () => {
    const { id } = await create();
    const member = await join();
    const stranger = await join(api.other);
    await api.org.post(`/teams/${id}/users`, { userId: member.id });
    const { other } = api;
    const answers = await Promise.all([
      other.get(`/teams/${id}`),
      other.put(`/teams/${id}`, { name: 'Mine' }),
      other.post(`/teams/${id}/users`, { userId: stranger.id }),
      other.delete(`/teams/${id}/users/${member.id}`),
      other.delete(`/teams/${id}`),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
    expect((await other.get('/teams')).body.items).toEqual([]);
    expect(await read(id)).toMatchObject({ name: 'Support', members: [member] });
  });
});
