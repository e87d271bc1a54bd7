import { setTimeout as sleep } from 'node:timers/promises';
import type { CallDeps } from '../../actions/calls/deps.ts';
import { ActionParameters } from '../../actions/calls/schema.ts';
import type { StoredAction } from '../../actions/definitions/service.ts';
import { isRecord, memberOf } from '../../collections/records.ts';
import { isContactBlocked } from '../../contacts/blocklist/service.ts';
import { lockSession } from '../../conversations/sessions/service.ts';
import type {
  PhoneCallRef,
  PhoneToolCall,
  PhoneToolResult,
  PhoneToolsPort,
} from '../../deliveries/callbacks/phone-tools.port.ts';
import { conflict, DomainError, ProviderError } from '../../errors.ts';
import type { SemanticSearch } from '../../knowledge/search/passage-search.service.ts';
import { CONFIRMED, changesSomething } from '../../phone-agents/tools.rules.ts';
import { findPhoneTool } from '../../phone-agents/tools.service.ts';
import { problemOfJson } from '../calls/arguments.rules.ts';
import { runCall } from '../calls/running.service.ts';
import { type CallPlace, type CallRow, exceedsLimits, proposeCall } from '../calls/service.ts';
import { retrievePassages } from '../retrieval/service.ts';
import { listKnowledgeSegments } from '../turns/decision/prompt-facts.service.ts';
import { getPhonePlace } from '../turns/phone-calls.service.ts';
import { findPhoneAssistant } from './profiles.service.ts';

/** A caller waits no longer for an action. */
const TIMEOUT_MS = 15_000;
/** A wait for another process with the same call ends after this time. */
const MAX_CALL_MS = 60_000;
const TOO_SLOW = 'It takes longer. Ask for the same again in some seconds, to hear what came of it';
/** Prefix of texts that people outside must not see. */
const INTERNAL = '(internal: act by it, but neither read it out nor mention it)';
/** The characters of an answer shown to an assistant. */
const MAX_RESULT_LENGTH = 12_000;

export interface PhoneToolDeps extends CallDeps {
  semantics: SemanticSearch;
}

/** Creates the tools of assistants on the phone: the org's knowledge, and its actions. */
export function createPhoneTools(deps: PhoneToolDeps): PhoneToolsPort {
  return {
    findAgent: findPhoneAssistant,
    async use(orgId, call, asked) {
      const { agentId } = call;
      const tool = await findPhoneTool(deps.db, orgId, { agentId, name: asked.name });
      if (tool === undefined) return { error: `There is no tool ${asked.name}` };
      if (tool === 'knowledge') return searchKnowledge(deps, orgId, call, asked);
      try {
        return await takeAction(deps, orgId, tool, { call, asked });
      } catch (error) {
        if (error instanceof DomainError || error instanceof ProviderError) return { error: error.message };
        throw error;
      }
    },
  };
}

async function searchKnowledge(
  { db, semantics }: PhoneToolDeps,
  orgId: string,
  { contactId }: PhoneCallRef,
  call: PhoneToolCall,
): Promise<PhoneToolResult> {
  const query = memberOf(call.arguments, 'query');
  if (typeof query !== 'string' || problemOfJson(query) !== undefined) return { error: 'The query must be a text' };
  const segments = await listKnowledgeSegments(db, orgId, contactId);
  const passages = await retrievePassages(db, semantics, orgId, { queries: [query], channel: 'phone_voice', segments });
  if (passages.length === 0) return { result: 'Nothing was found.' };
  const told = passages.map(
    ({ use, title, content }) => `${title}${use === 'public' ? '' : ` ${INTERNAL}`}\n${content}`,
  );
  return { result: shortened(told.join('\n\n')) };
}

/**
 * Calls an action through the ledger. The same changing call is made once in a phone call: a repeated one gets its
 * answer, also while the first is under way. A call that only reads is made again for each call of the tool.
 */
async function takeAction(
  deps: PhoneToolDeps,
  orgId: string,
  action: StoredAction,
  { call, asked }: { call: PhoneCallRef; asked: PhoneToolCall },
): Promise<PhoneToolResult> {
  const { [CONFIRMED]: confirmed, ...given } = isRecord(asked.arguments) ? asked.arguments : {};
  const parameters = ActionParameters.safeParse(given).data;
  if (parameters !== undefined && exceedsLimits(action, parameters))
    return { error: 'Only a person can allow this: hand the call over' };
  if (changesSomething(action) && confirmed !== true)
    return { error: `Say what you will do and ask for a yes. After it, use the tool with ${CONFIRMED}: true` };

  const { contactId, sessionId, callId } = call;
  const place = await getPhonePlace(deps.db, { orgId, sessionId, callId });
  const proposal = {
    action,
    arguments: given,
    untrustedRead: false,
    isVerified: false,
    contactId,
    readScope: asked.id,
  };
  const proposed = await proposeCall(deps.db, place, proposal);
  if (proposed.refusal !== undefined) return { error: proposed.refusal.message };
  const settled = await inTime(makeCall(deps, place, proposed.call.id));
  return settled === undefined ? { error: TOO_SLOW } : resultOf(settled);
}

/** Makes a call of the ledger, unless the contact was blocked meanwhile. */
const makeCall = (deps: PhoneToolDeps, { orgId, sessionId }: CallPlace, id: string): Promise<CallRow> =>
  runCall(
    deps,
    {
      orgId,
      callId: id,
      async lockForEffect(trx) {
        const { contact_id } = await lockSession(trx, orgId, sessionId);
        if (await isContactBlocked(trx, orgId, contact_id)) throw conflict('The contact is blocked');
      },
    },
    AbortSignal.timeout(MAX_CALL_MS),
  );

/** Waits for a call as long as a caller does. It continues afterwards, and the ledger keeps its answer. */
async function inTime(call: Promise<CallRow>): Promise<CallRow | undefined> {
  const patience = new AbortController();
  const first = await Promise.race([call, sleep(TIMEOUT_MS, undefined, { signal: patience.signal })]).finally(() =>
    patience.abort(),
  );
  if (first === undefined) call.catch(() => undefined);
  return first ?? undefined;
}

/** Returns the text about a settled call for an assistant. */
function resultOf({ state, status, response, reason }: CallRow): PhoneToolResult {
  const answer = shortened(typeof response === 'string' ? response : JSON.stringify(response ?? ''));
  if (state === 'done') return { result: answer || 'Done.' };
  if (state === 'failed' && status !== null) return { error: `It answered ${status}: ${answer}` };
  if (state === 'unknown') return { error: 'It is not known whether this was done. It is not done again' };
  return { error: reason ?? 'It was not done' };
}

const shortened = (text: string): string => text.slice(0, MAX_RESULT_LENGTH).toWellFormed();
