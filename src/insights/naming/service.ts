import { getPublishedAiSettings } from '../../ai/settings/service.ts';
import { inTransaction } from '../../db/transaction.ts';
import { askModel, findModels, type ModelDeps, parseAnswer } from '../../models/asking.ts';
import { lockInsights } from '../queries.ts';
import { NAME_SCHEMA, NameAnswer } from './answer.schema.ts';
import { listCentral, nameByMedoid } from './central.service.ts';
import { namingPrompt } from './prompt.rules.ts';
import { hasStatements, listToName, updateName } from './queries.ts';

const QUOTES = 8;
const PURPOSE = 'insights';
const MAX_ANSWER_TOKENS = 200;

/**
 * Names the insights of a session after they have grown: at their second, fourth, eighth session, and so on. A model
 * names them over their eight most central quotes; without one, their most central statement does. Names given by hand
 * stay. Returns the number of names. Repeated, it finds none left.
 */
export async function nameInsights(
  deps: ModelDeps,
  { orgId, sessionId }: { orgId: string; sessionId: string },
  signal: AbortSignal,
): Promise<number> {
  const due = await listToName(deps.db, orgId, sessionId);
  for (const { id, occurrence_count } of due) await nameOne(deps, orgId, { id, occurrence_count }, signal);
  return due.length;
}

interface GrownInsight {
  id: string;
  occurrence_count: number;
}

async function nameOne(
  deps: ModelDeps,
  orgId: string,
  { id, occurrence_count }: GrownInsight,
  signal: AbortSignal,
): Promise<void> {
  const central = await listCentral(deps.db, orgId, id, QUOTES);
  const quotes = central.map(({ quote }) => quote);
  const content = quotes.length < 2 ? undefined : await askForName(deps, orgId, quotes, signal);
  await inTransaction(deps.db, async (trx) => {
    await lockInsights(trx, orgId);
    const sources = central.map((one) => one.id);
    const isKnown = content !== undefined && (await hasStatements(trx, orgId, id, sources));
    if (isKnown)
      await updateName(trx, orgId, id, {
        content,
        named_by: 'model',
        name_sources: sources,
        named_at_count: occurrence_count,
      });
    else await nameByMedoid(trx, orgId, id, occurrence_count);
  });
}

/** Asks the org's models, or returns undefined if none is connected, allowed or answers. */
async function askForName(
  deps: ModelDeps,
  orgId: string,
  quotes: string[],
  signal: AbortSignal,
): Promise<string | undefined> {
  const { mode, models, budgets, prices } = await getPublishedAiSettings(deps.db, orgId);
  const chain = mode === 'extractive' ? undefined : await findModels(deps, orgId, models);
  if (chain === undefined) return undefined;
  const question = {
    ...{ sessionId: null, turnId: null, purpose: PURPOSE, temperature: 0, maxTokens: MAX_ANSWER_TOKENS },
    messages: namingPrompt(quotes),
    schema: NAME_SCHEMA,
    read: ({ text }: { text: string }) => NameAnswer.safeParse(parseAnswer(text)).data?.name,
  };
  const result = await askModel(deps, orgId, chain, { budgets, prices }, question, signal);
  return result.kind === 'answered' ? result.value : undefined;
}
