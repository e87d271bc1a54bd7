import type { HandoffReason as ReasonOfAi } from '../../ai/turns/outcome.rules.ts';

/** The reasons by which handoffs are reported, each with its meaning. */
export const HANDOFF_REASONS = {
  user_requested_human_assistance: 'The contact asked for a person.',
  prohibited_topic: 'The message was about a prohibited topic.',
  insufficient_knowledge: 'The AI had no answer.',
  insufficient_tools: 'A model said that an action was missing.',
  instructions_not_clear: 'A model said that its instructions were not clear.',
  based_on_instructions: 'Never reported: instructions alone hand nothing off.',
  not_helping: 'The AI had not helped several times.',
  identity_required: 'The contact had to be known first.',
  action_failed: 'A call of an action failed.',
  action_outcome_unknown: 'Nobody can say whether a call of an action was done.',
  budget: 'A budget of the AI was used up.',
  provider_down: 'No model answered.',
  unreadable: 'Only files or something else without text came.',
  no_transport: 'There was an answer, and nothing carried it to the contact.',
  no_address: 'There was an answer, and the contact had no address on the channel.',
  ai_failed: 'The AI failed several times.',
  other: 'Words of whoever handed the session off: a person, a workflow or another system.',
  not_given: 'No reason was given, or it is redacted.',
} as const;
export type HandoffReason = keyof typeof HANDOFF_REASONS;

/** How the AI's own reasons are reported. All other reasons are words. */
export const REPORTED_REASONS: Record<ReasonOfAi, HandoffReason> = {
  user_request: 'user_requested_human_assistance',
  prohibited_topic: 'prohibited_topic',
  missing_knowledge: 'insufficient_knowledge',
  missing_tool: 'insufficient_tools',
  unclear_instructions: 'instructions_not_clear',
  not_helping: 'not_helping',
  identity_required: 'identity_required',
  action_failed: 'action_failed',
  action_outcome_unknown: 'action_outcome_unknown',
  budget: 'budget',
  provider_down: 'provider_down',
  unreadable: 'unreadable',
  no_transport: 'no_transport',
  no_address: 'no_address',
  ai_failed: 'ai_failed',
};

/** Explains why a session was handed off: by the words that were given, or by the meaning of the AI's reason. */
export const explanationOf = (reason: HandoffReason, words: string | null): string | null =>
  reason === 'other' || reason === 'not_given' ? words : HANDOFF_REASONS[reason];
