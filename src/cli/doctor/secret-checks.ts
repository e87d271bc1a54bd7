import type { Config } from '../../config.ts';
import type { Db } from '../../db/connect.ts';
import { listKeyUses } from '../../operations/key-rotation/service.ts';
import { createSecrets } from '../../secrets.ts';
import { examine, type Finding, fault, type Judgement, ok, skipped, warning } from './findings.ts';

const MIN_CHARACTERS = 10;
/** Tables that stay small. `cli secrets status` reads all of them, which takes a while for millions of contacts. */
const TABLES = ['integrations', 'crm_tokens', 'sending_domains', 'webhook_endpoints'];

/** Checks the secrets of the settings, without showing any: whether they can be guessed, and what they are needed for. */
export async function examineSecrets(db: Db | undefined, config: Config): Promise<Finding[]> {
  return [
    await examine('JWT_SECRET', 'correct JWT_SECRET', async () => judgeSigning(config)),
    await examine('SECRET_KEYS', 'correct SECRET_KEYS', () => judgeKeys(db, config)),
  ];
}

/** Returns whether a secret repeats so few characters that nobody can have drawn it at random. */
const isGuessable = (secret: string): boolean => new Set(secret).size < MIN_CHARACTERS;

const keysOf = (ring: string): string[] => ring.split(',').map((entry) => entry.slice(entry.indexOf(':') + 1));

function judgeSigning({ JWT_SECRET, JWT_SECRETS_ACCEPTED: accepted }: Config): Judgement {
  if ([JWT_SECRET, ...accepted].some(isGuessable))
    return warning(
      `a secret has fewer than ${MIN_CHARACTERS} different characters`,
      'whoever guesses it can make API keys: draw a new one with "openssl rand -hex 32", see "A new JWT_SECRET" in docs/deployment.md',
    );
  if (accepted.includes(JWT_SECRET))
    return warning('JWT_SECRETS_ACCEPTED repeats JWT_SECRET', 'remove it from JWT_SECRETS_ACCEPTED');
  return ok(accepted.length === 0 ? 'signs, and no other is accepted' : `signs, and ${accepted.length} more accepted`);
}

async function judgeKeys(db: Db | undefined, { SECRET_KEYS }: Config): Promise<Judgement> {
  if (keysOf(SECRET_KEYS).some(isGuessable))
    return warning(
      `a key has fewer than ${MIN_CHARACTERS} different characters`,
      'whoever guesses it can read stored secrets: draw a new one with "openssl rand -base64 32", see "A new encryption key" in docs/deployment.md',
    );
  if (db === undefined) return skipped('Postgres cannot be asked');
  const uses = await listKeyUses(db, createSecrets(SECRET_KEYS), TABLES);
  const of = (use: (typeof uses)[number]['use']) => uses.filter((one) => one.use === use);
  const missing = of('is missing in SECRET_KEYS');
  if (missing.length > 0)
    return fault(
      `${missing.map(({ key, secrets }) => `${secrets} stored secrets need the key ${key}`).join(', ')}, which is not there`,
      'add it to SECRET_KEYS again: it is with the backups of that time',
    );
  const older = of('decrypts');
  if (older.length === 0) return ok(`${of('encrypts')[0]?.key} encrypts, and there is no other`);
  const inUse = older.filter(({ secrets }) => secrets > 0);
  const found = older.map(({ key, secrets }) => `${key} has encrypted ${secrets}`).join(', ');
  return inUse.length > 0
    ? warning(found, 'the key is being replaced: run "npm run cli -- secrets reencrypt"')
    : ok(`${found}; "npm run cli -- secrets status" says whether it can be removed`);
}
