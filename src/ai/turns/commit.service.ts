import { addAiMessage, resolveByAi } from '../../conversations/ai/service.ts';
import { announceWithState } from '../../conversations/announcements.service.ts';
import { handOff } from '../../conversations/sessions/actions.service.ts';
import type { Trx } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { DomainError, Undeliverable } from '../../errors.ts';
import { getOrgLanguage } from '../../orgs/service.ts';
import { runAsActor } from '../../processes/current-work.ts';
import { AI } from '../../schemas/actor.ts';
import { EXTRACTIVE_AGENT, formatOf } from '../answers/extractive.rules.ts';
import { listToldCalls, markReported } from '../calls/service.ts';
import { askForConfirmation, getConfirmation, type Question } from '../confirmations/service.ts';
import { loadContext, type OpenTurn, type TurnContext } from './context.service.ts';
import type { TurnEnd, TurnRef } from './contract.ts';
import type { TurnDeps } from './deps.ts';
import { finishTurn } from './ending.queries.ts';
import { dropUnsentCalls, endTurn, showState } from './ending.service.ts';
import { newsOf } from './news.rules.ts';
import { type Decision, endOf, type HandoffReason, isInOurWords, type TurnOutcome } from './outcome.rules.ts';
import { notifyTurn } from './queries.ts';
import { TurnRedacted } from './redaction/guard.service.ts';
import { wakeTurns } from './requests.service.ts';
import { sentencesFor } from './sentences.service.ts';
import { endOfRefused, isSuperseded } from './states.rules.ts';
import { StepNeeded } from './steps.service.ts';

/**
 * Stores the outcome of a turn: its message, the handoff or the resolution, and the end of the turn, or none of them.
 * It takes the same lock on the session as a takeover does, so the AI says nothing afterwards. A newer message ends the
 * turn instead. Returns how the turn ended. Throws TurnRedacted if the outcome may repeat a text removed since the turn
 * began. Throws StepNeeded if people have decided about a call meanwhile, as the turn has to report their decision
 * instead. If nothing reaches the contact, people get the session in silence: a handoff keeps its own reason, and an
 * answer ends with the reason of its failure.
 */
export async function commitTurn(deps: TurnDeps, ref: TurnRef, decision: Decision): Promise<TurnEnd> {
  try {
    return await inTransaction(deps.db, (trx) => commit(trx, deps, ref, decision));
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const { outcome, steps } = decision;
    if (outcome.kind === 'handoff' && outcome.text !== null) {
      const silent = { ...decision, outcome: { ...outcome, text: null } };
      return inTransaction(deps.db, (trx) => commit(trx, deps, ref, silent));
    }
    if (!(error instanceof Undeliverable)) return failTurn(deps, ref, steps);
    return giveUp(deps, ref, { reason: error.because, text: null, steps });
  }
}

/** Ends a turn that cannot be done: people get the session, and the contact hears of it if something can be sent. */
export async function failTurn(deps: TurnDeps, ref: TurnRef, steps: Decision['steps'] = []): Promise<TurnEnd> {
  const say = await sentencesFor(deps.db, ref);
  const failed = { reason: 'ai_failed', steps } as const;
  try {
    return await giveUp(deps, ref, { ...failed, text: say('failed') });
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return giveUp(deps, ref, { ...failed, text: null });
  }
}

/** Hands the session to people without an answer. */
function giveUp(
  deps: TurnDeps,
  ref: TurnRef,
  { reason, text, steps }: Pick<Decision, 'steps'> & { reason: HandoffReason; text: string | null },
): Promise<TurnEnd> {
  const outcome: TurnOutcome = { kind: 'handoff', reason, text, claims: [] };
  const decision = { outcome, agent: EXTRACTIVE_AGENT, score: null, steps };
  return inTransaction(deps.db, (trx) => commit(trx, deps, ref, decision));
}

async function commit(trx: Trx, deps: TurnDeps, ref: TurnRef, decision: Decision): Promise<TurnEnd> {
  const context = await loadContext(trx, ref);
  const turn = context.open;
  if (turn?.id !== ref.turnId) return 'superseded';
  const end = await runAsActor(AI, () => endByDecision(trx, deps, ref, { context, turn, decision }));
  if (end !== 'superseded' && leavesReport(context, turn, decision)) await wakeTurns(trx, ref.orgId, [ref.sessionId]);
  return end;
}

/**
 * Returns whether a turn has dealt with messages alone, and leaves people's decisions about calls to another one. The
 * wake-up by the decision may have begun this turn.
 */
const leavesReport = (
  { hasUnreported, refusal }: TurnContext,
  { answers }: OpenTurn,
  { outcome, reportedCalls }: Decision,
): boolean => {
  const { state, reason } = endOf(outcome);
  const isDealtWith = state === 'answered' || state === 'asked' || reason === 'acknowledgement';
  return hasUnreported && refusal === undefined && reportedCalls === undefined && answers.length > 0 && isDealtWith;
};

/** Ends a turn with its decision, unless something that arrived meanwhile overrides it. */
async function endByDecision(
  trx: Trx,
  deps: TurnDeps,
  ref: TurnRef,
  { context, turn, decision }: { context: TurnContext; turn: OpenTurn; decision: Decision },
): Promise<TurnEnd> {
  const { refusal, unanswered } = context;
  const { outcome } = decision;
  const steps = turn.is_redacted ? decision.steps.map(({ decision: _, ...step }) => step) : decision.steps;
  const endQuietly = async (end: { state: TurnEnd; reason: string | null }): Promise<TurnEnd> => {
    await endTurn(trx, ref, turn, { ...end, steps });
    return end.state;
  };
  await dropUnsentCalls(trx, ref, context);
  if (refusal !== undefined) return endQuietly(endOfRefused(turn, refusal));
  if (turn.is_redacted && !isInOurWords(decision)) throw new TurnRedacted();
  if (isSuperseded(turn, unanswered.at(-1)?.seq ?? 0)) return endQuietly({ state: 'superseded', reason: null });
  if (outcome.kind === 'resolve' && context.hasUnreported) throw new StepNeeded(REPORT);
  const { state, reason } = endOf(outcome);
  if (decision.reportedCalls !== undefined) await markReported(trx, ref.orgId, decision.reportedCalls);
  if (outcome.kind === 'resolve') await resolveByAi(trx, ref.orgId, context.session, 'resolved');
  if (state === 'skipped') return endQuietly({ state, reason });
  if (outcome.kind === 'handoff' && outcome.reason === 'prohibited_topic')
    await announceTopic(trx, ref, decision, turn);
  if (outcome.kind === 'handoff' && context.session.assist_mode)
    return endQuietly({ state: 'skipped', reason: 'people_have_it' });
  return endWithMessage(trx, deps, ref, { context, turn, decision: { ...decision, steps } });
}

/** The step for carrying out and reporting people's decisions about calls. */
const REPORT = { step: 1, purpose: 'call' } as const;

/** Ends a turn with its message and the handoff, if any. */
async function endWithMessage(
  trx: Trx,
  deps: TurnDeps,
  ref: TurnRef,
  { context, turn, decision }: { context: TurnContext; turn: OpenTurn; decision: Decision },
): Promise<TurnEnd> {
  const { orgId, sessionId, turnId } = ref;
  const { outcome, agent, score, steps, asks } = decision;
  const { state, reason, claims, text: answer } = endOf(outcome);
  const question = await questionOf(trx, deps, ref, { context, turn, asks });
  const text = question?.text ?? answer;
  const isHandoff = outcome.kind === 'handoff';
  const isShown = text !== null && !isHandoff; // a handoff is shown before the end of its turn
  if (text !== null)
    await addAiMessage(trx, deps.sending, orgId, context.session, {
      id: turn.message_id,
      text,
      agent,
      turnId,
      citations: claims.map(({ item_id, title, url, quote }) => ({ item_id, title, url, quote })),
      calls: await callsToldBy(trx, ref, decision),
      confirmation: question?.confirmation,
      news: isShown ? newsOf(turnId, state) : undefined,
    });
  if (isHandoff) await handOff(trx, orgId, sessionId, { reason: outcome.reason });
  const has_message = text !== null;
  await finishTurn(trx, orgId, turnId, {
    state,
    reason,
    agent,
    score,
    has_message,
    steps,
    ...(has_message && { claims }),
  });
  if (!isShown) await showState(trx, ref, state);
  notifyTurn(trx, sessionId);
  return state;
}

/** Returns the calls made or reported by a turn. A turn without a model makes none. */
const callsToldBy = async (trx: Trx, { orgId, turnId }: TurnRef, { agent, reportedCalls }: Decision) =>
  agent === EXTRACTIVE_AGENT && reportedCalls === undefined
    ? []
    : listToldCalls(trx, orgId, turnId, reportedCalls ?? []);

/** Words a turn's question before a call, if it asks one. */
async function questionOf(
  trx: Trx,
  { publicUrl }: TurnDeps,
  { orgId }: TurnRef,
  { context, turn, asks }: { context: TurnContext; turn: OpenTurn; asks: string | undefined },
): Promise<Question | undefined> {
  if (asks === undefined) return undefined;
  const { session, settings } = context;
  const question = await askForConfirmation(trx, orgId, await getConfirmation(trx, orgId, asks), {
    publicUrl,
    messageId: turn.message_id,
    language: session.language,
    format: formatOf(session),
    fallback: await getOrgLanguage(trx, orgId),
    overrides: settings.phrases,
  });
  if (question === undefined) throw new StepNeeded(REPORT);
  return question;
}

async function announceTopic(
  trx: Trx,
  { orgId, sessionId }: TurnRef,
  { topic }: Decision,
  turn: OpenTurn,
): Promise<void> {
  const message_id = turn.answers.at(-1);
  if (topic === undefined || message_id === undefined) return;
  await announceWithState(trx, orgId, [
    { type: 'prohibited-topic-detected', subject_id: sessionId, payload: { message_id, topic } },
  ]);
}
