import { z } from 'zod';
import { strictThroughout, unknownPathsIn } from '../../schemas/parts.ts';
import type { Json, TriggerType } from '../blocks/schema.ts';
import { TRIGGERS } from '../triggers/schema.ts';

/** Returns which parts of a trigger's configuration nothing reads. */
export function warningsOfTrigger(type: TriggerType, configuration: Json): string[] {
  if (typeof configuration !== 'object' || configuration === null || Array.isArray(configuration)) return [];
  const { configuration: schema = z.object({}) } = TRIGGERS[type];
  const { error } = strictThroughout(schema).safeParse(configuration);
  return unknownPathsIn(error).map((path) => warningOf(type, path, schema));
}

function warningOf(type: TriggerType, path: PropertyKey[], schema: z.ZodType): string {
  const known = path.length === 1 && schema instanceof z.ZodObject ? Object.keys(schema.shape) : undefined;
  const because =
    known === undefined
      ? 'it is not known there'
      : known.length === 0
        ? `${type} has no configuration`
        : `${type} knows ${known.join(', ')}`;
  return `trigger_configuration.${path.map(String).join('.')} has no effect: ${because}`;
}
