import { ApplicationFailure, Context } from '@temporalio/activity';
import type { Db } from '../../src/db/connect.ts';
import type { ExportProgress, ExportRef } from '../../src/exports/contract.ts';
import { type ExportDeps, writeExport } from '../../src/exports/writing.service.ts';
import type { MediaLinks } from '../../src/media/links.ts';

/** Each has a connection besides the pool (src/db/connections/pool-sizes.rules.ts). */
export const EXPORTS_AT_ONCE = 1;
const BUSY_RETRY = '5 seconds';

export interface ExportActivityDeps extends Omit<ExportDeps, 'links'> {
  db: Db;
  mediaLinks: MediaLinks;
  /** Aborted when the worker shuts down: another one begins the export again. */
  stopping: AbortSignal;
}

export type ExportActivities = ReturnType<typeof createExportActivities>;

export const createExportActivities = ({ mediaLinks, stopping, ...deps }: ExportActivityDeps) => {
  let running = 0;
  return {
    /**
     * Writes the file of an export. A second run begins again, and takes over from one that is still running. While the
     * worker writes others it is refused and tried again later: waiting here would take a place from other work.
     */
    async writeExport(ref: ExportRef): Promise<ExportProgress> {
      const { cancellationSignal } = Context.current();
      const assertMayContinue = () => {
        stopping.throwIfAborted();
        cancellationSignal.throwIfAborted();
      };
      if (running >= EXPORTS_AT_ONCE)
        throw ApplicationFailure.create({
          message: 'This worker writes another export',
          type: 'busy',
          nextRetryDelay: BUSY_RETRY,
        });
      running += 1;
      try {
        return await writeExport({ ...deps, links: mediaLinks }, ref, assertMayContinue);
      } finally {
        running -= 1;
      }
    },
  };
};
