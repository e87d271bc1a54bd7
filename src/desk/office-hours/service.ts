import type { Db } from '../../db/connect.ts';
import { pageOf } from '../../db/cursor.ts';
import { inTransaction } from '../../db/transaction.ts';
import { conflict, invalid, notFound } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { announce } from '../../outbox/announcing.ts';
import { businessCalendar, isOpen, nextChange } from './business-time.rules.ts';
import {
  deleteOfficeHours,
  findOfficeHours,
  insertOfficeHours,
  listOfficeHours,
  listPolicyNames,
  listTeamNames,
  lockOfficeHours,
  updateOfficeHours,
} from './queries.ts';
import type { CreateOfficeHours, ListOfficeHours, Shift, ShiftFields, UpdateOfficeHours } from './schema.ts';

export { listZones as listTimeZonesOfOfficeHours, lockOfficeHoursShared } from './queries.ts';

const MAX_LISTED_NAMES = 5;

/** Creates office hours, with an id for every shift. */
export function createOfficeHours(db: Db, orgId: string, { shifts, ...rest }: CreateOfficeHours) {
  return insertOfficeHours(db, orgId, newId(), { ...rest, shifts: shifts.map(withId) });
}

const withId = (shift: ShiftFields): Shift => ({ ...shift, id: newId() });

export async function getOfficeHours(db: Db, orgId: string, id: string) {
  return foundOrThrow(await findOfficeHours(db, orgId, id));
}

/** Returns whether the office hours are open at `at`, and the next change. Throws notFound. */
export async function getOfficeHoursStatus(db: Db, orgId: string, id: string, at: Date) {
  return foundOrThrow(await findOfficeHoursStatus(db, orgId, id, at));
}

/** Returns whether the office hours are open at `at`, and the next change. Undefined if there are none with this id. */
export async function findOfficeHoursStatus(db: Db, orgId: string, id: string, at: Date) {
  const found = await findOfficeHours(db, orgId, id);
  if (found === undefined) return undefined;
  const calendar = businessCalendar(found);
  return { open: isOpen(calendar, at), next_change_at: nextChange(calendar, at) };
}

/**
 * Replaces everything except the ids and, if absent, the holidays. Throws notFound, and invalid for a shift unknown to
 * these office hours.
 */
export function replaceOfficeHours(
  db: Db,
  orgId: string,
  id: string,
  { name, iana_timezone, shifts: kept, new_shifts, holidays }: UpdateOfficeHours,
): Promise<void> {
  return inTransaction(db, async (trx) => {
    const officeHours = foundOrThrow(await lockOfficeHours(trx, orgId, id));
    assertKnownShifts(officeHours.shifts, kept);
    const shifts = [...kept, ...new_shifts.map(withId)];
    await updateOfficeHours(trx, orgId, id, { name, iana_timezone, shifts, holidays });
    await announce(trx, orgId, [{ type: 'office-hours-changed', subject_id: id, payload: {} }]);
    await announce(trx, orgId, [{ type: 'staffing-changed', subject_id: orgId, payload: {} }]);
  });
}

/** Deletes office hours. Throws notFound, and conflict while a team or an SLA policy uses them. */
export function removeOfficeHours(db: Db, orgId: string, id: string): Promise<void> {
  return inTransaction(db, async (trx) => {
    foundOrThrow(await lockOfficeHours(trx, orgId, id));
    const teams = await listTeamNames(trx, orgId, id, MAX_LISTED_NAMES + 1);
    if (teams.length > 0)
      throw conflict(`Used as support_office_hours_id by ${nameListOf('team', teams)}: change that first`);
    const policies = await listPolicyNames(trx, orgId, id, MAX_LISTED_NAMES + 1);
    if (policies.length > 0) {
      throw conflict(`Used as office_hours_id by ${nameListOf('SLA policy', policies)}: change that first`);
    }
    await deleteOfficeHours(trx, orgId, id);
  });
}

/** Returns a page of the org's office hours, oldest first. */
export const pageOfOfficeHours = (db: Db, orgId: string, query: ListOfficeHours) =>
  pageOf(db, query, (page) => listOfficeHours(db, orgId, page));

function foundOrThrow<Row>(officeHours: Row | undefined): Row {
  if (officeHours === undefined) throw notFound('office hours');
  return officeHours;
}

function assertKnownShifts(known: Shift[], shifts: Shift[]): void {
  const ids = new Set(known.map(({ id }) => id));
  const issues = shifts.flatMap(({ id }, index) =>
    ids.has(id)
      ? []
      : [{ path: `body.shifts.${index}.id`, message: 'must be the id of a shift that these office hours have' }],
  );
  if (issues.length === 0) return;
  const summary = issues.map(({ path, message }) => `${path}: ${message}`).join('; ');
  throw invalid(`The request is not valid: ${summary.slice(0, 500)}`, issues);
}

const nameListOf = (kind: string, all: string[]): string => {
  const names = all.slice(0, MAX_LISTED_NAMES).map((name) => JSON.stringify(name));
  return `${kind} ${names.join(', ')}${all.length > MAX_LISTED_NAMES ? ' and others' : ''}`;
};
