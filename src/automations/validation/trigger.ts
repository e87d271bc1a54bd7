import { memberOf } from '../../collections/records.ts';
import { problemOfLogic } from '../../json-logic/json-logic.ts';
import { TriggerType } from '../blocks/schema.ts';
import { CronConfiguration } from '../triggers/configuration.schema.ts';
import { TRIGGERS } from '../triggers/schema.ts';
import { problemOfCronExpression } from './cron.ts';
import { describeIssue } from './input.rules.ts';

/** Returns the problems with a trigger's type, configuration and constraints. */
export function problemsOfTrigger(type: unknown, configuration: unknown, constraints: unknown): string[] {
  const fault = problemOfLogic(constraints);
  const problems = fault === undefined ? [] : [`trigger_constraints: ${fault}`];
  const known = TriggerType.safeParse(type);
  if (!known.success) return ['trigger_type must be one of those that GET /workflows/definitions lists', ...problems];
  return [...problems, ...problemsOfConfiguration(known.data, configuration)];
}

function problemsOfConfiguration(type: TriggerType, given: unknown): string[] {
  const { configuration, isConfigurable } = TRIGGERS[type];
  if (configuration === undefined) return [];
  if (given === undefined || given === null)
    return isConfigurable === 'optional' ? [] : [`trigger_configuration: ${type} needs one`];
  const { success, error, data } = configuration.safeParse(given);
  if (!success) return error.issues.map((issue) => `trigger_configuration.${describeIssue(issue)}`);
  if (type === 'ai-trigger') return problemsOfLimits(memberOf(data, 'limits'));
  return type === 'cron-trigger' ? problemsOfCron(CronConfiguration.parse(data)) : [];
}

function problemsOfLimits(limits: unknown): string[] {
  const fault = problemOfLogic(limits ?? null);
  return fault === undefined ? [] : [`trigger_configuration.limits: ${fault}`];
}

function problemsOfCron({ cron, timezone }: CronConfiguration): string[] {
  const fault = problemOfCronExpression(cron, timezone);
  return fault === undefined ? [] : [`trigger_configuration.cron: ${fault}`];
}
