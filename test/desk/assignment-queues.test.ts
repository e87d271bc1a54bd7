import { sql } from 'kysely';
import { connect } from '../../src/db/connect.ts';
import { createDesk, type Desk } from '../support/desk.ts';
import { startApi, type TestApi } from '../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../support/stack/stack.ts';
import { retryUnavailable } from '../support/unavailable.ts';

const ARRIVALS_IN_FLIGHT = 8;

let stack: Stack;
/** Four processes of one installation. */
let apis: Pick<TestApi, 'client' | 'close'>[];
/** Connections of its own, so that looking does not wait for the requests of the processes. */
let observer: ReturnType<typeof connect>;
beforeAll(async () => {
  stack = await startStack();
  const { databaseUrl } = stack;
  observer = connect(databaseUrl, { poolSize: 4 });
  apis = [stack, ...(await Promise.all([1, 2, 3].map(() => startApi({ databaseUrl }))))];
});
afterAll(async () => {
  await observer.close();
  for (const api of apis.toReversed()) await api.close();
});

const newDesk = async (settings: object = {}): Promise<Desk> => {
  const org = await stack.createOrg();
  if (Object.keys(settings).length > 0) expect((await org.patch('/org/settings', settings)).status).toBe(200);
  return createDesk(observer, org);
};
const close = (desk: Desk, id: string, status = 'closed_resolved') =>
  desk.org.patch(`/chat/sessions/${id}`, { status });
const given = (desk: Desk, id: string) =>
  eventually('an assignee', async () => (await desk.assigneeOf(id)) ?? undefined);
const hoursOf = (desk: Desk, shifts: object[]) =>
  desk.org.post('/office-hours', { name: 'Hours', iana_timezone: 'UTC', shifts });
const timeOfDay = (at: number) => new Date(at).toISOString().slice(11, 19);

/** Waits until no session waits for a member while one is free. */
const settled = (desk: Desk) =>
  eventually('nothing that waits in vain', async () => (await desk.waitingInVain()) === 0);

/** Waits until no evaluation of the org's queues is running or pending. */
const quiet = ({ org }: Desk) =>
  eventually('nobody who looks', async () => {
    const left = await stack.db.selectFrom('outbox').select('id').where('org_id', '=', org.id).executeTakeFirst();
    if (left !== undefined) return false;
    const { status } = await stack.temporal.workflow.getHandle(`assignment/${org.id}`).describe();
    return status.name !== 'RUNNING';
  });

/** Assigns sessions to the team all at once, through every process. */
const arrive = (desk: Desk, teamId: string, count: number) =>
  Promise.all(
    Array.from({ length: count }, async (_, n) => {
      const client = (apis[n % apis.length] as (typeof apis)[number]).client(desk.org.key);
      const { id } = (await retryUnavailable(() => client.post('/chat/sessions', {}))).body;
      const answer = await retryUnavailable(() => client.post(`/chat/sessions/${id}/assign`, { team_id: teamId }));
      expect(answer).toMatchObject({ status: 200, body: '' });
    }),
  );

describe('200 sessions arriving at once over four processes', () => {
  it('are distributed evenly among ten members, each to one, with the ticket numbers 1 to 200', async () => {
    const desk = await newDesk();
    const members = await desk.join(10);
    const team = await desk.team('round-robin', members);
    await arrive(desk, team, 200);
    await settled(desk);

    const counts = await desk.openByMember();
    expect([...counts.keys()].toSorted()).toEqual(members.toSorted());
    expect([...counts.values()]).toEqual(Array(10).fill(20));
    const { rows } = await sql<{ numbers: number[] }>`
      select array_agg(ticket_number::integer order by ticket_number) as numbers from sessions where org_id = ${desk.org.id}
    `.execute(desk.db);
    expect(rows[0]?.numbers).toEqual(Array.from({ length: 200 }, (_, n) => n + 1));
    expect(await desk.joinsBySession()).toEqual(Array(200).fill(1));
  });

  it('never exceed the capacity of a member while others are closed', async () => {
    const desk = await newDesk({ member_capacity: 15 });
    const team = await desk.team('least-busy', await desk.join(10));
    let isOver = false;
    const watch = (async () => {
      let most = 0;
      while (!isOver) most = Math.max(most, ...(await desk.openByMember()).values());
      return most;
    })();
    const closing = (async () => {
      for (let n = 0; n < 20; n++) {
        const id = await desk.oneAssigned();
        if (id !== undefined) await desk.org.patch(`/chat/sessions/${id}`, { status: 'closed_resolved' });
      }
    })();
    await Promise.all([arrive(desk, team, 200), closing]);
    await settled(desk);
    isOver = true;
    expect(await watch).toBeLessThanOrEqual(15);
    expect(await desk.mostEver()).toBe(15);
    expect(new Set(await desk.joinsBySession())).toEqual(new Set([1]));
    expect([...(await desk.openByMember()).values()]).toEqual(Array(10).fill(15));
  });

  it('fill members of two teams up to one shared capacity', async () => {
    const desk = await newDesk({ member_capacity: 5 });
    const members = await desk.join(4);
    const teams = [await desk.team('least-busy', members), await desk.team('round-robin', members)] as const;
    await Promise.all([arrive(desk, teams[0], 30), arrive(desk, teams[1], 30)]);
    await settled(desk);
    expect([...(await desk.openByMember()).values()]).toEqual([5, 5, 5, 5]);
    expect(await desk.mostEver()).toBe(5);
  });
});

describe('a waiting session', () => {
  it.each(['closed_resolved', 'closed_unresolved'])(
    'is assigned once another one is %s, the longest waiting first',
    async (status) => {
      const desk = await newDesk({ member_capacity: 1 });
      const [member] = (await desk.join(1)) as [number];
      const [has, ...waiting] = await desk.come(await desk.team('least-busy', [member]), 4);
      const order: string[] = [];
      let current = has as string;
      for (let n = 0; n < 3; n++) {
        await quiet(desk);
        await close(desk, current, status);
        current = await eventually('the next', async () => {
          for (const id of waiting) if (!order.includes(id) && (await desk.assigneeOf(id)) !== null) return id;
          return undefined;
        });
        order.push(current);
      }
      expect(order).toEqual(waiting);
      expect(await desk.mostEver()).toBe(1);
      expect(await desk.eventsOf(current, 'human_agent_joined')).toEqual([
        { type: 'human_agent_joined', assignee_id: member },
      ]);
    },
  );

  it('is assigned once another session moves to another assignee, or to none', async () => {
    const desk = await newDesk({ member_capacity: 1 });
    const [member, boss] = (await desk.join(2)) as [number, number];
    const [one, two, three] = (await desk.come(await desk.team('round-robin', [member]), 3)) as [
      string,
      string,
      string,
    ];
    await quiet(desk);
    await desk.assign(one, { assignee_id: boss });
    expect(await given(desk, two)).toBe(member);
    await quiet(desk);
    await desk.assign(two, { assignee_id: null });
    expect(await given(desk, three)).toBe(member);
    expect(await desk.assigneeOf(two)).toBe(null);
  });

  it('is assigned once a member is available again, joins the team, or gets a higher capacity', async () => {
    const desk = await newDesk({ member_capacity: 1 });
    const [first, second] = (await desk.join(2)) as [number, number];
    await desk.setAvailable(first, false);
    const team = await desk.team('round-robin', [first]);
    const [one, two, three] = (await desk.come(team, 3)) as [string, string, string];
    await quiet(desk);
    await desk.setAvailable(first, true);
    expect(await given(desk, one)).toBe(first);
    await quiet(desk);
    await desk.org.post(`/teams/${team}/users`, { userId: second });
    expect(await given(desk, two)).toBe(second);
    await quiet(desk);
    await desk.org.patch('/org/settings', { member_capacity: 2 });
    expect([first, second]).toContain(await given(desk, three));
  });

  it('is assigned once the team turns on automatic assignment', async () => {
    const desk = await newDesk();
    const team = await desk.team('unassigned', await desk.join(2));
    const ids = await desk.come(team, 6);
    await desk.change(team, { support_assignment_strategy: 'round-robin' });
    for (const id of ids) await given(desk, id);
    expect([...(await desk.openByMember()).values()]).toEqual([3, 3]);
  });

  it('is assigned to another member once its assignee is removed from the org', async () => {
    const desk = await newDesk();
    const [stays, goes] = (await desk.join(2)) as [number, number];
    const team = await desk.team('round-robin', [stays, goes]);
    const ids = await desk.come(team, 4);
    expect((await desk.org.delete(`/members/${goes}`)).status).toBe(200);
    for (const id of ids) expect(await given(desk, id)).toBe(stays);
  });
});

describe('a queue of sessions outside of office hours', () => {
  it('is assigned within seconds once the office hours begin', async () => {
    const desk = await newDesk();
    const opensAt = Math.ceil(Date.now() / 1000) * 1000 + 6000;
    const hours = (
      await hoursOf(desk, [
        { day_of_week: 'everyday', start_time: timeOfDay(opensAt), end_time: timeOfDay(opensAt - 60_000) },
      ])
    ).body;
    const team = await desk.team('round-robin', await desk.join(2), { support_office_hours_id: hours.id });
    // The sessions arrive in the minute before opening, the only closed minute of the day.
    const ids = await desk.come(team, 5);
    expect(Date.now()).toBeLessThan(opensAt);
    expect(await Promise.all(ids.map(desk.assigneeOf))).toEqual([null, null, null, null, null]);
    for (const id of ids) await given(desk, id);
    expect(Date.now()).toBeGreaterThanOrEqual(opensAt);
    expect(Date.now()).toBeLessThan(opensAt + 5000);
  });

  it('is assigned once the office hours are changed to be open now', async () => {
    const desk = await newDesk();
    const hours = (
      await hoursOf(desk, [
        {
          day_of_week: 'everyday',
          start_time: timeOfDay(Date.now() - 7_200_000),
          end_time: timeOfDay(Date.now() - 3_600_000),
        },
      ])
    ).body;
    const team = await desk.team('least-busy', await desk.join(1), { support_office_hours_id: hours.id });
    const [id] = (await desk.come(team, 1)) as [string];
    expect(await desk.assigneeOf(id)).toBe(null);
    const [shift] = hours.shifts;
    const always = { ...shift, start_time: '00:00:00', end_time: '00:00:00' };
    const { name, iana_timezone } = hours;
    await desk.org.put(`/office-hours/${hours.id}`, { name, iana_timezone, shifts: [always] });
    await given(desk, id);
  });
});

describe('concurrent assignment', () => {
  it('gives no session to a member after the change to unavailable was answered', async () => {
    const desk = await newDesk();
    const [goes, stays] = (await desk.join(2)) as [number, number];
    const team = await desk.team('least-busy', [goes, stays]);
    const arriving = arrive(desk, team, 60);
    await desk.setAvailable(goes, false);
    const had = (await desk.openByMember()).get(goes) ?? 0;
    await arriving;
    await settled(desk);
    expect((await desk.openByMember()).get(goes) ?? 0).toBe(had);
  });

  it('assigns all of many sessions arriving and closing, and never exceeds a capacity', async () => {
    const desk = await newDesk({ member_capacity: 3 });
    const teams = [
      await desk.team('least-busy', await desk.join(4)),
      await desk.team('round-robin', await desk.join(3)),
    ] as const;
    const arriving = Promise.all(
      Array.from({ length: ARRIVALS_IN_FLIGHT }, async (_, first) => {
        for (let n = first; n < 100; n += ARRIVALS_IN_FLIGHT) {
          const id = await desk.session();
          await desk.assign(id, { team_id: teams[n % 2] as string });
        }
      }),
    );
    let isOver = false;
    let most = 0;
    const watching = (async () => {
      while (!isOver) most = Math.max(most, ...(await desk.openByMember()).values());
    })();
    for (let n = 0; n < 100; n++) {
      const id = await eventually('one to close', () => desk.oneAssigned());
      await close(desk, id);
    }
    await arriving;
    isOver = true;
    await watching;
    expect(most).toBe(3);
    expect(await desk.mostEver()).toBe(3);
    expect(await desk.joinsBySession()).toEqual(Array(100).fill(1));
  });

  it('survives arbitrary concurrent changes: no call fails, and no session keeps waiting while a member is free', async () => {
    const desk = await newDesk({ member_capacity: 3 });
    const members = await desk.join(6);
    const teams = [
      await desk.team('least-busy', members.slice(0, 4)),
      await desk.team('round-robin', members.slice(2)),
    ] as const;
    const sessions = await Promise.all(Array.from({ length: 40 }, desk.session));
    const any = <T>(of: readonly T[]): T => of[Math.floor(Math.random() * of.length)] as T;
    const onSession = (path: string, body: object) => desk.org.post(`/chat/sessions/${any(sessions)}${path}`, body);
    const acts = [
      () => onSession('/assign', { team_id: any(teams) }),
      () => onSession('/assign', { team_id: any(teams) }),
      () => onSession('/assign', { assignee_id: null }),
      () => onSession('/send', { sender: 'contact', message: { type: 'text', text: 'Hi' } }),
      () => onSession('/send', { sender: 'contact', message: { type: 'text', text: 'Hi' } }),
      () => close(desk, any(sessions)),
      () => close(desk, any(sessions), 'closed_unresolved'),
      () => desk.org.patch(`/members/${any(members.slice(1))}`, { available: Math.random() < 0.7 }),
      () => desk.org.patch('/org/settings', { member_capacity: any([2, 3, 4]) }),
      () => desk.org.post(`/teams/${any(teams)}/users`, { userId: any(members.slice(1, 5)) }),
      () => desk.org.delete(`/teams/${any(teams)}/users/${any(members.slice(1, 5))}`),
    ];
    const removed = members.at(-1) as number;
    const someone = async (n: number) => {
      const statuses: number[] = [];
      for (let i = 0; i < 40; i++) statuses.push((await any(acts)()).status);
      if (n === 0) statuses.push((await desk.org.delete(`/members/${removed}`)).status);
      return statuses;
    };
    const statuses = (await Promise.all(Array.from({ length: 12 }, (_, n) => someone(n)))).flat();
    expect(statuses.filter((status) => status >= 500)).toEqual([]);
    await settled(desk);
  });
});
