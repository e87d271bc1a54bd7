import { type Issue, invalid } from '../errors.ts';
import type { Secrets } from '../secrets.ts';
import type { findIntegration } from './integrations.queries.ts';
import { type IntegrationKind, MASK, SECRET_PATHS } from './integrations.schema.ts';

/** Settings by name, with "***" in the place of each secret. */
export type Settings = Record<string, unknown>;
/** Secrets by their path in the settings. */
export type SecretValues = Record<string, string>;
export type Row = NonNullable<Awaited<ReturnType<typeof findIntegration>>>;

/** Of an org's only connection of a kind. */
export const NAME = 'Default';
/** What no settings hold: the token in the address that the org's CRM posts to. */
export const WEBHOOK_TOKEN = 'webhook_token';
/** A secret goes only where it was meant for: to keep it while these change would let its holder send it elsewhere. */
const DESTINATIONS = ['host', 'base_url'];
const LEAST_SECRET_LENGTH = 4;

const placeOf = (orgId: string, kind: string, name: string) => ({
  orgId,
  table: 'integrations',
  column: 'secrets',
  row: `${kind}/${name}`,
});

/** Encrypts the secrets of a connection. */
export function sealSecrets(
  secrets: Secrets,
  orgId: string,
  kind: string,
  name: string,
  values: SecretValues,
): string | null {
  if (Object.keys(values).length === 0) return null;
  return secrets.encrypt(JSON.stringify(values), placeOf(orgId, kind, name));
}

/** The secrets of a connection. */
export function openSecrets(
  secrets: Secrets,
  orgId: string,
  { kind, name, secrets: sealed }: Pick<Row, 'kind' | 'name' | 'secrets'>,
): SecretValues {
  if (sealed === null) return {};
  return JSON.parse(secrets.decrypt(sealed, placeOf(orgId, kind, name)));
}

/** Takes the secrets out of given settings, leaving "***" in their place. Throws invalid for one that is to be kept where there is none. */
export function splitSecrets(kind: IntegrationKind, given: object, stored: Settings, before: SecretValues) {
  const settings = structuredClone(given) as Settings;
  const values: SecretValues = {};
  const issues: Issue[] = [];
  const hasMoved = DESTINATIONS.some((key) => settings[key] !== stored[key]);

  for (const path of SECRET_PATHS[kind]) {
    const value = valueAt(settings, path);
    if (value === undefined) continue;
    const kept = value === MASK ? before[path] : value;
    if (kept === undefined)
      issues.push({ path: `body.settings.${path}`, message: 'no secret is stored to keep: send it' });
    else if (value === MASK && hasMoved) {
      issues.push({
        path: `body.settings.${path}`,
        message: 'send the secret again: it is not kept when host or base_url changes',
      });
    } else values[path] = kept;
    setAt(settings, path, MASK);
  }
  if (issues.length > 0) {
    throw invalid(
      `The request is not valid: ${issues.map(({ path, message }) => `${path}: ${message}`).join('; ')}`,
      issues,
    );
  }
  return { settings, values };
}

/** Settings with their secrets. */
export function joinSecrets(settings: Settings, values: SecretValues): Settings {
  const joined = structuredClone(settings);
  for (const [path, value] of Object.entries(values)) if (path !== WEBHOOK_TOKEN) setAt(joined, path, value);
  return joined;
}

/** Paths have one step or two, and come from SECRET_PATHS. */
function valueAt(settings: Settings, path: string): string | undefined {
  const [first, second] = path.split('.') as [string, string?];
  const value = settings[first];
  return (second === undefined ? value : (value as Settings | undefined)?.[second]) as string | undefined;
}

function setAt(settings: Settings, path: string, value: string): void {
  const [first, second] = path.split('.') as [string, string?];
  if (second === undefined) settings[first] = value;
  else (settings[first] as Settings)[second] = value;
}

/** A provider may quote what it was sent. */
export const withoutSecrets = (message: string, values: SecretValues) =>
  Object.values(values)
    .filter((value) => value.length >= LEAST_SECRET_LENGTH)
    .reduce((text, value) => text.replaceAll(value, MASK), message);
