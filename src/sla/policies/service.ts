import { assertSavable } from '../../contacts/filters/service.ts';
import type { Db, Trx } from '../../db/connect.ts';
import { pageOf } from '../../db/cursor.ts';
import { inTransaction } from '../../db/transaction.ts';
import { lockOfficeHoursShared } from '../../desk/office-hours/service.ts';
import { lockTagsShared } from '../../desk/tags/service.ts';
import { conflict, type Issue, invalid, notFound, refused } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { announceSlaAssignmentsChanged } from '../assignment/service.ts';
import { announceSlaPolicyChanged } from '../clocks/waking.service.ts';
import type { CreateSlaPolicy, ListSlaPolicies, SlaAssignment, UpdateSlaPolicy } from './schema.ts';
import {
  countPolicies,
  deletePolicy,
  findPolicy,
  insertPolicy,
  listKnownTeams,
  listPolicies,
  lockPolicyCreation,
  setAssignment,
  updatePolicy,
} from './shared.queries.ts';

/** Each evaluation of a session reads every policy in turn. */
const MAX_POLICIES = 100;

/**
 * Creates a policy. It applies to no session until its assignment is set. Throws invalid for office hours unknown to
 * the org, and conflict if the org has the maximum number of policies.
 */
export function createPolicy(db: Db, orgId: string, policy: CreateSlaPolicy) {
  return inTransaction(db, async (trx) => {
    await assertOfficeHours(trx, orgId, policy.office_hours_id);
    await lockPolicyCreation(trx, orgId);
    if ((await countPolicies(trx, orgId)) >= MAX_POLICIES) {
      throw conflict(`An org has at most ${MAX_POLICIES} SLA policies: delete one that is not in use`);
    }
    return insertPolicy(trx, orgId, newId(), policy);
  });
}

export async function getPolicy(db: Db, orgId: string, id: string) {
  return foundOrThrow(await findPolicy(db, orgId, id));
}

/** Returns a page of the org's policies, oldest first. */
export const pageOfPolicies = (db: Db, orgId: string, query: ListSlaPolicies) =>
  pageOf(db, query, (page) => listPolicies(db, orgId, page));

/** Changes the given fields. The clocks of open sessions follow. Throws notFound, and the errors of createPolicy. */
export function changePolicy(db: Db, orgId: string, id: string, changes: UpdateSlaPolicy) {
  return inTransaction(db, async (trx) => {
    await assertOfficeHours(trx, orgId, changes.office_hours_id ?? null);
    const policy = foundOrThrow(await updatePolicy(trx, orgId, id, changes));
    await announceSlaPolicyChanged(trx, orgId, id);
    return policy;
  });
}

/**
 * Deletes a policy. Its sessions come under the next matching policy, or none. Outcomes decided under it still count.
 * Throws notFound.
 */
export function removePolicy(db: Db, orgId: string, id: string): Promise<void> {
  return inTransaction(db, async (trx) => {
    if (!(await deletePolicy(trx, orgId, id))) throw notFound('SLA policy');
    await announceSlaAssignmentsChanged(trx, orgId);
  });
}

/**
 * Sets the sessions covered by a policy. Open ones are evaluated again. Throws notFound, and invalid for teams, tags
 * and segments unknown to the org.
 */
export function assignPolicy(db: Db, orgId: string, id: string, assignment: SlaAssignment) {
  return inTransaction(db, async (trx) => {
    const issues = [
      ...(await unknownTeams(trx, orgId, assignment.teams ?? [])),
      ...(await unknownTags(trx, orgId, assignment.tags ?? [])),
    ];
    if (issues.length > 0) {
      throw invalid(
        issues
          .map(({ path, message }) => `${path}: ${message}`)
          .join('; ')
          .slice(0, 500),
        issues,
      );
    }
    await assertSavable(trx, orgId, assignment.filter, { path: 'body.filter' });
    const policy = foundOrThrow(await setAssignment(trx, orgId, id, assignment));
    await announceSlaAssignmentsChanged(trx, orgId);
    return policy;
  });
}

async function unknownTeams(trx: Trx, orgId: string, ids: string[]): Promise<Issue[]> {
  const known = new Set(ids.length === 0 ? [] : await listKnownTeams(trx, orgId, ids));
  return ids.flatMap((id, index) =>
    known.has(id) ? [] : [{ path: `body.teams.${index}`, message: 'must be the id of a team: GET /teams lists them' }],
  );
}

async function unknownTags(trx: Trx, orgId: string, names: string[]): Promise<Issue[]> {
  if (names.length === 0) return [];
  const { unknown } = await lockTagsShared(trx, orgId, names);
  return names.flatMap((name, index) =>
    unknown.includes(name) ? [{ path: `body.tags.${index}`, message: 'must be a tag: PUT /tags makes one' }] : [],
  );
}

/** Throws invalid for office hours unknown to the org. Existing ones cannot be deleted until the transaction ends. */
async function assertOfficeHours(trx: Trx, orgId: string, id: string | null): Promise<void> {
  if (id === null || (await lockOfficeHoursShared(trx, orgId, id))) return;
  throw refused('office_hours_id', 'must be the id of office hours of the org: GET /office-hours lists them');
}

function foundOrThrow<Row>(policy: Row | undefined): Row {
  if (policy === undefined) throw notFound('SLA policy');
  return policy;
}
