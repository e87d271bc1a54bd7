import { announceWithState } from '../../conversations/announcements.service.ts';
import { addAiMessage, resolveByAi } from '../../conversations/messages/ai-messages.service.ts';
import { handOff } from '../../conversations/sessions/actions.service.ts';
import { getSession } from '../../conversations/sessions/service.ts';
import type { Trx } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { DomainError } from '../../errors.ts';
import { getOrgLanguage } from '../../orgs/service.ts';
import { EXTRACTIVE_AGENT, formatOf } from '../answers/extractive.rules.ts';
import { markReported } from '../calls/service.ts';
import { askForConfirmation, getConfirmation, type Question } from '../confirmations/service.ts';
import { sentenceOf } from '../gates/sentences.rules.ts';
import { getPublishedAiSettings } from '../settings/service.ts';
import type { TurnEnd, TurnRef } from './contract.ts';
import type { TurnDeps } from './deps.ts';
import { type Claim, type Decision, endOf, type TurnOutcome } from './outcome.rules.ts';
import { findOpenTurn, insertClaims, type TurnRow } from './queries.ts';
import { isSuperseded } from './review.rules.ts';
import { endTurn, loadContext, type TurnContext } from './review.service.ts';

/**
 * Stores the outcome of a turn: its message, the handoff or the resolution, and the end of the turn, or none of them. It
 * takes the same lock on the session as whoever takes the session over, so that the AI says nothing after that. A
 * newer message ends the turn instead. Returns how the turn ended.
 */
export async function commitTurn(deps: TurnDeps, ref: TurnRef, decision: Decision): Promise<TurnEnd> {
  try {
    return await inTransaction(deps.db, (trx) => commit(trx, deps, ref, decision));
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return failTurn(deps, ref); // nothing can be sent on this channel
  }
}

/** Ends a turn that cannot be done: people get the session, and the contact is told so where something can be sent. */
export async function failTurn(deps: TurnDeps, ref: TurnRef): Promise<TurnEnd> {
  const { language } = await getSession(deps.db, ref.orgId, ref.sessionId);
  const { phrases } = await getPublishedAiSettings(deps.db, ref.orgId);
  const fallback = await getOrgLanguage(deps.db, ref.orgId);
  const failed = sentenceOf('failed', language, { fallback, overrides: phrases });
  const fail = (text: string | null) => {
    const outcome: TurnOutcome = { kind: 'handoff', reason: 'ai_failed', text, claims: [] };
    const decision = { outcome, agent: EXTRACTIVE_AGENT, score: null, steps: [] };
    return inTransaction(deps.db, (trx) => commit(trx, deps, ref, decision));
  };
  try {
    return await fail(failed);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return fail(null);
  }
}

async function commit(trx: Trx, deps: TurnDeps, ref: TurnRef, decision: Decision): Promise<TurnEnd> {
  const context = await loadContext(trx, ref);
  const turn = await findOpenTurn(trx, ref.orgId, ref.sessionId);
  if (turn === undefined || turn.id !== ref.turnId) return 'superseded';
  const { refusal, unanswered } = context;
  const { outcome } = decision;
  if (refusal !== undefined) return end(trx, ref, turn, { state: 'skipped', reason: refusal });
  if (isSuperseded(turn, unanswered.at(-1)?.seq ?? 0)) {
    return end(trx, ref, turn, { state: 'superseded', reason: null });
  }
  await markReported(trx, ref.orgId, decision.reportedCalls ?? []);
  const { state, reason, claims, text: answer } = endOf(outcome);
  if (outcome.kind === 'resolve') await resolveByAi(trx, ref.orgId, context.session, 'resolved');
  if (state === 'skipped') return end(trx, ref, turn, { state, reason });
  if (outcome.kind === 'handoff' && outcome.reason === 'prohibited_topic')
    await announceTopic(trx, ref, decision, turn);
  if (outcome.kind === 'handoff' && context.session.assist_mode)
    return end(trx, ref, turn, { state: 'skipped', reason: 'people_have_it' });
  const { agent, score } = decision;
  const question = await questionOf(trx, deps, ref, { context, asks: decision.asks });
  const text = question?.text ?? answer;
  if (text !== null)
    await say(trx, deps, ref, { turn, context, agent, text, claims, confirmation: question?.confirmation });
  if (outcome.kind === 'handoff') await handOff(trx, ref.orgId, ref.sessionId, { reason: outcome.reason });
  return end(trx, ref, turn, { state, reason, agent, score, has_message: text !== null });
}

/** Words the question that a turn asks before a call, if it does. */
async function questionOf(
  trx: Trx,
  { publicUrl }: TurnDeps,
  { orgId }: TurnRef,
  { context, asks }: { context: TurnContext; asks: string | undefined },
): Promise<Question | undefined> {
  if (asks === undefined) return undefined;
  const { session, settings } = context;
  return askForConfirmation(trx, orgId, await getConfirmation(trx, orgId, asks), {
    publicUrl,
    language: session.language,
    format: formatOf(session),
    fallback: await getOrgLanguage(trx, orgId),
    overrides: settings.phrases,
  });
}

async function say(
  trx: Trx,
  { sending }: TurnDeps,
  { orgId, turnId }: TurnRef,
  {
    turn,
    context,
    agent,
    text,
    claims,
    confirmation,
  }: {
    turn: TurnRow;
    context: TurnContext;
    agent: string;
    text: string;
    claims: Claim[];
    confirmation: Question['confirmation'];
  },
): Promise<void> {
  await insertClaims(trx, orgId, turnId, claims);
  const citations = claims.map(({ item_id, title, url, quote }) => ({ item_id, title, url, quote }));
  const said = { id: turn.message_id, text, agent, turnId, citations, confirmation };
  await addAiMessage(trx, sending, orgId, context.session, said);
}

async function announceTopic(
  trx: Trx,
  { orgId, sessionId }: TurnRef,
  { topic }: Decision,
  turn: TurnRow,
): Promise<void> {
  const message_id = turn.answers.at(-1);
  if (topic === undefined || message_id === undefined) return;
  await announceWithState(trx, orgId, 'prohibited-topic-detected', [
    { subject_id: sessionId, payload: { message_id, topic } },
  ]);
}

async function end(
  trx: Trx,
  ref: TurnRef,
  turn: TurnRow,
  to: { state: TurnEnd; reason: string | null; agent?: string; score?: number | null; has_message?: boolean },
): Promise<TurnEnd> {
  await endTurn(trx, ref, turn, to);
  return to.state;
}
