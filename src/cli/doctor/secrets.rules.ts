import type { Config } from '../../config.ts';
import type { Finding } from './findings.ts';

/** Shorter ones are words that sentences have anyway. */
const MIN_LENGTH = 6;
const HIDDEN = '•••';

/** Replaces the secrets of the settings in what is to be shown: a server may repeat in its answer what it was sent. */
export function withoutSecrets(findings: Finding[], config: Config): Finding[] {
  const secrets = secretsOf(config);
  const clean = (text: string) => secrets.reduce((shown, secret) => shown.replaceAll(secret, HIDDEN), text);
  return findings.map(({ check, state, found, remedy }) => ({
    check,
    state,
    found: clean(found),
    ...(remedy === undefined ? {} : { remedy: clean(remedy) }),
  }));
}

/** Returns the secrets, the longest first, as they are written in the settings and as they are sent. */
function secretsOf(config: Config): string[] {
  const passwords = [config.DATABASE_URL, config.SMTP_URL].flatMap((url) => passwordsOf(url ?? ''));
  const keys = config.SECRET_KEYS.split(',').map((entry) => entry.slice(entry.indexOf(':') + 1).trim());
  const others = [
    ...config.signingSecrets,
    config.AWS_SECRET_ACCESS_KEY,
    config.AWS_SESSION_TOKEN,
    config.HUBSPOT_CLIENT_SECRET,
    config.OTEL_EXPORTER_OTLP_HEADERS,
  ];
  return [...passwords, ...keys, ...others.filter((secret) => secret !== undefined)]
    .filter((secret) => secret.length >= MIN_LENGTH)
    .toSorted((one, other) => other.length - one.length);
}

function passwordsOf(url: string): string[] {
  const written = URL.parse(url)?.password ?? '';
  if (written === '') return [];
  const plain = decoded(written);
  return [written, plain, Buffer.from(plain).toString('base64')];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
