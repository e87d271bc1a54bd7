/** How a provider wants what OpenAI's protocol lets one say in several ways. */
export interface Dialect {
  format: 'json_schema' | 'json_object' | 'text';
  limit: 'max_tokens' | 'max_completion_tokens';
  hasTemperature: boolean;
}

export const FIRST_DIALECT: Dialect = { format: 'json_schema', limit: 'max_tokens', hasTemperature: true };

/**
 * Returns the dialect to try after a refusal with status 400 or 422, or undefined if the refusal is about something
 * else. Each call leaves out one thing, so trying ends.
 */
export function nextDialect(dialect: Dialect, refusal: string): Dialect | undefined {
  const text = refusal.slice(0, 2_000).toLowerCase();
  if (dialect.limit === 'max_tokens' && text.includes('max_tokens'))
    return { ...dialect, limit: 'max_completion_tokens' };
  if (dialect.hasTemperature && text.includes('temperature')) return { ...dialect, hasTemperature: false };
  if (!/response_format|json_schema|json_object|structured output|schema/.test(text)) return undefined;
  if (dialect.format === 'json_schema') return { ...dialect, format: 'json_object' };
  return dialect.format === 'json_object' ? { ...dialect, format: 'text' } : undefined;
}
