import type { Client } from '@temporalio/client';
import { isMisplaced, isTimeOf } from '../../automations/triggers/cron-times.ts';
import {
  type CronTrigger,
  listCronTriggers,
  scheduleOfWorkflow,
} from '../../automations/triggers/schedules.service.ts';
import type { Db } from '../../db/connect.ts';
import { listPostgresOffsets } from '../../db/time-zones.ts';
import { listTimeZonesOfOfficeHours } from '../../desk/office-hours/service.ts';
import { listTimeZonesOfOrgs } from '../../orgs/service.ts';
import { ianaNameOf } from '../../orgs/time-zone-names.rules.ts';
import { offsetMsAt } from '../../orgs/time-zones.rules.ts';
import { findNextTimes } from '../../temporal/schedules.ts';

const MONTHS_AHEAD = 24;

/** A zone in use for which Postgres or Temporal have other clocks than Node, and an instant at which they differ. */
export interface TimeZoneDifference {
  time_zone: string;
  differs_in: 'postgres' | 'temporal' | 'all';
  at: Date | null;
}

/**
 * Compares the time zone databases of Node, Postgres and Temporal for the zones of orgs, office hours and cron triggers.
 * They come from different packages, and governments change their clocks. Each zone is reported once a database.
 */
export async function findTimeZoneDifferences(db: Db, client: Client, now: Date): Promise<TimeZoneDifference[]> {
  const triggers = await listCronTriggers(db);
  const ofOrgs = await listTimeZonesOfOrgs(db);
  const ofHours = await listTimeZonesOfOfficeHours(db);
  const used = [...new Set([...triggers.map(({ timezone }) => timezone), ...ofOrgs, ...ofHours])];
  const known = used.filter((name) => ianaNameOf(name) !== undefined);
  const unknown = used.filter((name) => ianaNameOf(name) === undefined);
  return [
    ...unknown.map((time_zone) => ({ time_zone, differs_in: 'all' as const, at: null })),
    ...(await differencesInPostgres(db, known, now)),
    ...(await differencesInTemporal(client, triggers)),
  ];
}

async function differencesInPostgres(db: Db, zones: string[], now: Date): Promise<TimeZoneDifference[]> {
  const instants = Array.from({ length: MONTHS_AHEAD }, (_, months) => {
    const at = new Date(now);
    at.setUTCMonth(at.getUTCMonth() + months, 15);
    return at;
  });
  const offsets = await listPostgresOffsets(db, zones, instants);
  const differing = offsets.filter(({ time_zone, at, offset_ms }) => offset_ms !== offsetMsAt(at.getTime(), time_zone));
  return firstOfEach(differing.map(({ time_zone, at }) => ({ time_zone, differs_in: 'postgres' as const, at })));
}

async function differencesInTemporal(client: Client, triggers: CronTrigger[]): Promise<TimeZoneDifference[]> {
  const differences: TimeZoneDifference[] = [];
  for (const { orgId, automationId, ...times } of triggers) {
    if (ianaNameOf(times.timezone) === undefined) continue;
    const planned = await findNextTimes(client, scheduleOfWorkflow({ orgId, automationId }).scheduleId);
    const at = planned.find((time) => !isTimeOf(times, time) && !isMisplaced(times, time));
    if (at !== undefined) differences.push({ time_zone: times.timezone, differs_in: 'temporal', at });
  }
  return differences;
}

const firstOfEach = (differences: TimeZoneDifference[]): TimeZoneDifference[] =>
  [...Map.groupBy(differences, ({ time_zone }) => time_zone).values()].flatMap((ofZone) => ofZone.slice(0, 1));
