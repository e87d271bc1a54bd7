const NETWORK = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH']);
const DRIVER =
  /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Cannot use a pool after calling end/i;

const codeOf = (error: unknown): string => {
  if (typeof error !== 'object' || error === null || !('code' in error)) return '';
  return String(error.code);
};

/** Whether the database could not be reached or ended the connection: trying again later helps. */
export function isDatabaseAway(error: unknown): boolean {
  const code = codeOf(error);
  if (NETWORK.has(code) || /^(08|57P0[1-3]|53|40001|40P01|25P03)/.test(code)) return true;
  return error instanceof Error && DRIVER.test(error.message);
}

/** Whether Postgres ended the transaction so that another could go on: the same one may go through now. */
export const isDeadlock = (error: unknown): boolean => codeOf(error) === '40P01';

/** Whether a statement took longer than it may: the same one would again. */
export const isTooSlow = (error: unknown): boolean => codeOf(error) === '57014';

/** Whether a lock was not to be had within the time that was set for it. */
export const isLockTaken = (error: unknown): boolean => codeOf(error) === '55P03';

/** Whether Postgres refused a value itself (SQLSTATE class 22): a hole in validation, and the caller's value. */
export const isDataException = (error: unknown): boolean => /^22[0-9A-Z]{3}$/.test(codeOf(error));

/** The unique constraint that an insert or update violated, if that is what the error says. */
export function violatedUnique(error: unknown): string | undefined {
  if (codeOf(error) !== '23505') return undefined;
  return (error as { constraint?: string }).constraint;
}
