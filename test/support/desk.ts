import { sql } from 'kysely';
import type { Db } from '../../src/db/connect.ts';
import { addMember } from '../../src/orgs/members/service.ts';
import type { TestOrg } from './stack/api.ts';

export type Desk = ReturnType<typeof createDesk>;

type Strategy = 'least-busy' | 'round-robin' | 'unassigned';

/** An org's teams, members and sessions, as tests of the desk make and look at them. */
export function createDesk({ db }: { db: Db }, org: TestOrg) {
  const shapes = new Map<string, object>();
  const done = async <T extends { status: number; body: unknown }>(answer: Promise<T>): Promise<T> => {
    const { status, body } = await answer;
    if (status >= 300) throw new Error(`${status}: ${JSON.stringify(body)}`);
    return answer;
  };

  const session = async (): Promise<string> => (await done(org.post('/chat/sessions', {}))).body.id;
  const assigneeOf = async (id: string): Promise<number | null> =>
    (await done(org.get(`/chat/sessions/${id}`))).body.assignee_id;
  const assign = async (id: string, body: object) => {
    await done(org.post(`/chat/sessions/${id}/assign`, body));
    return assigneeOf(id);
  };

  /** Sessions that come to the team one after the other. */
  const come = async (teamId: string, count: number): Promise<string[]> => {
    const ids: string[] = [];
    for (let n = 0; n < count; n++) {
      const id = await session();
      await assign(id, { team_id: teamId });
      ids.push(id);
    }
    return ids;
  };

  return {
    db,
    org,
    session,
    assigneeOf,
    assign,
    come,
    /** The same, and whose they are then. */
    comeOneByOne: async (teamId: string, count: number) => Promise.all((await come(teamId, count)).map(assigneeOf)),
    /** New members of the org, in the order of their ids. */
    async join(count: number): Promise<number[]> {
      const ids: number[] = [];
      for (let n = 0; n < count; n++)
        ids.push(await addMember(db, org.id, { email: `${crypto.randomUUID()}@example.com` }));
      return ids;
    },
    async team(strategy: Strategy, members: number[], more: object = {}): Promise<string> {
      const shape = { name: 'Support', is_support_enabled: true, support_assignment_strategy: strategy, ...more };
      const { id } = (await done(org.post('/teams', shape))).body;
      for (const userId of members) await done(org.post(`/teams/${id}/users`, { userId }));
      shapes.set(id, shape);
      return id;
    },
    change: (teamId: string, change: object) => done(org.put(`/teams/${teamId}`, { ...shapes.get(teamId), ...change })),
    setAvailable: (member: number, available: boolean) => done(org.patch(`/members/${member}`, { available })),
    async eventsOf(id: string, type: string): Promise<object[]> {
      const { items } = (await done(org.get(`/chat/sessions/${id}/history`))).body;
      return items
        .map(({ event }: { event: { type: string } }) => event)
        .filter((event: { type: string }) => event.type === type);
    },
    async openByMember(): Promise<Map<number, number>> {
      const { rows } = await sql<{ assignee_id: number; count: number }>`
        select assignee_id, count(*) from sessions
        where org_id = ${org.id} and status = 'open' and assignee_id is not null group by assignee_id order by assignee_id
      `.execute(db);
      return new Map(rows.map(({ assignee_id, count }) => [assignee_id, count]));
    },
    async oneAssigned(): Promise<string | undefined> {
      const { rows } = await sql<{ id: string }>`
        select id from sessions where org_id = ${org.id} and status = 'open' and assignee_id is not null order by random() limit 1
      `.execute(db);
      return rows[0]?.id;
    },
    /** How many sessions wait in a queue of a team that has an available member with room. */
    async waitingInVain(): Promise<number> {
      const { member_capacity } = (await done(org.get('/org/settings'))).body;
      const { rows } = await sql<{ count: number }>`
        select count(*) from sessions as session
        where session.org_id = ${org.id} and session.status = 'open' and session.assignee_id is null and session.queued_at is not null
          and exists (
            select from team_members as belonging join members as member using (org_id, user_id)
            where belonging.org_id = session.org_id and belonging.team_id = session.team_id and member.is_available
              and (${member_capacity}::integer is null or (select count(*) from sessions as own
                where own.org_id = session.org_id and own.assignee_id = member.user_id and own.status = 'open') < ${member_capacity}::integer)
          )
      `.execute(db);
      return rows[0]?.count ?? 0;
    },
    /** How often each session that was ever somebody's got an assignee. */
    async joinsBySession(): Promise<number[]> {
      const { rows } = await sql<{ count: number }>`
        select count(*) from session_events where org_id = ${org.id} and type = 'human_agent_joined' group by session_id
      `.execute(db);
      return rows.map(({ count }) => count);
    },
    /**
     * The most open sessions that a member had at any time, as the history has it, where none was reassigned or opened
     * again.
     */
    async mostEver(): Promise<number> {
      const { rows } = await sql<{ most: number }>`
        with given as (
          select session_id, id, (data->>'assignee_id')::bigint as user_id, 1 as change from session_events
          where org_id = ${org.id} and type = 'human_agent_joined'
        ), closed as (
          select event.session_id, event.id, given.user_id, -1 as change from session_events as event
          join given on given.session_id = event.session_id
          where event.org_id = ${org.id} and event.type = 'status_changed' and event.data->>'to' <> 'open'
        ), running as (
          select sum(change) over (partition by user_id order by id) as load from (select * from given union all select * from closed) as changes
        )
        select max(load)::integer as most from running
      `.execute(db);
      return rows[0]?.most ?? 0;
    },
  };
}
