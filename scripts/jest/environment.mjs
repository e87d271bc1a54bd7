import './code-cache.mjs';
import { PerformanceObserver } from 'node:perf_hooks';
import { promisify } from 'node:util';
import { TestEnvironment } from 'jest-environment-node';

/** Less than jest.config.js gives a worker to end. */
const REPORT_AFTER_MS = 8_000;

const observers = new Set();
const { observe } = PerformanceObserver.prototype;

/** Node's modules are one for all test files of a worker: what a file has observe there stays behind with all the modules of the file. */
PerformanceObserver.prototype.observe = function (...options) {
  observers.add(this);
  return observe.apply(this, options);
};

/** A worker that has nothing left to do ends without taking its heap apart first. */
if (process.send !== undefined) process.once('beforeExit', () => process.exit());

/** Jest ends a worker by no longer listening to it. One that does not end says what it still has open. */
process.on('removeListener', (event) => {
  if (event !== 'message' || process.listenerCount('message') > 0) return;
  const report = () =>
    console.error(`Jest's worker ${process.pid} is still open: ${process.getActiveResourcesInfo().join(', ')}`);
  setTimeout(report, REPORT_AFTER_MS).unref();
});

/** Node's environment of Jest, which lets go of a test file's modules at its end. An observer or a timer that is left over would hold them. */
export default class ReleasedEnvironment extends TestEnvironment {
  timers = [];

  constructor(...given) {
    super(...given);
    for (const name of ['setTimeout', 'setInterval']) this.global[name] = this.remembering(this.global[name]);
  }

  remembering(start) {
    const startTimer = (...given) => {
      const timer = start(...given);
      this.timers.push(new WeakRef(timer));
      return timer;
    };
    return Object.assign(startTimer, { [promisify.custom]: start[promisify.custom] });
  }

  async teardown() {
    for (const observer of observers) observer.disconnect();
    observers.clear();
    for (const timer of this.timers.splice(0)) clearTimeout(timer.deref());
    await super.teardown();
  }
}
