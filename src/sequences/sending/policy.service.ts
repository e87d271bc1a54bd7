import type { Expression, SqlBool } from 'kysely';
import { isBlockedContact } from '../../contacts/blocklist/service.ts';
import { compileFilter } from '../../contacts/filters/service.ts';
import type { Db } from '../../db/connect.ts';
import { readSettings } from '../../orgs/service.ts';
import type { SequenceRow } from '../definitions/shared.queries.ts';
import { type EffectiveGates, effectiveGates } from '../gates/rules.ts';
import type { StepAction } from '../steps/actions.schema.ts';
import { CHANNEL_OF } from '../steps/content.rules.ts';
import type { AddressRule, SendRule } from './eligibility.shared.queries.ts';

/** The conditions for all steps of a sequence when they are sent. */
export interface SendingPolicy {
  gates: EffectiveGates;
  /** SQL over a row called `contacts`: contacts not matching get nothing more. Null skips the check. */
  staysWhile: Expression<SqlBool> | null;
}

/**
 * Returns the present sending policy of a sequence: its gates, those of its org, and its filter if
 * `exit_when_unmatched` is set.
 */
export async function getSendingPolicy(db: Db, orgId: string, sequence: SequenceRow): Promise<SendingPolicy> {
  const gates = effectiveGates(sequence.gates, await readSettings(db, orgId));
  if (!gates.exitWhenUnmatched) return { gates, staysWhile: null };
  return { gates, staysWhile: await compileFilter(db, orgId, sequence.filter) };
}

/** Returns what of a step decides whether an address gets it. */
export const addressRuleOf = (action: StepAction): AddressRule => ({
  channel: CHANNEL_OF[action.type],
  isTransactional: action.type === 'send_emails' && action.data.email_is_transactional,
});

/**
 * Returns the properties of a step deciding its recipients. `missingSenderReason`: the reason for sending nothing at all, or
 * null.
 */
export function sendRuleOf(
  orgId: string,
  action: StepAction,
  { gates, staysWhile }: SendingPolicy,
  missingSenderReason: string | null,
): SendRule {
  return {
    ...addressRuleOf(action),
    missingSenderReason,
    isContactBlocked: isBlockedContact(orgId),
    exitsOnReply: gates.exitOnReply,
    staysWhile,
  };
}
