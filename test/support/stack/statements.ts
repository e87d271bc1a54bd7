import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

/** A unit of work is over once nothing has been sent to Postgres for so long. */
const QUIET_MS = 30;
const LOOK_MS = 2;
const MAX_WAIT_MS = 20_000;
/** What the relay and others look for periodically falls into some of the units, on a busy machine into most. */
export const MAX_UNITS = 40;

type Query = (...given: unknown[]) => unknown;

/** Counts the statements that the programs of this process send to Postgres. */
export interface StatementCounter {
  /**
   * Does a unit of work until it takes at most so many statements, at most `MAX_UNITS` times. Resolves to the statements of the time
   * with the fewest, with those that begin and commit transactions.
   */
  fewest(most: number, unit: () => Promise<void>): Promise<string[]>;
  /** Waits, by a connection that is not counted, until a query returns a row. */
  until(text: string, values: unknown[]): Promise<void>;
  close(): Promise<void>;
}

/** Counts from now on. A client of Postgres has one function for all statements, prepared or not. */
export async function countStatements(databaseUrl: string): Promise<StatementCounter> {
  const prototype = pg.Client.prototype as unknown as { query: Query };
  const { query } = prototype;
  let sent: string[] = [];
  prototype.query = function counted(this: unknown, ...given: unknown[]) {
    if (this !== observer) sent.push(textOf(given[0]));
    return query.apply(this, given);
  };
  const observer = new pg.Client({ connectionString: databaseUrl });
  await observer.connect();
  const untilQuiet = async () => {
    for (let before = -1; before !== sent.length; ) {
      before = sent.length;
      await sleep(QUIET_MS);
    }
  };
  return {
    async fewest(most, unit) {
      await unit(); // prepares and fills what is kept
      let best: string[] | undefined;
      for (let units = 0; units < MAX_UNITS && (best === undefined || best.length > most); units++) {
        await untilQuiet();
        sent = [];
        await unit();
        await untilQuiet();
        if (best === undefined || sent.length < best.length) best = sent;
      }
      return best ?? [];
    },
    async until(text, values) {
      for (const giveUpAt = Date.now() + MAX_WAIT_MS; ; await sleep(LOOK_MS)) {
        if ((await observer.query(text, values)).rows.length > 0) return;
        if (Date.now() > giveUpAt) throw new Error(`Waited in vain for ${text}`);
      }
    },
    async close() {
      prototype.query = query;
      await observer.end();
    },
  };
}

const textOf = (given: unknown): string =>
  typeof given === 'string' ? given : String((given as { text?: unknown } | undefined)?.text);
