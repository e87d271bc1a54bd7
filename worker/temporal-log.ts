import { DefaultLogger, type LogLevel, Runtime } from '@temporalio/worker';
import type { Logger } from 'pino';
import { loggableText } from '../src/logging/loggable.rules.ts';
import { thrownFor } from './interceptors/failure.ts';

type Meta = Record<string | symbol, unknown>;

const CORE = 'core';
/** The worker of pages that need a browser has no workflows, and Temporal notes it at each start. */
const EXPECTED = new Set(['No workflows registered, not polling for workflow tasks']);
const LEVELS = { TRACE: 'trace', DEBUG: 'debug', INFO: 'info', WARN: 'warn', ERROR: 'error' } as const;

/** Fields of Temporal's core that hold its own names and states. All other texts of it may quote payloads. */
const NAMES = new Set(['run_id', 'runId', 'workflow_id', 'workflow_type', 'activity_type', 'task_queue', 'target']);
const ERRORS = new Set(['error', 'details', 'failure']);
const CODE = /\bcode: '?([\w ]{1,60})/;
const MESSAGE = /\bmessage: "((?:[^"\\]|\\.){0,500})/;

/** The units and names that Prometheus expects. */
const METRIC_NAMES = { countersTotalSuffix: true, unitSuffix: true, useSecondsForDurations: true };

/**
 * Has Temporal write to the log: its SDK, its core, and the log of activities. With a port it serves its metrics there, on
 * loopback.
 */
export function installRuntime(log: Logger, metricsPort?: number): void {
  Runtime.install({
    logger: new DefaultLogger('WARN', ({ level, message, meta = {} }) => forward(log, level, message, meta)),
    telemetryOptions: {
      logging: { filter: { core: 'WARN', other: 'ERROR' }, forward: {} },
      ...(metricsPort !== undefined && {
        metrics: { prometheus: { bindAddress: `127.0.0.1:${metricsPort}`, ...METRIC_NAMES } },
      }),
    },
    shutdownSignals: [],
  });
}

/** Whether Temporal's core wrote a line. It repeats them as long as their reason lasts. */
export const isOfCore = ({ sdkComponent }: Meta): boolean => sdkComponent === CORE;

function forward(log: Logger, level: LogLevel, message: string, meta: Meta): void {
  if (EXPECTED.has(message)) return;
  log[LEVELS[level]](isOfCore(meta) ? coreContextOf(meta) : contextOf(meta), loggableText(message));
}

const contextOf = ({ error, err = error, ...context }: Meta): Record<string, unknown> => ({
  ...context,
  ...(err !== undefined && { err: thrownFor(err) }),
});

function coreContextOf(meta: Meta): Record<string, unknown> {
  const fields = Object.entries(meta).flatMap(([key, value]) => {
    if (ERRORS.has(key)) return [['error', coreErrorOf(String(value))]];
    const isShown = typeof value === 'number' || typeof value === 'boolean' || NAMES.has(key);
    return isShown ? [[key, value]] : [];
  });
  return { sdkComponent: CORE, ...Object.fromEntries(fields) };
}

/** Reads what Rust prints of an error: `Status { code: Unavailable, message: "tcp connect error", … }`. */
function coreErrorOf(text: string): string {
  const code = CODE.exec(text)?.[1];
  const message = MESSAGE.exec(text)?.[1];
  if (code === undefined && message === undefined) return loggableText(text);
  return [code, message && loggableText(message)].filter((part) => part).join(', ');
}
