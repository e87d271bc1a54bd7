import { getAutopilot } from '../../autopilot/service.ts';
import { isContactBlocked } from '../../contacts/blocklist/service.ts';
import { getContact } from '../../contacts/service.ts';
import type { ConversationMessage } from '../../conversations/ai/service.ts';
import { ownWordsIn } from '../../conversations/own-words/own-words.rules.ts';
import type { Db } from '../../db/connect.ts';
import { unavailable } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { detectLanguage } from '../../languages/detection.ts';
import { listConnections } from '../../orgs/integrations/service.ts';
import { getOrgLanguage } from '../../orgs/service.ts';
import { formatOf } from '../answers/extractive.rules.ts';
import { wordQuestion } from '../confirmations/wording.rules.ts';
import { type AiSettings, getAiSettings } from '../settings/service.ts';
import type { DecidedSession, DecisionContext } from '../turns/context.service.ts';
import { decideTurn } from '../turns/decision/decision.service.ts';
import type { Billing, TurnEffects } from '../turns/decision/effects.port.ts';
import type { DecisionDeps } from '../turns/deps.ts';
import { type Decision, endOf } from '../turns/outcome.rules.ts';
import type { TakenStep } from '../turns/steps.service.ts';
import { traceOf } from '../turns/trace.service.ts';
import type { PreviewedTurn, PreviewMessage, PreviewTurn } from './schema.ts';
import { type StubbedLedger, stubbedLedger } from './stubbed-ledger.service.ts';

const TIMEOUT_MS = 60_000;

/**
 * Previews the next turn of a conversation by the draft of an org's settings. Throws notFound for the contact,
 * unavailable after a minute, and the reason of the signal.
 */
export async function previewDraft(
  deps: DecisionDeps,
  orgId: string,
  conversation: PreviewTurn,
  hangUp: AbortSignal,
): Promise<PreviewedTurn> {
  const { draft } = await getAiSettings(deps.db, orgId);
  const tooLate = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const terms = { settings: draft, version: null, purpose: 'preview' as const };
    return await previewTurn(deps, orgId, conversation, terms, AbortSignal.any([hangUp, tooLate]));
  } catch (error) {
    throw tooLate.aborted ? unavailable('The preview took longer than 60 seconds: a model is slow. Try again') : error;
  }
}

/** The settings of a preview. Without a version they are a draft. */
export interface PreviewTerms {
  settings: AiSettings;
  version: number | null;
  purpose: NonNullable<Billing['purpose']>;
}

/** The gates and the search without a model are steps 1 and 2. */
const FIRST_STEP = 3;

/**
 * Decides a conversation's next turn by the code of live turns, and changes nothing but the usage of models: no action is
 * called, no message stored, no event announced, no session handed off. Throws notFound for the contact, and the reason
 * of the signal.
 */
export async function previewTurn(
  deps: DecisionDeps,
  orgId: string,
  conversation: PreviewTurn,
  { settings, version, purpose }: PreviewTerms,
  signal: AbortSignal,
): Promise<PreviewedTurn> {
  const { db } = deps;
  const id = newId();
  const startedAt = new Date();
  const ledger = stubbedLedger(db, orgId, id, conversation.stubs);
  const steps: TakenStep[] = [];
  const effects = memoryEffects({ turnId: id, purpose, ledger, steps });
  const context = await contextOf(db, orgId, conversation, { settings, effects });
  const limits = { steps: Infinity, callsOut: true, signal };
  const decision = await decideTurn({ deps, ref: { orgId }, context, limits });
  const { state, reason, text, claims } = endOf(decision.outcome);
  const asked = await questionOf(db, orgId, { decision, context, ledger });
  return {
    id,
    session_id: null,
    number: 1,
    state,
    reason,
    agent: decision.agent,
    answers: [],
    message_id: null,
    score: decision.score,
    config_version: version,
    ...traceOf([...decision.steps, ...steps], ledger.calls),
    citations: claims,
    text: asked ?? text,
    unstubbed: [...ledger.unstubbed],
    due_at: startedAt,
    started_at: startedAt,
    ended_at: new Date(),
    created_at: startedAt,
  };
}

interface Memory {
  turnId: string;
  purpose: NonNullable<Billing['purpose']>;
  ledger: StubbedLedger;
  /** The steps taken. */
  steps: TakenStep[];
}

function memoryEffects({ turnId, purpose, ledger, steps }: Memory): TurnEffects {
  return {
    billing: { sessionId: null, turnId, purpose },
    ledger,
    findWaiting: async () => undefined,
    isWaiting: async () => true,
    decideWaiting: async () => undefined,
    reportCalls: async () => undefined,
    hasQuotedUntrusted: async () => false,
    openSteps: async () => ({
      async decide(purpose, work) {
        const step = FIRST_STEP + steps.length;
        const { decision, ...report } = await work(step);
        steps.push({ step, purpose, decision, ...report });
        return decision;
      },
    }),
  };
}

/** Counts the AI's messages without an answer at the end of a conversation. */
function fruitlessIn(messages: PreviewMessage[]): number {
  const said = messages.filter(({ sender }) => sender === 'ai');
  return said.length - 1 - said.findLastIndex(({ state }) => state !== 'asked');
}

/** Returns the context of a live turn on a channel with autopilot. */
async function contextOf(
  db: Db,
  orgId: string,
  { messages: given, channel, contact_id, verified }: PreviewTurn,
  { settings, effects }: { settings: AiSettings; effects: TurnEffects },
): Promise<DecisionContext> {
  if (contact_id !== undefined) await getContact(db, orgId, contact_id);
  const isBlocked = contact_id !== undefined && (await isContactBlocked(db, orgId, contact_id));
  const messages = given.map((message, index) => messageOf(message, index, channel));
  const session: DecidedSession = {
    channel,
    status: 'open',
    language: await languageOf(messages),
    contact_id: contact_id ?? null,
    verified,
    ai_state: 'on',
    assist_mode: false,
    relayed_side: null,
  };
  const answered = given.findLastIndex(({ sender }) => sender !== 'contact');
  const unanswered = messages.slice(answered + 1);
  return {
    session,
    settings,
    mayAct: (await getAutopilot(db, orgId)).versionOn(channel) === 'v2',
    isProviderConnected: (await listConnections(db, orgId)).has('llm'),
    messages,
    unanswered,
    refusal: isBlocked ? 'blocked' : undefined,
    fruitless: fruitlessIn(given),
    effects,
  };
}

const messageOf = (
  { sender, text }: PreviewMessage,
  index: number,
  channel: PreviewTurn['channel'],
): ConversationMessage => ({
  seq: index + 1,
  id: newId(),
  sender,
  content: (sender === 'contact' ? ownWordsIn(channel, text) : undefined) ?? text,
  created_at: new Date(),
  attachments: 0,
  is_automated: false,
  is_unreadable: false,
  age_ms: 0,
});

/** Returns the language of the session: the first one detected. */
async function languageOf(messages: ConversationMessage[]): Promise<string | null> {
  for (const { sender, content } of messages) {
    const language = sender === 'contact' ? await detectLanguage(content ?? '') : undefined;
    if (language !== undefined) return language;
  }
  return null;
}

/** Words the question of an unconfirmed call, without a working link. */
async function questionOf(
  db: Db,
  orgId: string,
  { decision: { asks }, context, ledger }: { decision: Decision; context: DecisionContext; ledger: StubbedLedger },
): Promise<string | undefined> {
  const call = asks === undefined ? undefined : ledger.calls.get(asks);
  if (call === undefined) return undefined;
  const { session, settings } = context;
  const { text } = wordQuestion(call, {
    url: '/a/…',
    language: session.language,
    format: formatOf(session),
    fallback: await getOrgLanguage(db, orgId),
    overrides: settings.phrases,
  });
  return text;
}
