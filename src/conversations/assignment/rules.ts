import type { StaffedTeam } from '../../desk/teams/staffing.service.ts';

/** The members available for sessions now, and the numbers of their open sessions. */
export interface AssignmentPool {
  teams: StaffedTeam[];
  /** Open sessions by member, over all teams. */
  open: ReadonlyMap<number, number>;
  /** The maximum number of open sessions of a member. Null: unlimited. */
  capacity: number | null;
}

export interface Assignment {
  session_id: string;
  team_id: string;
  user_id: number;
  /** The member's new turn in the team. */
  turn: number;
}

/** Returns whether a team assigns its sessions to members automatically. */
export const assignsAutomatically = ({ strategy }: StaffedTeam): boolean => strategy !== 'unassigned';

/** Returns whether the member works in the team now and has capacity for one more session. */
export const canBeAssigned = (desk: AssignmentPool, team: StaffedTeam, userId: number): boolean =>
  team.members.some(({ user_id }) => user_id === userId) && hasCapacity(desk, userId);

/** Returns the ids of the teams with an available member. */
export const teamsWithCapacity = (desk: AssignmentPool): string[] =>
  desk.teams
    .filter((team) => assignsAutomatically(team) && team.members.some(({ user_id }) => hasCapacity(desk, user_id)))
    .map(({ id }) => id);

/**
 * Assigns sessions to members in the given order. Round-robin picks the member with the oldest assignment in the team.
 * Least-busy picks the member with the fewest open sessions, then the oldest assignment. Sessions without an available
 * member are left out. Also returns the resulting pool.
 */
export function distribute(
  desk: AssignmentPool,
  waiting: { id: string; team_id: string }[],
): { given: Assignment[]; after: AssignmentPool } {
  const assignments: Assignment[] = [];
  const open = new Map(desk.open);
  const teams = new Map(desk.teams.map((team) => [team.id, { ...team, members: team.members.map((m) => ({ ...m })) }]));
  const now: AssignmentPool = { ...desk, open, teams: [...teams.values()] };
  for (const { id, team_id } of waiting) {
    const team = teams.get(team_id);
    const member = team && nextMember(now, team);
    if (team === undefined || member === undefined) continue;
    member.turn = ++team.last_turn;
    open.set(member.user_id, openSessionsOf(now, member.user_id) + 1);
    assignments.push({ session_id: id, team_id, user_id: member.user_id, turn: member.turn });
  }
  return { given: assignments, after: now };
}

function nextMember(desk: AssignmentPool, team: StaffedTeam) {
  if (!assignsAutomatically(team)) return undefined;
  const load = (userId: number) => (team.strategy === 'least-busy' ? openSessionsOf(desk, userId) : 0);
  return team.members
    .filter(({ user_id }) => hasCapacity(desk, user_id))
    .toSorted((a, b) => load(a.user_id) - load(b.user_id) || a.turn - b.turn || a.user_id - b.user_id)[0];
}

const openSessionsOf = ({ open }: AssignmentPool, userId: number): number => open.get(userId) ?? 0;

const hasCapacity = (desk: AssignmentPool, userId: number): boolean =>
  desk.capacity === null || openSessionsOf(desk, userId) < desk.capacity;
