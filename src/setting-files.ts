import { readFileSync } from 'node:fs';
import { messageOf } from './errors.ts';

/** The settings that can be in a file: `JWT_SECRET_FILE=/run/secrets/jwt` in place of JWT_SECRET. */
export const SETTINGS_IN_FILES = [
  'DATABASE_URL',
  'JWT_SECRET',
  'JWT_SECRETS_ACCEPTED',
  'SECRET_KEYS',
  'SMTP_URL',
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'HUBSPOT_CLIENT_SECRET',
  'OTEL_EXPORTER_OTLP_HEADERS',
] as const;

type Environment = Record<string, string | undefined>;

/**
 * Returns an environment with the settings that are in files, without the line break at the end of each. `problems` says
 * what is set twice or cannot be read.
 */
export function readSettingFiles(env: Environment): { env: Environment; problems: string[] } {
  const read: Environment = { ...env };
  const problems: string[] = [];
  for (const name of SETTINGS_IN_FILES) {
    const file = env[`${name}_FILE`] ?? '';
    if (file === '') continue;
    if ((env[name] ?? '') !== '') {
      problems.push(`${name}_FILE: ${name} is set too: leave out one of them`);
      continue;
    }
    try {
      read[name] = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
    } catch (error) {
      problems.push(`${name}_FILE: the file cannot be read: ${messageOf(error)}`);
    }
  }
  return { env: read, problems };
}
