import type { CallDeps } from '../../actions/calls/deps.ts';
import { callAction, type StoredAnswer } from '../../actions/calls/http-call.ts';
import { ActionParameters } from '../../actions/calls/schema.ts';
import type { StoredAction } from '../../actions/definitions/service.ts';
import { isRecord, memberOf } from '../../collections/records.ts';
import { shareByKey } from '../../concurrency/limited.ts';
import type {
  PhoneCallRef,
  PhoneToolCall,
  PhoneToolResult,
  PhoneToolsPort,
} from '../../deliveries/callbacks/phone-tools.port.ts';
import { DomainError, ProviderError } from '../../errors.ts';
import { idOf } from '../../ids.ts';
import type { SemanticSearch } from '../../knowledge/search/passage-search.service.ts';
import { CONFIRMED, changesSomething } from '../../phone-agents/tools.rules.ts';
import { findPhoneTool } from '../../phone-agents/tools.service.ts';
import { problemOfJson } from '../calls/arguments.rules.ts';
import { exceedsLimits, fingerprintOf } from '../calls/service.ts';
import { retrievePassages } from '../retrieval/service.ts';
import { listKnowledgeSegments } from '../turns/decision/prompt-facts.service.ts';

/** The voice platform waits for an answer no longer than 20 s. */
const TIMEOUT_MS = 15_000;
/** Stands in front of what people outside must not see. */
const INTERNAL = '(internal: act by it, but neither read it out nor mention it)';
/** What an assistant is told of an answer. */
const MAX_RESULT_LENGTH = 12_000;

export interface PhoneToolDeps extends CallDeps {
  semantics: SemanticSearch;
}

/** Creates the tools of assistants on the phone: the org's knowledge, and its actions. */
export function createPhoneTools(deps: PhoneToolDeps): PhoneToolsPort {
  const sharing = shareByKey<StoredAnswer>();
  return {
    async use(orgId, call, asked) {
      const { agentId } = call;
      const tool = await findPhoneTool(deps.db, orgId, { agentId, name: asked.name });
      if (tool === undefined) return { error: `There is no tool ${asked.name}` };
      if (tool === 'knowledge') return searchKnowledge(deps, orgId, call, asked);
      try {
        return await takeAction({ ...deps, sharing }, orgId, tool, { call, asked });
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
 * Calls an action. The same call that changes something is made once in a phone call: a repeated one gets its answer, also
 * while the first is under way.
 */
async function takeAction(
  { sharing, ...deps }: PhoneToolDeps & { sharing: ReturnType<typeof shareByKey<StoredAnswer>> },
  orgId: string,
  action: StoredAction,
  { call, asked }: { call: PhoneCallRef; asked: PhoneToolCall },
): Promise<PhoneToolResult> {
  const { [CONFIRMED]: confirmed, ...given } = isRecord(asked.arguments) ? asked.arguments : {};
  const parsed = ActionParameters.safeParse(given);
  const problem = problemOfJson(given) ?? parsed.error?.issues[0]?.message;
  if (problem !== undefined || !parsed.success) return { error: `The arguments are not valid: ${problem}` };
  if (exceedsLimits(action, parsed.data)) return { error: 'Only a person can allow this: hand the call over' };
  if (changesSomething(action) && confirmed !== true)
    return { error: `Say what you will do and ask for a yes. After it, use the tool with ${CONFIRMED}: true` };

  const { contactId, providerId } = call;
  const fingerprint = fingerprintOf({ action, parameters: parsed.data, contactId, turnId: '' });
  const dedupeKey = idOf(orgId, 'phone call', providerId, fingerprint);
  const { status, body } = await sharing(dedupeKey, () =>
    callAction(deps, orgId, action.id, {
      parameters: parsed.data,
      contactId: contactId ?? undefined,
      dedupeKey,
      timeoutMs: TIMEOUT_MS,
    }),
  );
  const answer = shortened(typeof body === 'string' ? body : JSON.stringify(body));
  return status < 300 ? { result: answer || 'Done.' } : { error: `It answered ${status}: ${answer}` };
}

const shortened = (text: string): string => text.slice(0, MAX_RESULT_LENGTH).toWellFormed();
