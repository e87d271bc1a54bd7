import pg from 'pg';
import { TooManyRequests } from '../../errors.ts';
import { currentOwner } from '../../processes/current-work.ts';

/** The share of the pool that one owner may use. */
const SHARE = 0.25;
const MAX_WAITING_PER_OWNER = 1_000;
const RETRY_AFTER_SECONDS = 5;

interface Queue {
  used: number;
  waiting: (() => void)[];
}

/**
 * A pool that gives each owner at most a quarter of its connections, so that slow requests of one org leave connections
 * to the others. More work of this owner waits as long as for any connection, and fails at once if too much waits
 * already.
 */
export class SharedPool extends pg.Pool {
  readonly #queues = new Map<string, Queue>();

  // biome-ignore lint/suspicious/noExplicitAny: pg.Pool.connect has a form with a callback and one without
  override connect(callback?: any): any {
    const owner = currentOwner();
    return callback !== undefined || owner === undefined ? super.connect(callback) : this.#connectFor(owner);
  }

  async #connectFor(owner: string): Promise<pg.PoolClient> {
    const queue = await this.#acquire(owner);
    try {
      const client = await super.connect();
      const giveBack = client.release.bind(client);
      const release: typeof giveBack = (error) => {
        giveBack(error);
        this.#release(owner, queue);
      };
      return Object.assign(client, { release });
    } catch (error) {
      this.#release(owner, queue);
      throw error;
    }
  }

  async #acquire(owner: string): Promise<Queue> {
    const queue = this.#queues.get(owner) ?? { used: 0, waiting: [] };
    this.#queues.set(owner, queue);
    if (queue.used < Math.max(1, Math.floor(this.options.max * SHARE))) {
      queue.used++;
      return queue;
    }
    if (queue.waiting.length >= MAX_WAITING_PER_OWNER) throw shareInUse();
    await new Promise<void>((resolve, reject) => {
      const proceed = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        queue.waiting.splice(queue.waiting.indexOf(proceed), 1);
        reject(shareInUse());
      }, this.options.connectionTimeoutMillis);
      queue.waiting.push(proceed);
    });
    return queue;
  }

  #release(owner: string, queue: Queue): void {
    const next = queue.waiting.shift();
    if (next !== undefined) next();
    else if (--queue.used === 0) this.#queues.delete(owner);
  }
}

const shareInUse = () =>
  new TooManyRequests(
    'Too many requests of one organization or address are at work at once: try again soon',
    RETRY_AFTER_SECONDS,
    { code: 'too_many_at_once', limit: 'connections' },
  );
