import { type Command, signalWithStart } from '../../outbox/outbox.ts';
import { WAKE } from '../../temporal/contract.ts';
import { crawlScheduleIdOf, type DatasourceRef, DELETE_DATASOURCE } from '../contract.ts';

export { syncCrawlSchedule } from './service.ts';
export { listDeletedDatasources, listScheduledDatasources } from './shared.queries.ts';

/** Returns the id of the Schedule of a datasource, and the datasource as its subject. */
export const scheduleOfDatasource = (ref: DatasourceRef) => ({
  scheduleId: crawlScheduleIdOf(ref),
  subjectId: ref.datasourceId,
});

/** Returns the command to continue the deletion of a datasource. */
export const continueDatasourceDeletion = (ref: DatasourceRef): Command =>
  signalWithStart(DELETE_DATASOURCE, ref, WAKE, {
    subjectId: ref.datasourceId,
    summary: 'Delete a datasource (repaired)',
  });
