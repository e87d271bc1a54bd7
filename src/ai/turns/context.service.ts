import { aiVersionOn } from '../../autopilot/service.ts';
import { blockedContact } from '../../contacts/blocklist/service.ts';
import {
  type ConversationMessage,
  conversationAsJson,
  isReopenedSince,
  readConversation,
  setAiState,
} from '../../conversations/ai/service.ts';
import { redactionsOf } from '../../conversations/redaction/service.ts';
import { lockSession, type SessionRow } from '../../conversations/sessions/service.ts';
import type { Trx } from '../../db/connect.ts';
import { hasConnection } from '../../orgs/integrations/service.ts';
import { hasUnreported } from '../calls/service.ts';
import { type AiSettings, type PublishedSettings, publishedConfig, readPublishedConfig } from '../settings/service.ts';
import { getTurnFacts, type LastTurn, type OpenTurn } from './context.queries.ts';
import type { SessionRef } from './contract.ts';
import type { TurnEffects } from './decision/effects.port.ts';
import { refusalOf } from './review/rules.ts';

export type { OpenTurn } from './context.queries.ts';

/** A turn answers at most this many messages. Those before them are part of the conversation all the same. */
const MAX_MESSAGES = 50;

/** The context of a turn's decision. The session is locked. */
export interface TurnContext {
  session: SessionRow;
  settings: PublishedSettings;
  /** Whether the AI also acts on the session's channel, beside answering. */
  mayAct: boolean;
  /** Whether the org has connected an AI provider. Without one there is no model to look for. */
  isProviderConnected: boolean;
  /** Whether people's decisions about calls are still to be reported to the contact. */
  hasUnreported: boolean;
  /** The messages known to the AI, oldest first. */
  messages: ConversationMessage[];
  /** The contact's messages not handled by any turn yet. */
  unanswered: ConversationMessage[];
  /** Why the AI may not answer. Undefined if it may. */
  refusal: 'off' | 'blocked' | 'people_have_it' | undefined;
  /** The number of turns without an answer right before this one. */
  fruitless: number;
  /** The open turn. */
  open: OpenTurn | null;
  /** The latest turn. */
  last: LastTurn | null;
}

/** The facts of its session in a decision. */
export type DecidedSession = Pick<
  SessionRow,
  'channel' | 'status' | 'language' | 'contact_id' | 'verified' | 'ai_state' | 'assist_mode' | 'relayed_side'
>;

/** The context of a decision, for a session's turn or for a preview. */
export interface DecisionContext extends Omit<TurnContext, 'session' | 'settings' | 'hasUnreported' | 'open' | 'last'> {
  session: DecidedSession;
  settings: AiSettings;
  effects: TurnEffects;
}

/** Locks a session and returns the context of its next turn. Throws notFound. */
export async function loadContext(trx: Trx, { orgId, sessionId }: SessionRef): Promise<TurnContext> {
  const session = await lockSession(trx, orgId, sessionId);
  const facts = await getTurnFacts(trx, orgId, session, {
    config: publishedConfig(orgId),
    agent: aiVersionOn(orgId, session.channel),
    messages: conversationAsJson(trx, orgId, sessionId, { after: session.ai_context_seq, limit: MAX_MESSAGES }),
    isBlocked: blockedContact(orgId, session.contact_id),
    isProviderConnected: hasConnection(orgId, 'llm'),
    redactions: redactionsOf(orgId, sessionId),
    hasUnreported: hasUnreported(orgId, sessionId),
  });
  const { agent, is_blocked: isBlocked, open, last, fruitless } = facts;
  const settings = readPublishedConfig(facts.config);
  const messages = readConversation(facts.messages);
  const isAutopilotOn = agent !== null;
  const asked = messages.findLast(({ sender }) => sender === 'contact')?.seq ?? 0;
  const replied = messages.findLast(({ sender }) => sender === 'human_agent')?.seq ?? 0;
  const state = await stateOf(trx, orgId, { session, settings, isAutopilotOn, lastSeq: last?.last_seq ?? 0 });
  await setAiState(trx, orgId, session, state);
  const refusal = refusalOf({
    isAutopilotOn,
    isPaused: state === 'paused',
    isAssisting: session.assist_mode,
    isOpen: session.status === 'open',
    isBlocked,
    isReplied: replied > asked,
  });
  const after = refusal === undefined ? Math.max(replied, facts.settled_seq) : facts.answered_seq;
  const unanswered = messages.filter(({ sender, seq }) => sender === 'contact' && seq > after);
  return {
    session: { ...session, ai_state: state },
    settings,
    mayAct: agent === 'v2',
    isProviderConnected: facts.is_provider_connected,
    hasUnreported: facts.has_unreported,
    messages,
    unanswered,
    refusal,
    fruitless,
    open,
    last,
  };
}

/**
 * Returns whether the AI may speak: as the channel's autopilot says, unless people have the session. A reopened session
 * goes to people if the org's settings ask for it.
 */
async function stateOf(
  trx: Trx,
  orgId: string,
  {
    session,
    settings,
    isAutopilotOn,
    lastSeq,
  }: {
    session: SessionRow;
    settings: Pick<AiSettings, 'reopen_goes_to'>;
    isAutopilotOn: boolean;
    lastSeq: number;
  },
) {
  if (session.ai_state === 'paused') return 'paused';
  const goesToPeople = settings.reopen_goes_to === 'people' && session.ai_state === 'off';
  if (goesToPeople && (await isReopenedSince(trx, orgId, session.id, lastSeq))) return 'paused';
  return isAutopilotOn ? 'on' : 'off';
}
