import { batchByKey } from '../../../../concurrency/batch-by-key.ts';
import type { Trx } from '../../../../db/connect.ts';
import { hasFastPaths } from '../../../../db/fast-paths.ts';
import { limitLockWaits } from '../../../../db/locks.ts';
import { inTransaction } from '../../../../db/transaction.ts';
import { runAsOwner } from '../../../../processes/current-work.ts';
import { applyEmail } from '../applying.service.ts';
import type { ReceivedMail } from '../service.ts';
import { applyFirstMails, isFirstMail, withWords } from './first-mails.service.ts';
import { insertProcessedEmails } from './queries.ts';
import { type InlineMailDeps, type JudgedMail, judgeMails, type ReadMail, readInTime } from './reading.service.ts';

const LIMITS = { maxConcurrent: 1, maxBatchSize: 50, maxWaiting: 500 };
/** A mail that meets a lock goes to its workflow: all that come behind it wait too. */
const LOCK_WAIT_MS = 300;

/**
 * Returns a function that processes an e-mail while its sender waits for the confirmation, so without storing it first and
 * without its workflow. It resolves to false if the e-mail needs those: it goes to several recipients or is a bounce, it is
 * large, it may have files, it is not read at once or as a whole, an earlier one of its sender waits, or something fails.
 * Storing it repeats nothing then.
 */
export function createInlineReceiver(deps: InlineMailDeps): (mail: ReceivedMail) => Promise<boolean> {
  const process = batchByKey(LIMITS, (orgId, mails: ReadMail[]) =>
    runAsOwner(orgId, () => processMails(deps, orgId, mails)),
  );
  return async (received) => {
    const [{ mailbox: { orgId } = {} } = {}] = received.recipients;
    if (orgId === undefined || !hasFastPaths(deps.db)) return false;
    try {
      const mail = await readInTime(deps, orgId, received);
      return mail !== undefined && (await process(orgId, mail));
    } catch (error) {
      deps.log.warn({ err: error }, 'an e-mail could not be processed at once; its workflow does it');
      return false;
    }
  };
}

/**
 * Processes e-mails of an org. Those that open sessions go together in one transaction. The others go one by one, and so do
 * those if the common transaction fails. Returns for each whether it was processed.
 */
async function processMails(deps: InlineMailDeps, orgId: string, mails: ReadMail[]): Promise<boolean[]> {
  const judged = await judgeMails(deps, orgId, mails);
  const done = new Set<string>();
  const settle = async (some: JudgedMail[], apply: (trx: Trx) => Promise<void>): Promise<void> => {
    try {
      await inTransaction(deps.db, async (trx) => {
        await limitLockWaits(trx, LOCK_WAIT_MS);
        await apply(trx);
      });
      for (const { id } of some) done.add(id);
    } catch (error) {
      deps.log.warn({ err: error, mails: some.length }, 'e-mails could not be processed at once');
    }
  };
  const first = await Promise.all(judged.filter(isFirstMail).map(withWords));
  if (first.length > 0) await settle(first, (trx) => applyFirstMails(trx, orgId, first));
  for (const mail of judged)
    if (!done.has(mail.id) && mail.verdict.result !== 'unreadable')
      await settle([mail], (trx) => applyAlone(trx, orgId, mail));
  return mails.map(({ id }) => done.has(id));
}

async function applyAlone(trx: Trx, orgId: string, { verdict, authenticity, ...email }: JudgedMail): Promise<void> {
  const stored = await insertProcessedEmails(trx, orgId, [{ ...email, result: verdict.result }]);
  if (stored.length === 0) return;
  const read = { ...email, ...authenticity, contact_id: null, received: { media: [], missing: [], late: [] } };
  await applyEmail(trx, orgId, read, verdict);
}
