import { getAutopilot } from '../autopilot/service.ts';
import type { Db } from '../db/connect.ts';
import { inTransaction } from '../db/transaction.ts';
import { findOfficeHoursStatus, lockOfficeHoursShared } from '../desk/office-hours/service.ts';
import { refused } from '../errors.ts';
import { ACCEPTED_MEDIA_TYPES, MAX_FILE_BYTES } from '../media/file-types.rules.ts';
import { readSettings } from '../orgs/service.ts';
import { findWidgetSettings, upsertWidgetSettings } from './settings.queries.ts';
import { WidgetSettings } from './settings.schema.ts';

/** Returns how the org's widget is set up: the defaults until it is. */
export async function getWidgetSettings(db: Db, orgId: string): Promise<WidgetSettings> {
  return WidgetSettings.parse((await findWidgetSettings(db, orgId)) ?? {});
}

/** Replaces the settings of the org's widget. Throws invalid for office hours that the org does not have. */
export function replaceWidgetSettings(db: Db, orgId: string, settings: WidgetSettings): Promise<WidgetSettings> {
  return inTransaction(db, async (trx) => {
    const { office_hours_id: hours } = settings;
    if (hours !== null && !(await lockOfficeHoursShared(trx, orgId, hours)))
      throw refused('office_hours_id', 'must be the id of office hours of the org: GET /office-hours lists them');
    await upsertWidgetSettings(trx, orgId, settings);
    return settings;
  });
}

/** Returns what a page shows before anybody writes. */
export async function readWidgetConfig(db: Db, orgId: string) {
  const { appearance, collect, ai, files, quick_replies, languages, office_hours_id } = await getWidgetSettings(
    db,
    orgId,
  );
  const { csat } = await readSettings(db, orgId);
  const isAnsweredByAi = (await getAutopilot(db, orgId)).versionOn('web') !== undefined;
  return {
    appearance,
    collect,
    hours: office_hours_id === null ? null : await readHours(db, orgId, office_hours_id),
    csat: csat === true,
    ai: isAnsweredByAi ? ai : null,
    files: files ? { types: ACCEPTED_MEDIA_TYPES, max_bytes: MAX_FILE_BYTES } : null,
    quick_replies,
    languages,
  };
}

/** Office hours that were deleted meanwhile close nothing. */
async function readHours(db: Db, orgId: string, id: string) {
  const status = await findOfficeHoursStatus(db, orgId, id, new Date());
  return status === undefined ? null : { open: status.open, next_open_at: status.open ? null : status.next_change_at };
}
