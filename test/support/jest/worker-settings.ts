/**
 * Loaded by every process of a run, for jest-light-runner 0.8.2: when the first process asks for its settings they are sent
 * to all, and whoever asks later gets no answer. A process that does not listen yet would wait for ever, and the run with
 * it. This keeps the settings that come early, and answers the question with them.
 */

const QUESTION = 'jest-light-runner-get-worker-data';
const ANSWER = 'jest-light-runner-worker-data';

const isAnswer = (message: unknown): boolean =>
  typeof message === 'object' && message !== null && 'type' in message && message.type === ANSWER;

function keepSettings(send: NonNullable<typeof process.send>): void {
  let kept: unknown;
  process.on('message', (message) => {
    if (isAnswer(message)) kept ??= message;
  });
  process.send = new Proxy(send, {
    apply(target, self, args: Parameters<typeof send>) {
      if (args[0] !== QUESTION || kept === undefined) return Reflect.apply(target, self, args);
      setImmediate(() => process.emit('message', kept, undefined));
      return true;
    },
  });
}

const isOfRun = process.argv[1]?.includes('tinypool') === true;
if (isOfRun && process.send !== undefined) keepSettings(process.send);
