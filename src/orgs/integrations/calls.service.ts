import { createHash } from 'node:crypto';
import type { Db } from '../../db/connect.ts';
import { messageOf } from '../../errors.ts';
import { measured, secondsSince } from '../../processes/measurements.ts';
import type { HttpClient } from '../../providers/egress/egress.ts';
import type { SendOutcome } from '../../providers/sending.ts';
import { addCall, type CallResult, type CallSummary, resultOfResponse, resultOfSend } from './calls.rules.ts';
import { recordCalls } from './queries.ts';
import type { ConnectionKind } from './schema.ts';
import { CONNECTION_NAME, type SecretValues, secretsIn, withoutSecrets } from './secrets.ts';

/** What happened is recorded after this time, so that a burst of calls is one record. */
const RECORD_DELAY_MS = 1_000;
/** The same outcome of a connection is recorded once in this time, another one at once. */
const REPEAT_MS = 60_000;

/** An org's connection, with the settings of its calls. */
export interface CalledConnection {
  orgId: string;
  kind: ConnectionKind;
  /** Of a kind that an org may have several connections of. */
  name?: string;
  settings: object;
}

/** Shows on the orgs' connections how the calls of this process ended. */
export interface ConnectionCalls {
  /** Returns the client for a connection's requests. It behaves as `requests` does. */
  observe(requests: HttpClient, connection: CalledConnection): HttpClient;
  /** Returns the outcome of a send through a connection. */
  observeSend(connection: CalledConnection, send: () => Promise<SendOutcome>): Promise<SendOutcome>;
  /** Shows that a connection's provider has answered. */
  noteSuccess(connection: CalledConnection): void;
  /** Shows that a connection's provider answered with something that cannot be used. `error` has no text of it. */
  noteUnusable(connection: CalledConnection, error: string): void;
  /** Records what is not recorded yet. */
  close(): Promise<void>;
}

interface Observed {
  orgId: string;
  kind: ConnectionKind;
  name: string;
  /** The calls since the last record. */
  summary: CallSummary | undefined;
  succeededRecordAt: number;
  failedRecordAt: number;
}

/**
 * Creates the observer of this process. Calls are added up in memory and wait for nothing. One statement records all
 * connections. If it fails, the next calls show the same.
 */
export function createConnectionCalls(db: Db, log: { warn(context: object, message: string): void }): ConnectionCalls {
  const connections = new Map<string, Observed>();
  let timer: NodeJS.Timeout | undefined;
  let recording = Promise.resolve();

  const add = (
    { orgId, kind, name = CONNECTION_NAME, settings }: CalledConnection,
    result: CallResult,
    startedAt: number,
  ) => {
    const secrets = secretsIn(kind, settings);
    const key = keyOf([orgId, kind, name], secrets);
    const connection = connections.get(key) ?? {
      orgId,
      kind,
      name,
      summary: undefined,
      succeededRecordAt: 0,
      failedRecordAt: 0,
    };
    connections.set(key, connection);
    const safe = result.isSuccess ? result : { ...result, error: withoutSecrets(result.error, secrets) };
    connection.summary = addCall(connection.summary, safe, startedAt);
    timer ??= setTimeout(tick, RECORD_DELAY_MS).unref();
  };

  const tick = () => {
    timer = undefined;
    recording = recording.then(() => record(Date.now()));
  };

  const record = async (now: number, isLast = false) => {
    const due = [...connections.values()].filter((one) => isLast || isDue(one, now));
    const rows = due.flatMap(({ orgId, kind, name, summary }) =>
      summary === undefined ? [] : [{ org_id: orgId, kind, name, ...summary }],
    );
    for (const one of due) Object.assign(one, recordedNow(one, now));
    for (const [key, one] of connections) if (isIdle(one, now)) connections.delete(key);
    const isWaiting = [...connections.values()].some(({ summary }) => summary !== undefined);
    if (isWaiting && !isLast) timer ??= setTimeout(tick, RECORD_DELAY_MS).unref();
    if (rows.length === 0) return;
    await recordCalls(db, rows).catch((err: unknown) => log.warn({ err }, 'the results of calls were not recorded'));
  };

  return {
    observe: (requests, connection) => ({
      async request(url, options) {
        const startedAt = Date.now();
        const begin = performance.now();
        const { kind } = connection;
        try {
          const answer = await requests.request(url, options);
          const result = resultOfResponse(kind, options?.method ?? 'GET', answer);
          measured('provider-call', { kind, outcome: outcomeOf(result), seconds: secondsSince(begin) });
          if (result !== undefined) add(connection, result, startedAt);
          return answer;
        } catch (error) {
          measured('provider-call', { kind, outcome: 'failed', seconds: secondsSince(begin) });
          add(connection, { isSuccess: false, error: messageOf(error) }, startedAt);
          throw error;
        }
      },
    }),
    async observeSend(connection, send) {
      const startedAt = Date.now();
      const outcome = await send();
      add(connection, resultOfSend(outcome), startedAt);
      return outcome;
    },
    noteSuccess: (connection) => add(connection, { isSuccess: true }, Date.now()),
    noteUnusable: (connection, error) => add(connection, { isSuccess: false, error }, Date.now()),
    async close() {
      clearTimeout(timer);
      await recording;
      await record(Date.now(), true);
    },
  };
}

/** An answer about one object says that the provider works. */
const outcomeOf = (result: CallResult | undefined) => (result?.isSuccess === false ? 'failed' : 'ok');

/** Replaced credentials are another connection, so that their first outcome is recorded at once. */
const keyOf = (path: string[], secrets: SecretValues): string =>
  createHash('sha256')
    .update(JSON.stringify([...path, secrets]))
    .digest('base64');

const isDue = ({ summary, succeededRecordAt, failedRecordAt }: Observed, now: number): boolean =>
  summary !== undefined && now - (summary.failingSince === null ? succeededRecordAt : failedRecordAt) >= REPEAT_MS;

const recordedNow = ({ summary }: Observed, now: number): Partial<Observed> =>
  summary?.failingSince === null
    ? { summary: undefined, succeededRecordAt: now, failedRecordAt: 0 }
    : { summary: undefined, succeededRecordAt: 0, failedRecordAt: now };

const isIdle = ({ summary, succeededRecordAt, failedRecordAt }: Observed, now: number): boolean =>
  summary === undefined && now - Math.max(succeededRecordAt, failedRecordAt) >= REPEAT_MS;
