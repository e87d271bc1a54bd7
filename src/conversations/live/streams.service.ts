import type { Db } from '../../db/connect.ts';
import type { MediaLinks } from '../../media/links.ts';
import type { ConfirmationsPort } from '../inbox/confirmations.port.ts';
import { createChangeFeed } from './changes.service.ts';
import { createReading, endReading, type Log, scheduleRead } from './reading.service.ts';
import { parseHints } from './rules.ts';
import { type Audience, type Cursor, createSubscribers, idOf, type Sink, type Subscriber } from './subscribers.ts';

const SWEEP_MS = 1_000;

interface Subscription {
  /** Continues once the sink can accept more. */
  resume(): void;
  stop(): void;
}

export interface LiveStreams {
  /**
   * Sends the cursor's id to the sink, then the events after it as they arrive. Ends the sink when the session is
   * deleted.
   */
  subscribe(cursor: Cursor, sink: Sink, audience: Audience): Subscription;
  /** Reads new events for the orgs and sessions named in the hints, or for all if there are none. */
  wake(hints: string): void;
  close(): Promise<void>;
}

export interface LiveDeps {
  db: Db;
  links: MediaLinks;
  log: Log;
  confirmations: ConfirmationsPort;
}

/**
 * Reads session events for all live streams of this process. One read at a time serves all lagging subscribers, after a
 * wake-up and once a second, because wake-ups can be lost. A stream consists only of a cursor and a sink, so it can
 * continue in any process.
 */
export function createLiveStreams({ db, links, log, confirmations }: LiveDeps): LiveStreams {
  const subscribers = createSubscribers();
  const reading = createReading({ db, links, log, confirmations, subscribers });
  const changes = createChangeFeed(reading);
  const wakeAll = () => {
    subscribers.markAllBehind();
    scheduleRead(reading);
  };
  const sweep = setInterval(wakeAll, SWEEP_MS).unref();

  return {
    subscribe(cursor, sink, audience) {
      const subscriber: Subscriber = { ...audience, cursor, sink, isFull: false, missed: new Set() };
      const readMore = () => {
        subscribers.behind.add(subscriber);
        scheduleRead(reading);
      };
      subscribers.add(subscriber);
      subscriber.isFull = !sink.write(Buffer.from(`id: ${idOf(cursor)}\n\n`)); // a stream broken before the first event resumes here
      readMore();
      return {
        resume() {
          subscriber.isFull = false;
          changes.repeat(subscriber);
          readMore();
        },
        stop: () => subscribers.remove(subscriber),
      };
    },
    wake(hints) {
      if (hints === '') return wakeAll();
      const { topics, changes: found } = parseHints(hints);
      for (const topic of topics) subscribers.markBehind(topic);
      changes.add(found);
      scheduleRead(reading);
    },
    async close() {
      clearInterval(sweep);
      subscribers.clear();
      await Promise.all([endReading(reading), changes.close()]);
    },
  };
}
