import { type Logger, pino } from 'pino';
import { currentIds, outsideOfWork } from '../processes/current-work.ts';
import { currentTraceId } from '../tracing/spans.ts';
import { loggableText, loggedError } from './loggable.rules.ts';
import { createRepeatLimit } from './repeats.ts';

type Context = Record<string, unknown>;

export interface LoggerOptions {
  /** The program that writes. */
  name: string;
  level: string;
  /** Returns what is away, if that is why the line is written. Such lines are limited to one a minute each. */
  outageOf?: (context: Context) => string | undefined;
}

/** Keys that each line has by itself. JSON with a key twice is read differently by each reader. */
const OWN_KEYS = new Set(['level', 'time', 'pid', 'hostname', 'name', 'msg']);
const NUMBER = /\d+/g;

/**
 * Creates the log of a program: JSON lines on the standard output. Each line of a request or an activity has the ids of
 * its request and its org. Errors are shown without what customers and third parties wrote.
 */
export function createLogger({ name, level, outageOf = () => undefined }: LoggerOptions): Logger {
  const limit = createRepeatLimit();
  process.once('exit', limit.flush);
  return pino({
    name,
    level,
    serializers: { err: loggedError, error: shownError },
    mixin: (_context, _level, logger) => idsBeyond(logger.bindings()),
    formatters: { log: withoutOwnKeys },
    hooks: {
      logMethod([first, ...rest], method) {
        const context = contextOf(first);
        if (context === undefined) return void method.apply(this, [first, ...rest]);
        const [message = 'an error'] = rest as [string?];
        const outage = outageOf(context);
        if (outage === undefined) return void method.call(this, context, message);
        limit.write(`${message.replace(NUMBER, '#')} ${outage}`, (repeated) =>
          repeated === 0
            ? method.call(this, context, message)
            : outsideOfWork(() => method.call(this, { ...context, repeated }, message)),
        );
      },
    },
  });
}

/** Returns the ids of the current work that the log does not name by itself: a key twice is read differently. */
function idsBeyond(bindings: Context): Context {
  return Object.fromEntries(
    Object.entries({ ...currentIds(), traceId: currentTraceId() }).filter(
      ([key, id]) => id !== undefined && bindings[key] === undefined,
    ),
  );
}

/** Returns the fields that a line is to have besides its message. */
function contextOf(first: unknown): Context | undefined {
  if (first instanceof Error) return { err: first };
  return typeof first === 'object' && first !== null ? (first as Context) : undefined;
}

const shownError = (error: unknown) => (typeof error === 'string' ? loggableText(error) : loggedError(error));

const withoutOwnKeys = (context: Context): Context =>
  Object.fromEntries(Object.entries(context).map(([key, value]) => [OWN_KEYS.has(key) ? `${key}_` : key, value]));
