import type { Expression, SqlBool } from 'kysely';
import { blockedEmail } from '../../contacts/blocklist/service.ts';
import { contactFilter } from '../../contacts/filters/condition.ts';
import type { CompositeFilter } from '../../contacts/filters/schema.ts';
import type { Db } from '../../db/connect.ts';
import { readSettings } from '../../orgs/service.ts';
import type { SendRule } from '../eligibility.queries.ts';
import { type EffectiveGates, effectiveGates } from '../gates/rules.ts';
import type { SequenceRow } from '../queries.ts';
import type { StepAction } from '../steps/actions.schema.ts';
import { CHANNEL_OF } from '../steps/content.rules.ts';

/** What holds for all steps of a sequence as they are sent. */
export interface SendingPolicy {
  gates: EffectiveGates;
  /** SQL about a row called `contacts`: whoever does not match gets nothing more. Null: nobody is asked. */
  staysWhile: Expression<SqlBool> | null;
}

/** What holds for a sequence now: its gates and its org's, and its filter where that is asked again. */
export async function getSendingPolicy(db: Db, orgId: string, sequence: SequenceRow): Promise<SendingPolicy> {
  const gates = effectiveGates(sequence.gates, await readSettings(db, orgId));
  if (!gates.exitWhenUnmatched) return { gates, staysWhile: null };
  return { gates, staysWhile: await contactFilter(db, orgId, sequence.filter as CompositeFilter | null) };
}

/** What of a step decides who gets it. `blockedReason`: why nothing can be sent at all, or null. */
export function sendRuleOf(
  orgId: string,
  action: StepAction,
  { gates, staysWhile }: SendingPolicy,
  blockedReason: string | null,
): SendRule {
  return {
    channel: CHANNEL_OF[action.type],
    isTransactional: action.type === 'send_emails' && action.data.email_is_transactional,
    blockedReason,
    isBlocked: blockedEmail(orgId, 'contact.email'),
    exitsOnReply: gates.exitOnReply,
    staysWhile,
  };
}
