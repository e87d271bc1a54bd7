import { onlyReads } from '../../../actions/definitions/effects.rules.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { runCall } from '../../calls/running.service.ts';
import { listCallsOfSession, proposeCall } from '../../calls/service.ts';
import { decideConfirmation, findWaitingConfirmation, isWaitingForDecision } from '../../confirmations/service.ts';
import type { TurnContext } from '../context.service.ts';
import type { TurnRef } from '../contract.ts';
import type { TurnDeps } from '../deps.ts';
import { hasQuotedUntrusted, markEffects } from '../queries.ts';
import { lockAgainstRedaction, TurnRedacted } from '../redaction/guard.service.ts';
import { openSteps } from '../steps.service.ts';
import type { TurnEffects } from './effects.port.ts';
import { lockForEffect } from './effects-guard.service.ts';
import { reportCalls } from './reporting.service.ts';

/** Returns the effects of a session's turn: its decisions are stored, and its calls are made. */
export function liveEffects(
  deps: TurnDeps,
  ref: TurnRef,
  { session: { ai_context_seq: epoch }, unanswered }: Pick<TurnContext, 'session' | 'unanswered'>,
): TurnEffects {
  const { db } = deps;
  const { orgId, sessionId, turnId } = ref;
  return {
    billing: { sessionId, turnId },
    ledger: {
      list: () => listCallsOfSession(db, orgId, sessionId, epoch),
      propose: (proposal) =>
        inTransaction(db, async (trx) => {
          if (await lockAgainstRedaction(trx, ref)) throw new TurnRedacted();
          await lockForEffect(trx, ref);
          const proposed = await proposeCall(trx, { orgId, sessionId, turnId, epoch }, proposal);
          const isMadeNow = proposed.call !== undefined && proposed.call.state !== 'needs_confirmation';
          if (isMadeNow && !onlyReads(proposal.action)) await markEffects(trx, orgId, turnId);
          return proposed;
        }),
      run: (callId, signal) =>
        runCall(deps, { orgId, callId, lockForEffect: (trx) => lockForEffect(trx, ref) }, signal),
    },
    async findWaiting() {
      const [first] = unanswered;
      if (first === undefined) return undefined;
      const messageIds = unanswered.map((message) => message.id);
      return findWaitingConfirmation(db, orgId, { sessionId, firstSeq: first.seq, messageIds });
    },
    isWaiting: (callId) => isWaitingForDecision(db, orgId, callId),
    async decideWaiting(callId, decision) {
      const messageId = unanswered.at(-1)?.id;
      await inTransaction(db, async (trx) => {
        await lockForEffect(trx, ref);
        await decideConfirmation(trx, orgId, callId, { decision, by: 'message', messageId });
        if (decision === 'confirm') await markEffects(trx, orgId, turnId);
      });
    },
    reportCalls: (say, limits) => reportCalls(deps, ref, { ...limits, say }),
    hasQuotedUntrusted: () => hasQuotedUntrusted(db, orgId, sessionId, epoch),
    openSteps: (limit) => openSteps(db, ref, limit),
  };
}
