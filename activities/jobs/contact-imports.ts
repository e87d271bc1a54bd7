import { Context } from '@temporalio/activity';
import type { ContactImportProgress, ContactImportRef } from '../../src/contacts/imports/contract.ts';
import { continueImport } from '../../src/contacts/imports/service.ts';
import type { Db } from '../../src/db/connect.ts';
import type { Storage } from '../../src/providers/storage/port.ts';

const MAX_RUN_MS = 60_000;

export interface ContactImportActivityDeps {
  db: Db;
  storage: Storage;
  /** Aborted when the worker shuts down: an import then ends after its transaction. */
  stopping: AbortSignal;
}

export type ContactImportActivities = ReturnType<typeof createContactImportActivities>;

export const createContactImportActivities = ({ db, storage, stopping }: ContactImportActivityDeps) => ({
  /** Imports some lines of a file. A second run continues behind the last line that was committed. */
  async continueContactImport(ref: ContactImportRef): Promise<ContactImportProgress> {
    const endAt = performance.now() + MAX_RUN_MS;
    const mayContinue = () => {
      Context.current().heartbeat();
      return performance.now() < endAt && !stopping.aborted && !Context.current().cancellationSignal.aborted;
    };
    return continueImport({ db, storage }, ref, { mayContinue, attempt: Context.current().info.attempt });
  },
});
