import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../db/connect.ts';
import { newId } from '../ids.ts';
import type { ConnectionCalls } from '../orgs/integrations/calls.service.ts';
import { findConnection } from '../orgs/integrations/service.ts';
import type { HttpClient } from '../providers/egress/egress.ts';
import { type ChatMessage, completeChat, type LlmConnection } from '../providers/llm/chat.ts';
import { type LlmAnswer, type LlmTool, parseJson } from '../providers/llm/completions.ts';
import { LlmError, type LlmProblem } from '../providers/llm/errors.ts';
import { storableJson } from '../providers/storable.rules.ts';
import type { Secrets } from '../secrets.ts';
import { costOf, mostTokensOf, type TokenCounts } from './budgets/rules.ts';
import type { Budgets, Prices } from './budgets/schema.ts';
import { type BudgetName, reserveCall, settleCall } from './budgets/service.ts';
import { malformedBecause } from './malformed.ts';

export interface ModelDeps {
  db: Db;
  egress: HttpClient;
  /** Where the ends of calls are recorded. */
  calls: ConnectionCalls;
  secrets: Secrets;
  /** The longest that asking takes, with all models together. A minute and a half if absent. */
  patienceMs?: number;
}

/** An org's models in the order in which they are asked. No other model is ever used. */
export interface ModelChain {
  connection: LlmConnection;
  http: HttpClient;
  models: string[];
  /** Shows on the connection that an answer could not be used. */
  noteUnusable(error: string): void;
}

/** What may be spent on a question. */
export interface ModelTerms {
  budgets: Budgets;
  prices: Prices;
}

export interface ModelQuestion<Value> {
  sessionId: string | null;
  turnId: string | null;
  purpose: string;
  messages: ChatMessage[];
  tools?: LlmTool[];
  schema?: object | undefined;
  maxTokens: number;
  temperature?: number;
  /** Returns what the answer says, or undefined if it cannot be used. */
  read(answer: LlmAnswer): Value | undefined;
}

/** What asking has cost, failed tries included. */
export interface Spending {
  tries: { model: string; problem: LlmProblem | null; latency_ms: number }[];
  usage: TokenCounts & { estimated: boolean };
  cost: number;
}

export type ModelResult<Value> =
  | ({ kind: 'answered'; value: Value; model: string } & Spending)
  | ({ kind: 'over_budget'; budget: BudgetName } & Spending)
  | ({ kind: 'down'; problem: LlmProblem; error: LlmError } & Spending);

/** Rounds through the chain of models. A later round is worth it only if one of them may be there again. */
const ROUNDS = 2;
const ROUND_PAUSE_MS = 500;
const MAX_PAUSE_MS = 3_000;
const TIMEOUT_MS = 60_000;
/** Well below the two minutes that activities have: the end of asking is stored, and not asked for again. */
const PATIENCE_MS = 90_000;
/** However many models are left to ask, one gets this part of the whole time. */
const LEAST_SHARE = 1 / 4;

/** Returns the org's models, those of its settings or else its connection's own, or undefined without a connection. */
export async function findModels(
  { db, egress, calls, secrets }: ModelDeps,
  orgId: string,
  models: string[],
): Promise<ModelChain | undefined> {
  const settings = await findConnection(db, secrets, orgId, 'llm');
  if (settings === undefined) return undefined;
  const called = { orgId, kind: 'llm' as const, settings };
  return {
    connection: settings,
    http: calls.observe(egress, called),
    models: models.length > 0 ? models : [settings.model],
    noteUnusable: (error) => calls.noteUnusable(called, error),
  };
}

/**
 * Asks the models of a chain one after the other until one gives a usable answer. Each call is reserved in the budgets
 * before it is sent. Each model gets its share of the time that is left, so that those behind one that hangs are asked too;
 * without any left, the models are down. Aborted, it throws the reason of the signal.
 */
export async function askModel<Value>(
  deps: ModelDeps,
  orgId: string,
  chain: ModelChain,
  terms: ModelTerms,
  question: ModelQuestion<Value>,
  signal: AbortSignal,
): Promise<ModelResult<Value>> {
  const spending: Spending = { tries: [], usage: { input: 0, output: 0, cached: 0, estimated: false }, cost: 0 };
  const { patienceMs = PATIENCE_MS } = deps;
  const giveUpAt = performance.now() + patienceMs;
  const leftMs = () => giveUpAt - performance.now();
  let error = new LlmError('unavailable', 'The AI provider has no model');
  const down = () => ({ kind: 'down' as const, problem: error.problem, error, ...spending });
  for (let round = 1; ; round++) {
    let pauseMs = ROUND_PAUSE_MS;
    for (const [nth, model] of chain.models.entries()) {
      const timeoutMs = shareOf(leftMs(), { models: chain.models.length - nth, patienceMs });
      if (timeoutMs <= 0) return down();
      const asked = isMalformed(spending, model) ? withUsualTemperature(question) : question;
      const tried = await tryModel(deps, orgId, { ...chain, model, timeoutMs }, terms, asked, signal);
      if ('budget' in tried) return { kind: 'over_budget', budget: tried.budget, ...spending };
      addTo(spending, tried, model);
      if (tried.problem === null) return { kind: 'answered', value: tried.value, model, ...spending };
      error = tried.error;
      pauseMs = Math.max(pauseMs, Math.min(error.retryAfterMs ?? 0, MAX_PAUSE_MS));
    }
    if (round === ROUNDS || !isWorthRepeating(spending) || leftMs() <= pauseMs) return down();
    await sleep(pauseMs, undefined, { signal });
  }
}

/** Returns how long the next of some models may take. */
const shareOf = (leftMs: number, { models, patienceMs }: { models: number; patienceMs: number }): number =>
  Math.floor(Math.min(TIMEOUT_MS, leftMs, Math.max(leftMs / models, patienceMs * LEAST_SHARE)));

const WORTH_REPEATING: ReadonlySet<LlmProblem> = new Set(['rate_limited', 'unavailable', 'malformed']);

const isWorthRepeating = ({ tries }: Spending): boolean =>
  tries.some(({ problem }) => problem !== null && WORTH_REPEATING.has(problem));

const isMalformed = ({ tries }: Spending, model: string): boolean =>
  tries.some((one) => one.model === model && one.problem === 'malformed');

/** At a temperature of 0, a model gives the same unusable answer again. */
const withUsualTemperature = <Value>({ temperature: _, ...question }: ModelQuestion<Value>): ModelQuestion<Value> =>
  question;

function addTo(spending: Spending, { usage, cost, problem, latencyMs }: Tried<unknown>, model: string): void {
  spending.tries.push({ model, problem, latency_ms: latencyMs });
  spending.usage = {
    input: spending.usage.input + usage.input,
    output: spending.usage.output + usage.output,
    cached: spending.usage.cached + usage.cached,
    estimated: spending.usage.estimated || usage.estimated,
  };
  spending.cost += cost;
}

interface CallEnd {
  usage: TokenCounts & { estimated: boolean };
  cost: number;
  latencyMs: number;
}
type Tried<Value> = CallEnd & ({ problem: null; value: Value } | { problem: LlmProblem; error: LlmError });

/** Sends one call within the budgets, and settles it whatever happens. */
async function tryModel<Value>(
  { db }: ModelDeps,
  orgId: string,
  {
    connection,
    http,
    model,
    timeoutMs,
    noteUnusable,
  }: Omit<ModelChain, 'models'> & { model: string; timeoutMs: number },
  { budgets, prices }: ModelTerms,
  question: ModelQuestion<Value>,
  signal: AbortSignal,
): Promise<Tried<Value> | { budget: BudgetName }> {
  const { sessionId, turnId, purpose, messages, tools = [], schema, maxTokens, temperature } = question;
  const price = Object.hasOwn(prices, model) ? prices[model] : undefined;
  const texts = [...messages.map(({ content }) => content), JSON.stringify({ tools, schema })];
  const most = { input: mostTokensOf(texts), output: maxTokens, cached: 0 };
  const id = newId();
  const call = { id, sessionId, turnId, purpose, model, tokens: most.input + most.output, cost: costOf(most, price) };
  const budget = await reserveCall(db, orgId, call, budgets);
  if (budget !== undefined) return { budget };

  const startedAt = performance.now();
  const settle = async (usage: CallEnd['usage'], problem: LlmProblem | 'canceled' | null, requestId: string | null) => {
    const end = { usage, cost: costOf(usage, price), latencyMs: Math.round(performance.now() - startedAt) };
    const { estimated: isEstimated, ...counts } = usage;
    await settleCall(db, orgId, id, {
      ...counts,
      isEstimated,
      cost: end.cost,
      problem,
      requestId,
      latencyMs: end.latencyMs,
    });
    return end;
  };
  try {
    const request = { model, messages, tools, schema, maxTokens, timeoutMs, signal };
    const answer = await completeChat(http, connection, {
      ...request,
      ...(temperature !== undefined && { temperature }),
    });
    const value = question.read(answer);
    const end = await settle(answer.usage, value === undefined ? 'malformed' : null, answer.requestId);
    if (value !== undefined) return { ...end, problem: null, value };
    const error = new LlmError('malformed', malformedBecause(question, { model, json: parseAnswer(answer.text) }));
    noteUnusable(error.message);
    return { ...end, problem: 'malformed', error };
  } catch (error) {
    if (!(error instanceof LlmError)) throw error;
    const hasArrived = error.problem === 'timeout' || signal.aborted;
    const guessed = { input: hasArrived ? most.input : 0, output: 0, cached: 0, estimated: true };
    const end = await settle(error.usage ?? guessed, signal.aborted ? 'canceled' : error.problem, null);
    signal.throwIfAborted();
    if (error.problem === 'malformed') noteUnusable(error.message);
    return { ...end, problem: error.problem, error };
  }
}

/** Parses a model's JSON, storable in any column. Returns undefined for anything else, and for too deep nesting. */
export function parseAnswer(text: string): unknown {
  try {
    return storableJson(parseJson(text));
  } catch {
    return undefined;
  }
}

/** Returns the trace of a question to a model: its tries, tokens and cost. */
export const reportOf = (result: ModelResult<unknown>) => ({
  model: result.kind === 'answered' ? result.model : null,
  usage: result.usage,
  cost: result.cost,
  detail: {
    result: result.kind,
    tries: result.tries,
    ...(result.kind === 'over_budget' && { budget: result.budget }),
    ...(result.kind === 'down' && { problem: result.problem }),
  },
});
