import { onlyReads } from '../../actions/definitions/effects.rules.ts';
import { toolsOf } from '../../actions/definitions/tools.rules.ts';
import { oneLine } from '../../actions/mcp/definitions.rules.ts';
import { memberOf } from '../../collections/records.ts';
import type { SessionRow } from '../../conversations/sessions/service.ts';
import {
  askModel,
  type ModelChain,
  type ModelDeps,
  type ModelQuestion,
  type ModelTerms,
  parseAnswer,
  reportOf,
  type Spending,
} from '../../models/asking.ts';
import { namedTopic } from '../../recognition/recognition.rules.ts';
import type { SpokenMessage } from '../answers/prompts.rules.ts';
import type { Receipt } from '../answers/validation.rules.ts';
import { problemOfJson } from '../calls/arguments.rules.ts';
import type { CallLedger } from '../calls/ledger.port.ts';
import type { Tool } from '../workflow-tools/service.ts';
import { noteOf, type StoredCall } from './notes.rules.ts';
import { PLAN_SCHEMA, Plan } from './plan.schema.ts';
import { type PlanNote, planPrompt } from './prompt.rules.ts';
import { effectsAmong, receiptOf } from './receipts.ts';

export { effectsAmong } from './receipts.ts';

/** The material of a plan. */
export interface Planning {
  chain: ModelChain;
  terms: ModelTerms & { max_steps: number; max_calls: number };
  session: Pick<SessionRow, 'channel' | 'contact_id' | 'verified'>;
  billing: Pick<ModelQuestion<unknown>, 'sessionId' | 'turnId'> & { purpose?: string };
  ledger: CallLedger;
  actions: Tool[];
  conversation: SpokenMessage[];
  language: string;
  instructions: string[];
  context: Record<string, string>;
  prohibitedTopics: string[];
  /** Values never shown to a model. */
  secrets: readonly string[];
  /** Whether the conversation has texts possibly written by others, such as a quote of a crawled page. */
  hasUntrusted: boolean;
  signal: AbortSignal;
  /** Takes a step, or returns its earlier decision. */
  decide<Decision>(
    purpose: 'plan' | 'call',
    work: () => Promise<{ decision: Decision } & PlanReport>,
  ): Promise<Decision>;
}

interface PlanReport {
  latency_ms: number;
  detail: Record<string, unknown>;
  model?: string | null;
  usage?: Spending['usage'] | null;
  cost?: number | null;
}

/** The result of planning. */
export type Planned =
  | { kind: 'search'; queries: string[]; receipts: Receipt[] }
  /** The call waits for a confirmation. */
  | { kind: 'confirm'; callId: string; model: string }
  /** The run of a workflow takes longer than a turn waits. */
  | { kind: 'in_progress'; model: string }
  | { kind: 'handoff'; reason: string; topic?: string | undefined; model: string }
  | { kind: 'over_budget' }
  | { kind: 'down' };

interface StoredPlan {
  kind: 'planned';
  queries: string[];
  call: { action_id: string; operation_id: string; arguments: Record<string, unknown> } | null;
  handoffReason: string | null;
  /** The prohibited topic named by the model. */
  topic?: string | undefined;
  model: string;
}

/** Refusals of a call that hand the session to people, regardless of other possible plans. */
const HANDOFFS: Partial<Record<string, string>> = {
  identity_required: 'identity_required',
  outcome_unknown: 'action_outcome_unknown',
};
const MAX_PLAN_TOKENS = 1_000;
const MAX_RECEIPTS = 20;
const MAX_TOLD_ERROR = 300;

/**
 * Asks a model for the next call and makes it, one at a time, until nothing is left to call. Every call is in the
 * ledger before it is sent. Repeated after a crash, it continues from its last step.
 */
export async function planTurn(deps: ModelDeps, orgId: string, planning: Planning): Promise<Planned> {
  const { terms, session, ledger } = planning;
  const notes: PlanNote[] = [];
  let calls = 0;
  for (let step = 1; ; step++) {
    const known = (await ledger.list()).filter(({ state }) => state === 'done').slice(-MAX_RECEIPTS);
    const effects = await effectsAmong(deps.db, orgId, known);
    const receipts = known.map((call) =>
      receiptOf(call, { isEffect: effects.has(call.id), secrets: planning.secrets }),
    );
    const plan: StoredPlan | { kind: 'over_budget' | 'down' } = await planning.decide('plan', () =>
      askPlan(deps, orgId, planning, { receipts, notes }),
    );
    if (plan.kind !== 'planned') return { kind: plan.kind };
    const { queries, call, handoffReason, topic, model } = plan;
    if (handoffReason !== null) return { kind: 'handoff', reason: handoffReason, topic, model };
    if (call === null || calls >= terms.max_calls || step >= terms.max_steps)
      return { kind: 'search', queries, receipts };
    calls++;
    const hasQuotes = notes.some(({ said_by_server }) => said_by_server !== undefined);
    const untrustedRead = session.channel === 'email' || planning.hasUntrusted || receipts.length > 0 || hasQuotes;
    const made: StoredCall = await planning.decide('call', () => makeCall(planning, { ...call, untrustedRead }));
    if (made.kind === 'confirm') return { kind: 'confirm', callId: made.callId, model };
    if (made.kind === 'in_progress') return { kind: 'in_progress', model };
    if (made.kind === 'unknown') return { kind: 'handoff', reason: 'action_outcome_unknown', model };
    if (made.kind === 'failed') return { kind: 'handoff', reason: 'action_failed', model };
    const reason = made.kind === 'refused' ? HANDOFFS[made.code] : undefined;
    if (reason !== undefined) return { kind: 'handoff', reason, model };
    if (made.kind === 'refused') notes.push(noteOf(made, call.operation_id));
  }
}

async function askPlan(
  deps: ModelDeps,
  orgId: string,
  planning: Planning,
  { receipts, notes }: { receipts: Receipt[]; notes: PlanNote[] },
): Promise<{ decision: StoredPlan | { kind: 'over_budget' | 'down' } } & PlanReport> {
  const startedAt = performance.now();
  const { chain, terms, session, billing, actions, signal } = planning;
  const tools = toolsOf(actions);
  const result = await askModel(
    deps,
    orgId,
    chain,
    terms,
    {
      purpose: 'plan',
      ...billing,
      messages: planPrompt(planning.conversation, { ...planning, channel: session.channel, receipts, notes }),
      tools: tools.map(({ tool }) => tool),
      schema: PLAN_SCHEMA,
      maxTokens: MAX_PLAN_TOKENS,
      temperature: 0,
      read: ({ text, toolCalls }) => {
        const plan = text.trim() === '' ? Plan.parse({}) : Plan.safeParse(parseAnswer(text)).data;
        if (plan === undefined && toolCalls.length === 0) return undefined;
        const calls = [
          ...toolCalls,
          ...(plan?.calls ?? []).map((call) => ({ name: call.action, arguments: call.arguments ?? {} })),
        ];
        const wanted = calls.map((call) => {
          const named = tools.find(({ tool }) => tool.name === call.name);
          const action = (named ?? tools.find((one) => one.action.operation_id === call.name))?.action;
          return { action, arguments: action?.isWorkflow ? { body_params: call.arguments } : call.arguments };
        });
        const isUsable = wanted.every((one) => one.action !== undefined && problemOfJson(one.arguments) === undefined);
        return isUsable ? { plan, wanted } : undefined;
      },
    },
    signal,
  );
  const report = { latency_ms: Math.round(performance.now() - startedAt), ...reportOf(result) };
  if (result.kind !== 'answered') return { decision: { kind: result.kind }, ...report };
  const { plan, wanted } = result.value;
  const [first] = wanted;
  const call =
    first?.action === undefined
      ? null
      : { action_id: first.action.id, operation_id: first.action.operation_id, arguments: first.arguments };
  const detail = { ...report.detail, calls: call === null ? [] : [call.operation_id], offered: tools.length };
  const decision: StoredPlan = {
    kind: 'planned',
    queries: plan?.queries ?? [],
    call,
    handoffReason: plan?.handoff_reason ?? null,
    topic: namedTopic(plan?.prohibited_topic, planning.prohibitedTopics),
    model: result.model,
  };
  return { decision, ...report, detail };
}

async function makeCall(
  { actions, session, ledger, signal }: Planning,
  wanted: { action_id: string; operation_id: string; arguments: Record<string, unknown>; untrustedRead: boolean },
): Promise<{ decision: StoredCall } & PlanReport> {
  const startedAt = performance.now();
  const end = (decision: StoredCall) => {
    const detail = {
      result: decision.kind,
      operation_id: wanted.operation_id,
      ...('callId' in decision && { call_id: decision.callId }),
    };
    return { decision, latency_ms: Math.round(performance.now() - startedAt), detail };
  };
  const action = actions.find(({ id }) => id === wanted.action_id);
  if (action === undefined)
    return end({ kind: 'refused', code: 'gone', note: `${wanted.operation_id} is not there any more` });
  const { call, refusal } = await ledger.propose({
    action,
    arguments: wanted.arguments,
    untrustedRead: wanted.untrustedRead,
    isVerified: session.verified === true,
    contactId: session.contact_id,
  });
  if (call === undefined)
    return end({ kind: 'refused', code: refusal.code, note: `${wanted.operation_id}: ${refusal.message}` });
  const callId = call.id;
  if (call.state === 'needs_confirmation') return end({ kind: 'confirm', callId, note: '' });
  const settled = await ledger.run(callId, signal);
  if (settled.state === 'done') return end({ kind: 'done', callId, note: '' });
  if (settled.state === 'running') return end({ kind: 'in_progress', callId, note: '' });
  if (settled.state === 'unknown') return end({ kind: 'unknown', callId, note: '' });
  const note = `${wanted.operation_id} was ${settled.state}${settled.status === null ? '' : `, status ${settled.status}`}`;
  const isHarmless = onlyReads(action) || settled.state !== 'failed';
  const told = toldError(settled.response);
  if (isHarmless && told !== '')
    return end({ kind: 'refused', code: settled.state, note, quote: told, isQuoting: true });
  return end(isHarmless ? { kind: 'refused', code: settled.state, note } : { kind: 'failed', callId, note });
}

/** Returns the error text of a tool, such as a missing record, in one short line. */
function toldError(response: unknown): string {
  const text = memberOf(response, 'is_error') === true ? memberOf(response, 'text') : undefined;
  return typeof text === 'string' ? oneLine(text, MAX_TOLD_ERROR) : '';
}
