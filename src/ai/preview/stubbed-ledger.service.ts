import { onlyReads } from '../../actions/definitions/effects.rules.ts';
import type { Db } from '../../db/connect.ts';
import { notFound } from '../../errors.ts';
import { newId } from '../../ids.ts';
import type { CallLedger, LedgerCall } from '../calls/ledger.port.ts';
import { outcomeOf } from '../calls/outcomes.rules.ts';
import { checkProposal, confirmationFor, fingerprintOf, type Proposal } from '../calls/service.ts';
import type { Stub } from './schema.ts';

/** A ledger in memory, with calls answered by stubs. */
export interface StubbedLedger extends CallLedger {
  calls: ReadonlyMap<string, LedgerCall>;
  /** The actions called without a stub. */
  unstubbed: ReadonlySet<string>;
}

interface Entry {
  call: LedgerCall;
  fingerprint: string;
  isRead: boolean;
  isRepeatable: boolean;
}

/**
 * Creates the ledger of a preview: calls are checked, confirmed and settled by the same rules as real ones, and none is
 * made.
 */
export function stubbedLedger(db: Db, orgId: string, turnId: string, stubs: readonly Stub[]): StubbedLedger {
  const entries: Entry[] = [];
  const calls = new Map<string, LedgerCall>();
  const unstubbed = new Set<string>();
  const answer = stubAnswers(stubs);

  const store = (proposal: Proposal, parameters: Parameters<typeof confirmationFor>[1], fingerprint: string): Entry => {
    const { action } = proposal;
    const confirmation = confirmationFor(proposal, parameters, false);
    const call: LedgerCall = {
      id: newId(),
      action_id: action.isWorkflow ? null : action.id,
      operation_id: action.operation_id,
      name: action.name,
      arguments: parameters,
      state: confirmation === undefined ? 'proposed' : 'needs_confirmation',
      status: null,
      response: null,
      reason: null,
      needs: confirmation?.needs ?? null,
      needs_because: confirmation?.because ?? null,
    };
    const isRead = onlyReads(action);
    const entry = { call, isRead, isRepeatable: isRead || action.retry_safe, fingerprint };
    entries.push(entry);
    calls.set(call.id, call);
    return entry;
  };

  return {
    calls,
    unstubbed,
    list: async () => entries.map(({ call }) => call),
    async propose(proposal) {
      const checked = await checkProposal(db, { orgId, turnId }, proposal);
      if ('refusal' in checked) return { refusal: checked.refusal };
      const { action, contactId } = proposal;
      const fingerprint = fingerprintOf({ action, parameters: checked.parameters, contactId, turnId });
      const same = entries.find((entry) => entry.fingerprint === fingerprint && entry.call.state !== 'failed');
      return { call: (same ?? store(proposal, checked.parameters, fingerprint)).call };
    },
    async run(callId) {
      const entry = entries.find(({ call }) => call.id === callId);
      if (entry === undefined) throw notFound('call');
      if (entry.call.state === 'proposed') settle(entry, answer, unstubbed);
      return entry.call;
    },
  };
}

/** Returns the stub for the next request of an action, if it has any. */
function stubAnswers(stubs: readonly Stub[]): (operationId: string) => Stub | undefined {
  const waiting = Map.groupBy(stubs, ({ operation_id }) => operation_id);
  return (operationId) => {
    const own = waiting.get(operationId);
    return own !== undefined && own.length > 1 ? own.shift() : own?.[0];
  };
}

/** Settles a call by its stubs, as its requests would. */
function settle({ call, ...terms }: Entry, answer: ReturnType<typeof stubAnswers>, unstubbed: Set<string>): void {
  for (let tries = 1; ; tries++) {
    const stub = answer(call.operation_id);
    if (stub === undefined) {
      unstubbed.add(call.operation_id);
      call.state = 'failed';
      call.reason = `No stub answers ${call.operation_id}: add one to \`stubs\``;
      return;
    }
    const { status, body } = stub;
    const state = outcomeOf({ kind: 'answered', status, mayHaveActed: false }, { ...terms, tries });
    if (state === 'again') continue;
    call.state = state;
    call.status = status;
    call.response = body ?? null;
    call.reason = status < 300 ? null : `It answered ${status}`;
    return;
  }
}
