import type { Circus } from '@jest/types';
import { addEventHandler } from 'jest-circus';

const DEFAULT_LIMIT_MS = 120_000;

// The own ones of Node, also in tests that replace them.
const { setTimeout, clearTimeout } = globalThis;

type Run = () => Promise<void>;

/** The blocks whose `beforeAll` failed. */
const unprepared = new WeakSet<Circus.DescribeBlock>();

/**
 * Adds what jest-light-runner 0.8 lacks. A test or hook that takes too long fails by its name. After a `beforeAll` that
 * failed, the tests of its block fail without running. A failure shows its cause, such as the assertion of a property.
 */
addEventHandler((event, { currentDescribeBlock: block }) => {
  if (event.name === 'add_hook') {
    const hook = block.hooks.at(-1);
    if (hook)
      hook.fn = hook.type === 'beforeAll' ? preparing(block, limited(hook, hook.type)) : limited(hook, hook.type);
  }
  if (event.name === 'add_test') {
    const test = block.children.at(-1);
    if (test?.type === 'test') test.fn = prepared(block, limited(test, test.name));
  }
});

function limited({ fn, timeout }: Circus.Hook | Circus.TestEntry, name: string): Run {
  const limitMs = timeout ?? DEFAULT_LIMIT_MS;
  return async () => {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(new Error(`${name} takes longer than ${limitMs} ms`)), limitMs);
    try {
      await Promise.race([(fn as () => unknown)(), late.promise]);
    } catch (error) {
      throw withCause(error);
    } finally {
      clearTimeout(timer);
    }
  };
}

function preparing(block: Circus.DescribeBlock, run: Run): Run {
  return async () => {
    try {
      await run();
    } catch (error) {
      unprepared.add(block);
      throw error;
    }
  };
}

function prepared(block: Circus.DescribeBlock, run: Run): Run {
  return async () => {
    for (let outer: Circus.DescribeBlock | undefined = block; outer; outer = outer.parent)
      if (unprepared.has(outer)) throw new Error(`The beforeAll of ${outer.name} failed`);
    await run();
  };
}

function withCause(error: unknown): unknown {
  if (error instanceof Error && error.cause instanceof Error) error.stack += `\nCaused by: ${error.cause.stack}`;
  return error;
}
