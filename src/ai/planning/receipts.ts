import { onlyReads } from '../../actions/definitions/effects.rules.ts';
import { readActionsById } from '../../actions/definitions/service.ts';
import type { Db } from '../../db/connect.ts';
import type { Receipt } from '../answers/validation.rules.ts';
import type { LedgerCall } from '../calls/ledger.port.ts';

const MAX_RECEIPT_CHARACTERS = 4_000;
const HIDDEN = '***';

/**
 * Returns the ids of those calls that have changed something. A workflow counts as a change, and an action no longer
 * known as a read.
 */
export async function effectsAmong(
  db: Db,
  orgId: string,
  calls: Pick<LedgerCall, 'id' | 'action_id'>[],
): Promise<ReadonlySet<string>> {
  if (calls.length === 0) return new Set();
  const ids = calls.map(({ action_id }) => action_id).filter((id) => id !== null);
  const actions = await readActionsById(db, orgId, [...new Set(ids)]);
  const changing = new Set(actions.filter((action) => !onlyReads(action)).map(({ id }) => id));
  return new Set(calls.filter(({ action_id: id }) => id === null || changing.has(id)).map(({ id }) => id));
}

/**
 * Returns a done call as a receipt. Its answer is cut: a model needs the beginning. Secret values repeated by the
 * answer are taken out first.
 */
export const receiptOf = (
  { id, operation_id, arguments: args, status, response }: LedgerCall,
  { isEffect, secrets }: { isEffect: boolean; secrets: readonly string[] },
): Receipt => ({
  id,
  isEffect,
  text: withoutSecrets(JSON.stringify({ action: operation_id, arguments: args, status, answer: response }), secrets)
    .slice(0, MAX_RECEIPT_CHARACTERS)
    .toWellFormed(),
});

/** Takes secret values out of JSON, also in the spellings used by servers to repeat them. */
function withoutSecrets(json: string, secrets: readonly string[]): string {
  const spellings = secrets.flatMap((secret) => [
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    Buffer.from(secret).toString('base64'),
  ]);
  return spellings
    .toSorted((one, other) => other.length - one.length)
    .reduce((text, spelling) => text.replaceAll(spelling, HIDDEN), json);
}
