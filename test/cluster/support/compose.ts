import { readFileSync } from 'node:fs';
import { CORE_SCHEMA, load, mergeTag } from 'js-yaml';

const COMPOSE = new URL('../../../docker-compose.yml', import.meta.url);

/** `${NAME}`, `${NAME:-default}` or `${NAME:?what is missing}`. */
const VARIABLE = /\$\{(\w+)(?::([-?])([^}]*))?\}/g;

/** Returns the environment that docker-compose.yml gives to a service, for these variables of its caller. */
export function environmentOf(service: string, variables: Record<string, string>): Record<string, string> {
  const { services } = load(readFileSync(COMPOSE, 'utf8'), { schema: CORE_SCHEMA.withTags(mergeTag) }) as {
    services: Record<string, { environment?: Record<string, string | number> }>;
  };
  const environment = services[service]?.environment;
  if (environment === undefined) throw new Error(`docker-compose.yml has no environment of ${service}`);
  return Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [name, interpolate(String(value), variables)]),
  );
}

const interpolate = (text: string, variables: Record<string, string>): string =>
  text.replaceAll(VARIABLE, (_, name: string, kind?: string, rest = '') => {
    const value = variables[name] ?? '';
    if (value !== '') return value;
    if (kind === '?') throw new Error(`docker-compose.yml needs ${name}: ${rest}`);
    return kind === '-' ? rest : '';
  });
