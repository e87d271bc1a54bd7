import { createReadStream } from 'node:fs';
import { insertImport } from '../../../src/contacts/imports/queries.ts';
import { continueImport, storeImport } from '../../../src/contacts/imports/service.ts';
import { connect } from '../../../src/db/connect.ts';
import { inTransaction } from '../../../src/db/transaction.ts';
import { keepObject } from '../../../src/media/service.ts';
import { spool } from '../../../src/media/spool.ts';
import { createFileStorage } from '../../../src/providers/storage/file-system.ts';
import { SYSTEM } from '../../../src/schemas/actor.ts';
import { serve } from '../processes.ts';

// Imports files as an activity of the worker does, without Temporal.
const { DATABASE_URL = '', STORAGE_FOLDER = '' } = process.env;
const { db } = connect(DATABASE_URL, { poolSize: 4 });
const storage = createFileStorage(STORAGE_FOLDER);

serve({
  /** Imports a file. Returns how long it took once the file was in storage. */
  async run({ orgId, file }: { orgId: string; file: string }) {
    const bytes = await spool(createReadStream(file), 1024 ** 3);
    const added = await storeImport(db, storage, orgId, { file: bytes, options: { update: true } });
    await bytes.remove();
    await inTransaction(db, async (trx) => {
      await keepObject(trx, orgId, added.id);
      await insertImport(trx, orgId, added, SYSTEM);
    });
    const began = performance.now();
    const pace = { mayContinue: () => true, attempt: 1 };
    const { refused } = await continueImport({ db, storage }, { orgId, importId: added.id }, pace);
    if (refused > 0) throw new Error(`${refused} lines were refused`);
    return performance.now() - began;
  },
});
