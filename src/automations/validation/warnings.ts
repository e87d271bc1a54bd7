import { z } from 'zod';
import type { Json, TriggerType } from '../blocks/schema.ts';
import { TRIGGERS } from '../triggers/schema.ts';

/** Returns which parts of a trigger's configuration nothing reads. */
export function warningsOfTrigger(type: TriggerType, configuration: Json): string[] {
  if (typeof configuration !== 'object' || configuration === null || Array.isArray(configuration)) return [];
  const { configuration: schema } = TRIGGERS[type];
  const known = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  const because = known.length === 0 ? `${type} has no configuration` : `${type} knows ${known.join(', ')}`;
  return Object.keys(configuration)
    .filter((name) => !known.includes(name))
    .map((name) => `trigger_configuration.${name} has no effect: ${because}`);
}
