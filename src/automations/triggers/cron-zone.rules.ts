import { ianaNameOf } from '../../orgs/time-zone-names.rules.ts';
import type { Json } from '../blocks/schema.ts';

/** Returns a trigger's configuration with the time zone of a cron trigger as IANA writes its name. */
export function withIanaZone(configuration: Json): Json {
  if (typeof configuration !== 'object' || configuration === null || Array.isArray(configuration)) return configuration;
  const name = typeof configuration.timezone === 'string' ? ianaNameOf(configuration.timezone) : undefined;
  return name === undefined ? configuration : { ...configuration, timezone: name };
}
