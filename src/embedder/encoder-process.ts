import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { FastifyBaseLogger } from 'fastify';
import type { Closeness, ComparedPassage } from './comparison.ts';
import type { EncodedText, TextKind } from './encoding.ts';
import type { ModelFiles } from './model-folder.ts';
import type { ProcessAnswer, ProcessRequest, ProcessResult, ProcessWork } from './process.ts';

const PROGRAM = fileURLToPath(new URL('process.ts', import.meta.url));
/** Little garbage is left where most of the memory is the model. */
const EXEC_ARGV = ['--max-semi-space-size=2', '--heap-growing-percent=25'];

/** What programs and libraries are found by. Secrets of this process are none of the model's business. */
const ENVIRONMENT = ['PATH', 'HOME', 'TMPDIR', 'LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH', 'MALLOC_ARENA_MAX'];

const environmentOf = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(ENVIRONMENT.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));

/** Encoding was given up, or its process ended. */
export class EncodingFailed extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'EncodingFailed';
  }
}

export interface EncoderProcess {
  /** Encodes texts one after the other, after those of earlier requests. Throws EncodingFailed. */
  encode(texts: string[], kind: TextKind, signal: AbortSignal): Promise<EncodedText[]>;
  /** Compares a question with passages, after earlier requests. Throws EncodingFailed. */
  compare(question: string, passages: ComparedPassage[], signal: AbortSignal): Promise<Closeness[]>;
  close(): void;
}

interface Pending {
  resolve(result: ProcessResult): void;
  reject(error: Error): void;
}

export interface EncoderProcessOptions {
  files(): ModelFiles | undefined;
  idleMs: number;
  niceness: number;
  log: Pick<FastifyBaseLogger, 'warn'>;
}

/**
 * Creates a process with the model. It is started by the first request, ends after `idleMs` without one, and is started
 * again if it has died. The higher `niceness`, the more of the processor others get.
 */
export function createEncoderProcess({ files, idleMs, niceness, log }: EncoderProcessOptions): EncoderProcess {
  const pending = new Map<number, Pending>();
  let child: ChildProcess | undefined;
  let idle: NodeJS.Timeout | undefined;
  let lastId = 0;

  const rejectAll = (error: EncodingFailed) => {
    for (const { reject } of pending.values()) reject(error);
    pending.clear();
  };
  const end = () => {
    clearTimeout(idle);
    child?.kill('SIGKILL'); // it has nothing to finish
    child = undefined;
    rejectAll(new EncodingFailed('The embedder was closed'));
  };
  const start = (): ChildProcess => {
    const model = files();
    if (model === undefined) throw new EncodingFailed('The embedding model was not fetched');
    const started = fork(PROGRAM, [model.header, model.graph, model.reader, model.weights, String(niceness)], {
      serialization: 'advanced',
      execArgv: EXEC_ARGV,
      env: environmentOf(process.env),
    });
    started.on('message', (answer: ProcessAnswer) => settle(answer));
    const fail = (cause: unknown) => {
      if (child !== started) return; // it was ended on purpose, or has failed before
      child = undefined;
      log.warn({ cause }, 'the process of the embedding model ended; the next text starts it again');
      rejectAll(new EncodingFailed('The process ended', { cause }));
    };
    started.on('exit', fail);
    started.on('error', fail);
    return started;
  };
  const settle = (answer: ProcessAnswer) => {
    const request = pending.get(answer.id);
    pending.delete(answer.id);
    if ('error' in answer) request?.reject(new EncodingFailed(answer.error));
    else request?.resolve(answer);
    if (pending.size === 0) idle = setTimeout(end, idleMs).unref();
  };
  const send = (request: ProcessRequest) => {
    child ??= start();
    child.send(request, (error) => {
      if (error === null || !('id' in request)) return;
      settle({ id: request.id, error: error.message });
    });
  };

  const run = async (work: ProcessWork, signal: AbortSignal): Promise<ProcessResult> => {
    signal.throwIfAborted();
    clearTimeout(idle);
    const id = ++lastId;
    const { promise, resolve, reject } = Promise.withResolvers<ProcessResult>();
    pending.set(id, { resolve, reject });
    const giveUp = () => {
      reject(new EncodingFailed('The embedding took too long or was canceled', { cause: signal.reason }));
      if (child !== undefined) send({ cancel: id });
    };
    signal.addEventListener('abort', giveUp, { once: true });
    try {
      send({ id, ...work });
      return await promise;
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
  };

  return {
    async encode(texts, kind, signal) {
      const result = await run({ texts, kind }, signal);
      return 'texts' in result ? result.texts : [];
    },
    async compare(question, passages, signal) {
      const result = await run({ question, passages }, signal);
      return 'closeness' in result ? result.closeness : [];
    },
    close: end,
  };
}
