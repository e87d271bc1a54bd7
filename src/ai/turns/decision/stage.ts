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

/** What a decision starts from. */
export interface DecisionInput {
  deps: DecisionDeps;
  ref: OrgRef;
  context: DecisionContext;
  limits: DecisionLimits;
}

/** What is recognized in the messages of a turn, before anything is searched or asked. */
export interface Recognition {
  gate: GateDecision;
  /** Whether the contact says that the issue is solved. */
  isSolved: boolean;
  /** Whether the messages are a yes or a no, whatever it is about. */
  isYesOrNo: boolean;
  /** The call that a yes or a no is about. */
  waiting: { id: string } | undefined;
}

/** A turn on its way through the stages. */
export interface TurnInDecision extends DecisionInput {
  org: OrgProfile;
  /** Returns one of our own sentences, in the language of the session. */
  say: (key: SentenceKey) => string;
  /** What the contact has written. */
  text: string;
  language: string;
  recognized: Recognition;
  /** The step of the gates, for the trace. */
  gates: Decision['steps'][number];
  /** What the stage of the plan leaves to the stage of the answer. Undefined if no model answers. */
  plan?: AnswerPlan;
}

/** What a model answers from. */
export interface AnswerPlan {
  chain: ModelChain;
  facts: KnownFacts;
  steps: TurnSteps;
  /** What is searched, each by itself. */
  queries: string[];
  receipts: Receipt[];
}

/** What a stage comes to: the decision, a plan for the stages after it, or nothing. */
export type StageResult = { decision: Decision } | { plan: AnswerPlan } | undefined;

/** A stage of a decision. The first stage with a decision ends the turn. */
export type Stage = (turn: TurnInDecision) => StageResult | Promise<StageResult>;
