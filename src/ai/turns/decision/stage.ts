import type { ModelChain } from '../../../models/asking.ts';
import type { OrgProfile } from '../../../orgs/service.ts';
import type { GateDecision } from '../../../recognition/gates.rules.ts';
import type { SentenceKey } from '../../../recognition/sentences.rules.ts';
import type { Receipt } from '../../answers/validation.rules.ts';
import type { DecisionContext } from '../context.service.ts';
import type { OrgRef } from '../contract.ts';
import type { DecisionDeps } from '../deps.ts';
import type { Decision } from '../outcome.rules.ts';
import type { TurnSteps } from '../steps.service.ts';
import type { KnownFacts } from './prompt-facts.service.ts';

/** How many steps with third parties a call of `decideTurn` may take. */
export interface DecisionLimits {
  steps: number;
  /** Whether confirmed calls may be made. They are not counted in `steps`. */
  callsOut: boolean;
  signal: AbortSignal;
}

/** The input of a decision. */
export interface DecisionInput {
  deps: DecisionDeps;
  ref: OrgRef;
  context: DecisionContext;
  limits: DecisionLimits;
}

/** The recognition of a turn's messages, before any search or request. */
export interface Recognition {
  gate: GateDecision;
  /** Whether the contact calls the issue solved. */
  isSolved: boolean;
  /** Whether the messages are a yes or a no, whatever it is about. */
  isYesOrNo: boolean;
  /** The call meant by a yes or a no. */
  waiting: { id: string } | undefined;
}

/** A turn on its way through the stages. */
export interface TurnInDecision extends DecisionInput {
  org: OrgProfile;
  /** Returns one of our own sentences, in the language of the session. */
  say: (key: SentenceKey) => string;
  /** The contact's text. */
  text: string;
  language: string;
  recognized: Recognition;
  /** The step of the gates, for the trace. */
  gates: Decision['steps'][number];
  /** The plan for the stage of the answer. Undefined if no model answers. */
  plan?: AnswerPlan;
}

/** The material of a model's answer. */
export interface AnswerPlan {
  chain: ModelChain;
  facts: KnownFacts;
  steps: TurnSteps;
  /** The queries, each searched by itself. */
  queries: string[];
  receipts: Receipt[];
}

/** The result of a stage: the decision, a plan for the stages after it, or nothing. */
export type StageResult = { decision: Decision } | { plan: AnswerPlan } | undefined;

/** A stage of a decision. The first stage with a decision ends the turn. */
export type Stage = (turn: TurnInDecision) => StageResult | Promise<StageResult>;
