import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { LRUCache } from 'lru-cache';
import { canonicalJson } from '../../collections/canonical-json.ts';
import type { Db, Trx } from '../../db/connect.ts';
import { hasFastPaths } from '../../db/fast-paths.ts';
import { inTransaction } from '../../db/transaction.ts';
import { conflict, forbidden, invalid, notFound } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { satisfiesConstraint } from '../../json-logic/json-logic.ts';
import type { MediaLinks } from '../../media/links.ts';
import { isSameSecret } from '../../providers/constant-time.ts';
import type { Storage } from '../../providers/storage/port.ts';
import type { Secrets } from '../../secrets.ts';
import { heapSizeOf } from '../blocks/heap-size.rules.ts';
import type { Json, TriggerType } from '../blocks/schema.ts';
import { isCredentialName } from '../masking.rules.ts';
import { wakeStarters } from '../runs/inline/waking.ts';
import { startRuns, triggerOutputOf } from '../runs/start-runs.service.ts';
import { getVersion } from '../runs/versions.service.ts';
import { FormConfiguration, WebhookConfiguration } from './configuration.schema.ts';
import { parseForm } from './form.rules.ts';
import { withFormFiles } from './form-files.service.ts';
import type { ReadForm } from './multipart-forms.ts';
import { decryptSecret } from './secrets.rules.ts';
import { checkSignature } from './webhook-signatures.ts';
import { findRunByKey, findWebhook, insertRunOfWebhook } from './webhooks.queries.ts';

/** A request to a workflow's own URL. */
export interface WebhookRequest {
  headers: IncomingHttpHeaders;
  query: unknown;
  /** The parsed body: JSON, form fields or text. */
  content: Json;
  /** The raw body, as signed. */
  body: Buffer;
  /** Of a multipart form, in place of `content`. */
  form?: ReadForm | undefined;
}

const MAX_KEY_CHARACTERS = 255;
const DAY_MS = 24 * 60 * 60_000;

/** What receiving a webhook needs: files of forms are stored. */
export interface WebhookDeps {
  secrets: Secrets;
  storage: Storage;
  mediaLinks: MediaLinks;
}

export interface Webhook {
  orgId: string;
  /** The org's default language, as a language code. */
  orgLanguage: string;
  id: string;
  token: string;
  type: TriggerType | null;
  configuration: Json;
  /** The active version; null if the workflow is inactive. */
  version: { id: number; constraints: Json } | null;
}

const MAX_REMEMBERED_BYTES = 8 * 1024 * 1024;

/**
 * The workflows of webhooks by their ids, as this process last read them. Any may have changed since: only a statement that
 * compares token and version with the database may start a run of one: none starts as it was before.
 */
const remembered = new LRUCache<string, Webhook>({ maxSize: MAX_REMEMBERED_BYTES, sizeCalculation: heapSizeOf });

/** Returns the workflow of a URL as this process remembers it, or else like readWebhook. */
export async function findOrReadWebhook(db: Db, automationId: string, token: string): Promise<Webhook> {
  const known = hasFastPaths(db) ? remembered.get(automationId) : undefined;
  return known !== undefined && isSameSecret(token, known.token) ? known : readWebhook(db, automationId, token);
}

/** Returns the workflow of a URL. Throws notFound both for a wrong token and for an unknown workflow. */
export async function readWebhook(db: Db, automationId: string, token: string): Promise<Webhook> {
  const found = await findWebhook(db, automationId);
  if (!isSameSecret(token, found?.webhook_token ?? '') || found === undefined) throw notFound('workflow address');
  const {
    org_id: orgId,
    org_language: orgLanguage,
    id,
    trigger_type: type,
    trigger_configuration: configuration,
  } = found;
  const version = found.version_id === null ? null : { id: found.version_id, constraints: found.trigger_constraints };
  const webhook = { orgId, orgLanguage, id, token, type, configuration, version };
  remembered.set(automationId, webhook);
  return webhook;
}

/**
 * Starts the workflow of a webhook, once for each idempotency key of the sender. A repeated request gets the run of the
 * first one, and so does a repeated body whose signature has no time. Returns the run's id, or null if the constraint
 * does not hold. Throws conflict, and forbidden if a required signature is missing or wrong.
 */
export async function receiveWebhook(
  db: Db,
  deps: WebhookDeps,
  hook: Webhook,
  request: WebhookRequest,
): Promise<string | null> {
  if (!hasFastPaths(db)) return receiveAsRead(db, deps, hook, request);
  const runId = await receivePlainly(db, deps, hook, request);
  return runId ?? receiveAsRead(db, deps, await readWebhook(db, hook.id, hook.token), request);
}

/**
 * Queues the run of a webhook in one statement, which finds out whether the workflow is still as remembered. Returns
 * undefined if it is not, or more has to be done.
 */
async function receivePlainly(
  db: Db,
  { secrets }: WebhookDeps,
  hook: Webhook,
  { form, ...request }: WebhookRequest,
): Promise<string | undefined> {
  const { orgId, id: automationId, token, version } = hook;
  if (hook.type !== 'webhook' || version === null || form !== undefined) return undefined;
  const signature = signatureOf(secrets, hook, request);
  if (signature === 'wrong') return undefined;
  const idempotencyKey = keyOf(hook, request, signature !== 'untimed');
  if (signature === 'untimed' && idempotencyKey === undefined) return undefined;
  const key = triggerKeyOf('webhook', idempotencyKey);
  const output = triggerOutputOf('webhook', { key, occurredAt: new Date(), output: outputOf(request) });
  if (!(await isPlain(db, hook, version, output))) return undefined;
  const run = {
    orgId,
    automationId,
    token,
    versionId: version.id,
    runId: newId(),
    key,
    output: JSON.stringify(output),
  };
  const { is_current, is_new, run_id } = await insertRunOfWebhook(db, run);
  if (is_new) wakeStarters(db, orgId);
  return is_current && run_id !== null ? run_id : undefined;
}

/** Whether a run of the version begins and waits for no event. */
async function isPlain(
  db: Db,
  { orgId }: Webhook,
  { id, constraints }: NonNullable<Webhook['version']>,
  output: { [key: string]: Json },
): Promise<boolean> {
  if ((await getVersion(db, orgId, id)).awaitedTypes.length > 0) return false;
  try {
    return satisfiesConstraint(constraints, output);
  } catch {
    return false; // it is counted elsewhere
  }
}

/** Receives a webhook of a workflow that was read for this request. */
async function receiveAsRead(
  db: Db,
  deps: WebhookDeps,
  hook: Webhook,
  { form, ...sent }: WebhookRequest,
): Promise<string | null> {
  assertTriggerType(hook, 'webhook', 'a webhook');
  const signature = signatureOf(deps.secrets, hook, sent);
  if (signature === 'wrong') throw forbidden('The signature is missing or wrong');
  return withFormFiles(db, deps, hook.orgId, async (files) => {
    const request = form === undefined ? sent : { ...sent, content: await form(files.store) };
    const key = keyOf(hook, request, signature !== 'untimed');
    const start = { output: outputOf(request), onStart: files.keep };
    return signature === 'untimed' && key === undefined
      ? startOnceADay(db, hook, request.body, start)
      : startOnce(db, hook, 'webhook', { ...start, idempotencyKey: key });
  });
}

/** A request without the reader of its form. */
type SentRequest = Omit<WebhookRequest, 'form'>;

/** Returns what the signature of a request is worth; undefined if none is required. */
function signatureOf(secrets: Secrets, hook: Webhook, request: SentRequest) {
  const secret = decryptSecret(secrets, hook.orgId, hook.id, hook.configuration);
  return secret === undefined ? undefined : checkSignature(secret, request, new Date());
}

/** Returns the key by which a request starts one run. Headers are not covered by a signature without a time. */
function keyOf({ configuration }: Webhook, request: SentRequest, areHeadersSigned: boolean): string | undefined {
  const { dedupe_path } = WebhookConfiguration.catch({}).parse(configuration ?? {});
  const headerKey = idempotencyKeyOf(request.headers, 'webhook-id');
  const bodyKey = dedupe_path ? dedupeIdAt(dedupe_path, request) : undefined;
  return areHeadersSigned ? (headerKey ?? bodyKey) : bodyKey;
}

const outputOf = ({ content, headers, query }: SentRequest): { [key: string]: Json } => ({
  body: content,
  headers: withoutCredentials(headers),
  query: query as Json,
});

/**
 * Starts the workflow of a form, once for each key of the sender: its header, or `submissionId` with the fields: a
 * page sent again with corrected fields starts another run. Throws conflict, and invalid with each wrong field.
 */
export async function receiveForm(
  db: Db,
  hook: Webhook,
  { headers, content, submissionId }: WebhookRequest & { submissionId?: string | undefined },
): Promise<string | null> {
  const { fields } = formOf(hook);
  if (typeof content !== 'object' || content === null || Array.isArray(content))
    throw invalid('The request is not valid: body: must be the fields of the form by name');
  const read = parseForm(fields, content);
  if ('issues' in read) {
    const { issues } = read;
    throw invalid(
      `The request is not valid: ${issues.map(({ path, message }) => `${path}: ${message}`).join('; ')}`.slice(0, 500),
      issues,
    );
  }
  return startOnce(db, hook, 'form-trigger', {
    idempotencyKey:
      idempotencyKeyOf(headers) ?? (submissionId && `${submissionId} ${digestOf(canonicalJson(read.form))}`),
    output: { form: read.form },
  });
}

/** Returns the form of a workflow. Throws conflict if the workflow is inactive or not started by a form. */
export function formOf(hook: Webhook): FormConfiguration {
  assertTriggerType(hook, 'form-trigger', 'a form');
  return FormConfiguration.catch({ fields: [] }).parse(hook.configuration);
}

function assertTriggerType({ type }: Webhook, expected: TriggerType, what: string): void {
  if (type === null) throw conflict('The workflow is not active: POST /workflows/{id}/activate');
  if (type !== expected) throw conflict(`The workflow is not started by ${what}, but by ${type}`);
}

/** What a run gets, and what is done in the transaction that starts one. */
interface OneStart {
  output: { [key: string]: Json };
  onStart?: (trx: Trx) => Promise<void>;
}

/** Needs only the database: Temporal may be unavailable. */
function startOnce(
  db: Db,
  { orgId, id }: Webhook,
  type: 'webhook' | 'form-trigger',
  { idempotencyKey, output, onStart }: OneStart & { idempotencyKey: string | undefined },
): Promise<string | null> {
  const key = triggerKeyOf(type, idempotencyKey);
  const triggerEvent = { key, occurredAt: new Date(), depth: 0, output };
  return inTransaction(db, async (trx) => {
    const [runId] = await startRuns(trx, orgId, type, { triggerEvents: [triggerEvent], cause: 'automatic', only: id });
    if (runId !== undefined) {
      await onStart?.(trx);
      return runId;
    }
    return (await findRunByKey(trx, orgId, id, key))?.id ?? null;
  });
}

/**
 * Starts the workflow once in 24 hours for a body: a request whose signature has no time could otherwise be repeated by
 * whoever has seen it.
 */
async function startOnceADay(db: Db, hook: Webhook, body: Buffer, start: OneStart) {
  const digest = digestOf(body);
  const keyOn = (ms: number) => `signed ${digest} ${new Date(ms).toISOString().slice(0, 10)}`;
  const now = Date.now();
  const yesterday = await findRunByKey(db, hook.orgId, hook.id, `webhook/${keyOn(now - DAY_MS)}`);
  if (yesterday !== undefined && yesterday.created_at.getTime() > now - DAY_MS) return yesterday.id;
  return startOnce(db, hook, 'webhook', { ...start, idempotencyKey: keyOn(now) });
}

/** Returns the key of a run: it starts once by the sender's key, if there is one. */
const triggerKeyOf = (type: 'webhook' | 'form-trigger', idempotencyKey: string | undefined): string =>
  `${type}/${idempotencyKey === undefined ? newId() : hashedIfLong(idempotencyKey)}`;

/** Limits the length of keys in the index. */
const hashedIfLong = (key: string) => (key.length <= MAX_KEY_CHARACTERS ? key : digestOf(key));

const digestOf = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('base64url');

function idempotencyKeyOf(headers: IncomingHttpHeaders, ...others: string[]): string | undefined {
  const given = ['idempotency-key', ...others].map((name) => headers[name]).find((value) => value !== undefined);
  if (given === undefined) return undefined;
  if (typeof given === 'string' && given.length >= 1 && given.length <= MAX_KEY_CHARACTERS) return given;
  throw invalid(`Idempotency-Key and webhook-id must have 1 to ${MAX_KEY_CHARACTERS} characters`);
}

/** Returns the id at a path of the body, with all of its digits. An empty text is none. */
function dedupeIdAt(path: string, { content, body }: WebhookRequest): string | undefined {
  const value = valueAt(path, content);
  if (typeof value !== 'number') return typeof value === 'string' && value !== '' ? value : undefined;
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? writtenAt(path, body, value) : String(value);
}

/** Reads own properties only, never a prototype's. */
function valueAt(path: string, content: Json): Json | undefined {
  let value: Json = content;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, Json>)[name] ?? null;
  }
  return value;
}

/** Returns a number of the body as it is written there: different ones of very many digits are read as the same. */
function writtenAt(path: string, body: Buffer, value: number): string {
  const keepDigits = (_: string, inner: Json, { source }: { source?: string }) =>
    typeof inner === 'number' ? source : inner;
  try {
    return String(valueAt(path, JSON.parse(body.toString('utf8'), keepDigits as Parameters<typeof JSON.parse>[1])));
  } catch {
    return String(value); // the body is nested too deeply, and cannot be stored
  }
}

/** Returns the headers without credentials: no step, log or response shows them. */
const withoutCredentials = (headers: IncomingHttpHeaders): Json =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || isCredentialName(name) ? [] : [[name, [value].flat().join(', ')]],
    ),
  );
