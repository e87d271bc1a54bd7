import { isContactBlocked } from '../../contacts/blocklist/service.ts';
import { getSession, lockSession } from '../../conversations/sessions/service.ts';
import { haveTexts, type SaidMessage } from '../../conversations/summary/model-summary.service.ts';
import { listSaidMessages } from '../../conversations/summary/service.ts';
import type { Db } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { conflict, missingScope, refused, unavailable, unprocessable } from '../../errors.ts';
import { type Editor, learnTraining } from '../../knowledge/training/service.ts';
import { askModel, findModels, type ModelDeps, type ModelResult, parseAnswer } from '../../models/asking.ts';
import { getPublishedAiSettings } from '../settings/service.ts';
import { maskPersonal } from './masking.rules.ts';
import { scenarioPrompt } from './prompt.rules.ts';
import { SCENARIO_SCHEMA, ScenarioAnswer } from './schema.ts';

/** The scope a key needs besides training's. */
export const READ_SESSIONS = 'chat-sessions:read';
const MAX_TOKENS = 2_500;
const PATIENCE_MS = 45_000;

/** A scenario written by a model, with its source messages. */
export interface WrittenScenario {
  sessionId: string;
  title: string;
  content: string;
  said: SaidMessage[];
}

interface Asked {
  orgId: string;
  sessionId: string;
  /** Whether the caller's key has the scope READ_SESSIONS. */
  mayRead: boolean;
}

/**
 * Asks the org's model for a lesson from a session for its AI. Stores nothing. Personal details of a known form are
 * left out of the model's input and output. Throws notFound, forbidden, invalid without an answer of a person, conflict
 * if no model may be asked, unprocessable if there is nothing to learn, unavailable if no model answers in 45 seconds,
 * and the reason of the signal.
 */
export async function writeScenario(deps: ModelDeps, asked: Asked, signal: AbortSignal): Promise<WrittenScenario> {
  const said = await readAnswered(deps.db, asked);
  const { title, content } = scenarioOf(await ask(deps, asked, said, signal));
  return { sessionId: asked.sessionId, title: maskPersonal(title), content: maskPersonal(content), said };
}

/** Returns the messages of a session with at least one answer of a person. */
async function readAnswered(db: Db, { orgId, sessionId, mayRead }: Asked): Promise<SaidMessage[]> {
  const { contact } = await getSession(db, orgId, sessionId);
  if (!mayRead) throw missingScope(READ_SESSIONS);
  if (await isContactBlocked(db, orgId, contact?.id ?? null))
    throw conflict('The contact is blocked: nothing is learned from its sessions');
  const said = await listSaidMessages(db, orgId, sessionId);
  if (!said.some(({ sender }) => sender === 'human_agent'))
    throw refused('session_id', 'must be a session in which a person has answered: only their answers are learned');
  return said;
}

async function ask(
  deps: ModelDeps,
  { orgId, sessionId }: Asked,
  said: SaidMessage[],
  signal: AbortSignal,
): Promise<ModelResult<ScenarioAnswer>> {
  const settings = await getPublishedAiSettings(deps.db, orgId);
  if (settings.mode === 'extractive')
    throw conflict('The AI’s mode is extractive, so no model is asked: change the mode by PATCH /autopilot/settings');
  const chain = await findModels(deps, orgId, settings.models);
  if (chain === undefined) throw conflict('No model is connected: PUT /integrations/llm first');
  const question = {
    ...{ sessionId, turnId: null, purpose: 'scenario', temperature: 0, maxTokens: MAX_TOKENS },
    messages: scenarioPrompt(said),
    schema: SCENARIO_SCHEMA,
    read: ({ text }: { text: string }) => ScenarioAnswer.safeParse(parseAnswer(text)).data,
  };
  return askModel({ ...deps, patienceMs: PATIENCE_MS }, orgId, chain, settings, question, signal);
}

function scenarioOf(result: ModelResult<ScenarioAnswer>): { title: string; content: string } {
  if (result.kind === 'over_budget')
    throw conflict(`The budget "${result.budget}" of the AI is used up: see GET /autopilot/usage`);
  if (result.kind === 'down')
    throw unavailable(
      `The model gave no answer that can be used (${result.problem}): see GET /integrations, and try again`,
    );
  const { title, content } = result.value;
  if (title === null || content === null)
    throw unprocessable('The model found nothing in the session that other customers could be told');
  return { title, content };
}

/**
 * Stores a scenario as a draft. The AI does not use drafts. Throws notFound, and conflict if one of its source texts
 * was redacted meanwhile.
 */
export function storeScenario(db: Db, editor: Editor, { said, ...scenario }: WrittenScenario) {
  return inTransaction(db, async (trx) => {
    await lockSession(trx, editor.id, scenario.sessionId);
    if (!(await haveTexts(trx, editor.id, said)))
      throw conflict('Texts of the session were redacted meanwhile: send the request again');
    return learnTraining(trx, editor, scenario);
  });
}
