import { Context } from '@temporalio/activity';
import type { Db } from '../../src/db/connect.ts';
import type { Extractor } from '../../src/extraction/service.ts';
import type { ImportProgress, ImportRef } from '../../src/imports/contract.ts';
import { continueImport } from '../../src/imports/running.service.ts';
import type { Storage } from '../../src/providers/storage/port.ts';

const MAX_RUN_MS = 60_000;

export interface ImportActivityDeps {
  db: Db;
  storage: Storage;
  publicUrl: string;
  crawling: { extractor: Pick<Extractor, 'extract'> };
  /** Aborted when the worker shuts down: an import then ends after its transaction. */
  stopping: AbortSignal;
}

export type ImportActivities = ReturnType<typeof createImportActivities>;

export const createImportActivities = ({ db, storage, publicUrl, crawling, stopping }: ImportActivityDeps) => ({
  /** Imports some records of a file. A second run continues behind the last one that was committed. */
  async continueRecordImport(ref: ImportRef): Promise<ImportProgress> {
    const endAt = performance.now() + MAX_RUN_MS;
    const isStopped = () => {
      Context.current().heartbeat();
      return stopping.aborted || Context.current().cancellationSignal.aborted;
    };
    const mayContinue = () => !isStopped() && performance.now() < endAt;
    const { attempt } = Context.current().info;
    const deps = { db, storage, publicUrl, extractor: crawling.extractor };
    return continueImport(deps, ref, { mayContinue, isStopped, attempt });
  },
});
