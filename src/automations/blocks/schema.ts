import { z } from 'zod';

/** The types of triggers, as workflow definitions name them. Never rename one: stored definitions contain them. */
export const TRIGGER_TYPES = [
  'manual-trigger',
  'ai-trigger',
  'cron-trigger',
  'form-trigger',
  'webhook',
  'contact-created',
  'phone-call-started',
  'phone-call-finished',
  'ticket-created',
  'ticket-reassigned',
  'ticket-resolved',
  'ticket-handoff',
  'pre-ticket-handoff',
  'ticket-tag-added',
  'ticket-inactive',
  'sequence-completed',
  'csat-score-submit',
  'prohibited-topic-detected',
  'sla-first-reply-warning',
  'sla-next-reply-warning',
  'sla-resolution-warning',
  'sla-first-reply-breached',
  'sla-next-reply-breached',
  'sla-resolution-breached',
  'voice-call-transferred',
  'pre-voice-call-transfer',
] as const;
export const TriggerType = z.enum(TRIGGER_TYPES).meta({ id: 'WorkflowTriggerType' });
export type TriggerType = z.infer<typeof TriggerType>;

export const OPERATORS = [
  'equals',
  'not_equals',
  'contains',
  'not_contains',
  'starts_with',
  'ends_with',
  'greater_than',
  'greater_than_or_equal',
  'less_than',
  'less_than_or_equal',
  'in',
  'not_in',
  'is_empty',
  'is_not_empty',
] as const;
export type Operator = (typeof OPERATORS)[number];
/** Operators without a right operand. */
export const UNARY_OPERATORS: readonly Operator[] = ['is_empty', 'is_not_empty'];

/**
 * Any JSON value. The API accepts any JSON as steps; validation checks their fields and reports each problem with its
 * step.
 */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
export const AnyJson = z.custom<Json>(() => true).meta({ description: 'Any JSON.' });

export interface ActionStep {
  $kind: 'Action';
  id: string;
  type: string;
  name: string;
  input: { [key: string]: Json };
  retry?: { attempts: number } | undefined;
  on_error?: 'fail' | 'continue' | undefined;
  retry_safe?: boolean | undefined;
}
export interface IfElseBlock {
  $kind: 'Block';
  type: 'if-else';
  id: string;
  inputs: { condition: { operatorName: Operator; left: Json; right?: Json } };
  branches: { then: Step[]; else?: Step[] };
}
export interface SwitchBlock {
  $kind: 'Block';
  type: 'switch';
  id: string;
  inputs: { value: Json };
  branches: { cases: { equals: Json; steps: Step[] }[]; default?: Step[] };
}
export interface ForEachBlock {
  $kind: 'Block';
  type: 'for-each';
  id: string;
  inputs: { items: Json };
  branches: { do: Step[] };
}
export interface WaitBlock {
  $kind: 'Block';
  type: 'wait';
  id: string;
  inputs: { minutes: Json } | { until: Json };
}
export interface WaitForEventBlock {
  $kind: 'Block';
  type: 'wait-for-event';
  id: string;
  inputs: { trigger_type: TriggerType; constraint?: Json; timeout_minutes: Json };
}
/** The types of blocks that only choose which steps come next. */
export const CHOOSING_BLOCK_TYPES = ['if-else', 'switch', 'for-each'] as const satisfies ControlBlock['type'][];
/** The types of all blocks. */
export const BLOCK_TYPES = [
  ...CHOOSING_BLOCK_TYPES,
  'wait',
  'wait-for-event',
] as const satisfies ControlBlock['type'][];
export type ControlBlock = IfElseBlock | SwitchBlock | ForEachBlock | WaitBlock | WaitForEventBlock;
export type Step = ActionStep | ControlBlock;
