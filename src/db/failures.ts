import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf } from '../errors.ts';

const NETWORK = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH']);
const DRIVER =
  /Connection terminated|timeout exceeded when trying to connect|^timeout expired$|^Query read timeout$|Client has encountered a connection error|Cannot use a pool after calling end/i;

/** Whether the database could not be reached or ended the connection, so that a later retry may succeed. */
export function isDatabaseUnavailable(error: unknown): boolean {
  const code = codeOf(error) ?? '';
  if (NETWORK.has(code) || /^(08|57P0[1-3]|53|40001|40P01|25P03)/.test(code)) return true;
  return error instanceof Error && DRIVER.test(error.message);
}

const OUTAGE_MS = 15_000;
const OUTAGE_RETRY_MS = 500;

/** Does work that can be repeated, again and again while the database is unavailable, for 15 s. */
export async function despiteOutage<Result>(work: () => Promise<Result>): Promise<Result> {
  for (const giveUpAt = performance.now() + OUTAGE_MS; ; await sleep(OUTAGE_RETRY_MS)) {
    try {
      return await work();
    } catch (error) {
      if (!isDatabaseUnavailable(error) || performance.now() > giveUpAt) throw error;
    }
  }
}

/** Whether Postgres ended the transaction to resolve a deadlock. A retry of the same transaction may succeed. */
export const isDeadlock = (error: unknown): boolean => codeOf(error) === '40P01';

/** Whether a prepared statement returns other columns by now. It was not executed, and can be prepared again. */
export const isStalePlan = (error: unknown): boolean =>
  codeOf(error) === '0A000' &&
  error instanceof Error &&
  'routine' in error &&
  error.routine === 'RevalidateCachedQuery';

/** Whether a statement exceeded its time limit. A retry would exceed it too. */
export const isStatementTimeout = (error: unknown): boolean => codeOf(error) === '57014';

/** Whether a lock could not be acquired within its time limit. */
export const isLockTimeout = (error: unknown): boolean => codeOf(error) === '55P03';

/**
 * Whether Postgres itself refused a value (SQLSTATE class 22). The value came from the caller, through a gap in
 * validation.
 */
export const isDataException = (error: unknown): boolean => /^22[0-9A-Z]{3}$/.test(codeOf(error) ?? '');

/** Whether Postgres cannot store a value, because of its content or its size (SQLSTATE class 54). A retry fails too. */
export const isUnstorable = (error: unknown): boolean =>
  isDataException(error) || /^54[0-9A-Z]{3}$/.test(codeOf(error) ?? '');

/** Returns the unique constraint violated by an insert or update, or undefined for any other error. */
export const violatedUnique = (error: unknown): string | undefined =>
  codeOf(error) === '23505' ? constraintOf(error) : undefined;

function constraintOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('constraint' in error)) return undefined;
  return typeof error.constraint === 'string' ? error.constraint : undefined;
}

/**
 * Whether a row refers to a contact that another transaction has removed meanwhile, as a merge does, or a contact has what
 * identified a merged one. A retry of the transaction finds what the contact is now, or that there is none.
 */
export const isContactGone = (error: unknown): boolean =>
  violatedUnique(error) === 'contacts_merged_key' ||
  (codeOf(error) === '23503' && constraintOf(error)?.endsWith('_contact_id_fkey') === true);
