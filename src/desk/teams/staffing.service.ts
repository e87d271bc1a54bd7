import type { Trx } from '../../db/connect.ts';
import { businessCalendar, isOpen, nextChange } from '../office-hours/business-time.rules.ts';
import type { AssignmentStrategy } from './schema.ts';
import { lockAvailableMembers, lockSupportTeams, type OnLockedMember } from './staffing.queries.ts';

export { isAutoAssigning, isInTeam, updateTurns } from './staffing.queries.ts';

/** A team with the members available for sessions now. */
export interface StaffedTeam {
  id: string;
  strategy: AssignmentStrategy;
  /** Empty outside of the team's office hours. */
  members: { user_id: number; turn: number }[];
  last_turn: number;
  /** Time until the office hours begin. Null while they last, or if they do not begin within 400 days. */
  opens_in_ms: number | null;
}

/**
 * Returns those of the teams with support enabled, with their available members. The members stay available until the
 * transaction ends.
 */
export async function lockStaffing(
  trx: Trx,
  orgId: string,
  teamIds: string[],
  onChange: OnLockedMember,
): Promise<StaffedTeam[]> {
  const teams = (await lockSupportTeams(trx, orgId, teamIds)).map((team) => ({ ...team, ...openStateOf(team) }));
  const open = teams.filter(({ is_open }) => is_open).map(({ id }) => id);
  const members = open.length === 0 ? [] : await lockAvailableMembers(trx, orgId, open, onChange);
  return teams.map(({ id, strategy, last_turn, opens_in_ms }) => ({
    id,
    strategy,
    last_turn,
    opens_in_ms,
    members: members.filter(({ team_id }) => team_id === id).map(({ user_id, turn }) => ({ user_id, turn })),
  }));
}

type SupportTeam = Awaited<ReturnType<typeof lockSupportTeams>>[number];

function openStateOf({ iana_timezone, shifts, holidays, at }: SupportTeam): {
  is_open: boolean;
  opens_in_ms: number | null;
} {
  if (iana_timezone === null || shifts === null || holidays === null) return { is_open: true, opens_in_ms: null };
  const calendar = businessCalendar({ iana_timezone, shifts, holidays });
  if (isOpen(calendar, at)) return { is_open: true, opens_in_ms: null };
  const opensAt = nextChange(calendar, at);
  return { is_open: false, opens_in_ms: opensAt === null ? null : opensAt.getTime() - at.getTime() };
}
