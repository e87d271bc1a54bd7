import { Context } from '@temporalio/activity';
import { limited } from '../../src/concurrency/limited.ts';
import type { Db } from '../../src/db/connect.ts';
import type { ExportProgress, ExportRef } from '../../src/exports/contract.ts';
import { type ExportDeps, writeExport } from '../../src/exports/writing.service.ts';
import type { MediaLinks } from '../../src/media/links.ts';

/** Each has a connection besides the pool (src/db/connections/pool-sizes.rules.ts). Others wait. */
export const EXPORTS_AT_ONCE = 1;

export interface ExportActivityDeps extends Omit<ExportDeps, 'links'> {
  db: Db;
  mediaLinks: MediaLinks;
  /** Aborted when the worker shuts down: another one begins the export again. */
  stopping: AbortSignal;
}

export type ExportActivities = ReturnType<typeof createExportActivities>;

export const createExportActivities = ({ mediaLinks, stopping, ...deps }: ExportActivityDeps) => {
  const inTurn = limited(EXPORTS_AT_ONCE);
  return {
    /** Writes the file of an export. A second run begins again, and takes over from one that is still running. */
    async writeExport(ref: ExportRef): Promise<ExportProgress> {
      const { cancellationSignal } = Context.current();
      const assertMayContinue = () => {
        stopping.throwIfAborted();
        cancellationSignal.throwIfAborted();
      };
      return inTurn(() => writeExport({ ...deps, links: mediaLinks }, ref, assertMayContinue));
    },
  };
};
