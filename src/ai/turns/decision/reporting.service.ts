import { elementAt } from '../../../collections/checked-access.ts';
import type { Trx } from '../../../db/connect.ts';
import type { SentenceKey } from '../../../recognition/sentences.rules.ts';
import { EXTRACTIVE_AGENT } from '../../answers/extractive.rules.ts';
import { runCall } from '../../calls/running.service.ts';
import { type CallRow, listBegunCalls, listUnreported } from '../../calls/service.ts';
import { effectsAmong } from '../../planning/service.ts';
import type { TurnRef } from '../contract.ts';
import type { TurnDeps } from '../deps.ts';
import type { Decision, TurnOutcome } from '../outcome.rules.ts';
import { StepNeeded } from '../steps.service.ts';
import { lockForEffect } from './effects-guard.service.ts';

/**
 * Makes the calls of a session confirmed by people, and returns the report to its contact about all decided ones.
 * Undefined if there are none. Repeated, it makes no call twice. Throws StepNeeded if it may not call.
 */
export async function reportCalls(deps: TurnDeps, ref: TurnRef, terms: ReportTerms): Promise<Decision | undefined> {
  return settleAndTell(deps, ref, await listUnreported(deps.db, ref.orgId, ref.sessionId), terms);
}

/**
 * Returns the report to a contact about the turn's calls with an effect, made or about to be made, and about those
 * decided by people. Undefined if there are none. Calls under way are finished.
 */
export async function reportEffects(deps: TurnDeps, ref: TurnRef, terms: ReportTerms): Promise<Decision | undefined> {
  const { orgId, sessionId, turnId } = ref;
  const unreported = await listUnreported(deps.db, orgId, sessionId);
  const begun = await listBegunCalls(deps.db, orgId, turnId);
  const effects = await effectsAmong(deps.db, orgId, begun);
  const calls = new Map([...unreported, ...begun.filter(({ id }) => effects.has(id))].map((call) => [call.id, call]));
  return settleAndTell(deps, ref, [...calls.values()], terms);
}

interface ReportTerms {
  say: (key: SentenceKey) => string;
  callsOut: boolean;
  signal: AbortSignal;
}

async function settleAndTell(
  deps: TurnDeps,
  ref: TurnRef,
  calls: CallRow[],
  { say, callsOut, signal }: ReportTerms,
): Promise<Decision | undefined> {
  if (calls.length > 0 && !callsOut) throw new StepNeeded({ step: 1, purpose: 'call' });
  const settled: CallRow[] = [];
  for (const { id: callId } of calls) {
    const call = { orgId: ref.orgId, callId, lockForEffect: (trx: Trx) => lockForEffect(trx, ref) };
    settled.push(await runCall(deps, call, signal));
  }
  if (settled.length === 0) return undefined;
  const outcomes = settled.map((call) => outcomeOf(call, say));
  const last = outcomes.find(({ kind }) => kind === 'handoff') ?? elementAt(outcomes, -1);
  const text = [...new Set(outcomes.map((outcome) => outcome.text))].join('\n\n');
  return {
    outcome: { ...last, text },
    agent: EXTRACTIVE_AGENT,
    score: null,
    steps: [],
    reportedCalls: settled.filter(({ state }) => state !== 'running').map(({ id }) => id), // their end is told later
  };
}

type Told = Extract<TurnOutcome, { kind: 'say' | 'handoff' }>;

function outcomeOf({ state, settled_key_id }: CallRow, say: (key: SentenceKey) => string): Told {
  const tell = (key: SentenceKey, reason: 'in_progress' | null = null): Told => ({
    kind: 'say',
    state: 'answered',
    reason,
    text: say(key),
    claims: [],
  });
  if (state === 'done') return tell('action_done');
  if (state === 'running') return tell('action_in_progress', 'in_progress');
  if (state === 'rejected') return tell('rejected_confirmation');
  if (state === 'expired') return tell('confirmation_expired');
  if (state === 'unknown')
    return { kind: 'handoff', reason: 'action_outcome_unknown', text: say('action_unknown'), claims: [] };
  if (settled_key_id !== null) return tell('action_failed');
  return { kind: 'handoff', reason: 'action_failed', text: say('action_failed'), claims: [] };
}
