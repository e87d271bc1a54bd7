import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';
import pg from 'pg';
import { currentAuditor, currentIds } from '../../processes/current-work.ts';
import { currentTraceparent } from '../../tracing/spans.ts';
import { isStalePlan } from '../failures.ts';
import { mayBeAudited } from './audited-tables.ts';

const NAMED_STATEMENTS = 500;
const names = new Map<string, string>();
/**
 * Part of the names of statements. A migration of the next version that gives a table another column makes all statements
 * that return its rows fail, for as long as their names are used. All connections prepare theirs again then.
 */
let generation = 0;

/**
 * A statement with this comment is never named, so Postgres plans it for its actual values. A named statement may get
 * one plan for all values. Such a plan performs badly when the number of matching rows varies a lot.
 */
export const PLANNED_EACH_TIME = '/* planned each time */';
/** The beginning of a statement that is planned each time and only reads, also one that begins with a CTE. */
export const READ_PLANNED_EACH_TIME = `/* read */ ${PLANNED_EACH_TIME}`;

/**
 * A statement with this comment has enough memory for what a report reads of an org's year, unless the server gives more
 * anyway. With the default of 4 MB, it would write files.
 */
const MORE_MEMORY = '/* more memory */';
const MIN_WORK_MEM_KB = 32_768;
/** The beginning of a report: a statement that is planned each time, only reads, and has more memory. */
export const REPORT = `${READ_PLANNED_EACH_TIME} ${MORE_MEMORY}`;
const RAISED_WORK_MEM: Setting = {
  set: `select set_config('work_mem', greatest(setting::integer, ${MIN_WORK_MEM_KB})::text, false) from pg_settings where name = 'work_mem'`,
  reset: 'reset work_mem',
};

/**
 * A statement with this comment is planned once per connection and PLAN_TTL_MS, for all values. For a statement that
 * takes longer to plan than to run and looks up rows by key: its best plan depends on the size of the tables only.
 */
export const SHORT_LIVED_PLAN = '/* short-lived plan */';
const PLAN_TTL_MS = 2_000;
const ONE_PLAN: Setting = { set: 'set plan_cache_mode = force_generic_plan', reset: 'reset plan_cache_mode' };

/**
 * Postgres keeps the plans of named statements and of checks of foreign keys. One made for a table of a few rows may read
 * a whole org's rows by any index that begins with the org, and stays until the table is analyzed, which may be a minute
 * later. A connection has its plans made anew after this time.
 */
const MAX_PLAN_AGE_MS = 10_000;

/**
 * Stands for the id of the request that is answered now, or that the work follows from, in the values of a statement, as
 * also of one that is compiled once. It is null where there is none.
 */
export const CURRENT_REQUEST = Object.freeze({ standsFor: 'the id of the current request' });

/** What a statement has that may write. Defaults of columns read the trace that it is part of from the connection. */
const WRITES = /\b(?:insert into|update|delete from)\b/i;

/** Statements that set and reset a parameter of Postgres. */
interface Setting {
  set: string;
  reset: string;
}

const BEGINS = /^(?:begin|start transaction)\b/;

interface ShortLivedPlan {
  name: string;
  /** In ms of performance.now(). */
  until: number;
  generation: number;
}

const withCurrentRequest = (values: unknown): unknown =>
  Array.isArray(values) && values.includes(CURRENT_REQUEST)
    ? values.map((value) => (value === CURRENT_REQUEST ? (currentIds().requestId ?? null) : value))
    : values;

/**
 * Names each statement, so that Postgres parses it once per connection. The number of names is limited, because the
 * number of distinct texts is not.
 */
export class PreparingClient extends pg.Client {
  declare readonly connection: pg.Connection & { stream: Socket; parsedStatements: Record<string, string> };
  readonly #plans = new Map<string, ShortLivedPlan>();
  #planned = 0;
  #replanAt = performance.now() + MAX_PLAN_AGE_MS;
  /** The trace that the connection has. Undefined: not known, as what was undone may have set it. */
  #trace: string | undefined = '';
  /** Whether the connection was ever given a trace. */
  #mayHaveTrace = false;
  /** Who acts, as the connection has it for the triggers of the audit. Undefined: not known. */
  #actor: string | undefined = '';
  #mayHaveActor = false;
  /** By what was sent, not by what was answered: both can come at once. */
  #isInTransaction = false;

  // biome-ignore lint/suspicious/noExplicitAny: pg.Client.query has a dozen overloads
  override query(config: any, values?: any, callback?: any): any {
    this.#gather();
    this.#discardOldPlans();
    if (typeof config === 'string') {
      this.#followTransaction(config);
      this.#followTrace(config);
      this.#followActor(config);
    }
    const result = this.#queryNamed(config, withCurrentRequest(values), callback);
    if ((this.#mayHaveTrace || this.#mayHaveActor) && result instanceof Promise)
      result.catch(() => this.#forgetSettings());
    return result;
  }

  // biome-ignore lint/suspicious/noExplicitAny: as of query
  #queryNamed(config: any, values: any, callback: any): any {
    if (typeof config === 'string' && Array.isArray(values) && values.length > 0 && callback === undefined) {
      const name = statementName(config);
      if (name !== undefined) return this.#queryPrepared({ name, text: config, values });
      if (config.includes(SHORT_LIVED_PLAN))
        return this.#queryUnder(ONE_PLAN, { name: this.#planOf(config), text: config, values });
      if (config.includes(MORE_MEMORY)) return this.#queryUnder(RAISED_WORK_MEM, { text: config, values });
    }
    const answered = [callback, values, config?.callback, config?.submit];
    const isByPromise = answered.every((given) => typeof given !== 'function');
    return isByPromise ? this.#ask(config, values) : super.query(config, values, callback);
  }

  /** Prepares the statement again if its plan is stale. In a transaction, which has failed, the next try does. */
  async #queryPrepared(query: { name: string; text: string; values: unknown[] }): Promise<pg.QueryResult> {
    const before = generation;
    const isAlone = !this.#isInTransaction;
    try {
      return await this.#ask(query);
    } catch (error) {
      if (!isStalePlan(error)) throw error;
      if (generation === before) generation++;
      if (!isAlone) throw error;
      return this.#ask({ ...query, name: statementName(query.text) });
    }
  }

  /**
   * Queries by a callback. pg (8.23.1) would make its promise by `query.callback = () => …`, and V8 allocates functions that
   * are assigned to a property like this as long-lived: answers would stay in memory until the next full collection.
   */
  async #ask(query: string | pg.QueryConfig, values?: unknown[]): Promise<pg.QueryResult> {
    const answered = Promise.withResolvers<pg.QueryResult>();
    super.query(query as string, values as unknown[], (error: Error | null, result) =>
      error ? answered.reject(error) : answered.resolve(result),
    );
    try {
      return await answered.promise;
    } catch (error) {
      if (error instanceof Error) Error.captureStackTrace(error); // with the callers instead of the socket's
      throw error;
    }
  }

  /** Queries under a setting. It is sent together with the query, and undone with it. */
  #queryUnder({ set, reset }: Setting, query: pg.QueryConfig): Promise<pg.QueryResult> {
    this.#send(set);
    const result = this.#ask(query);
    this.#send(reset);
    return result;
  }

  #planOf(text: string): string {
    const now = performance.now();
    const plan = this.#plans.get(text);
    if (plan !== undefined && plan.until > now && plan.generation === generation) return plan.name;
    if (plan !== undefined) this.#deallocate(plan.name);
    const name = `plan_${++this.#planned}`;
    this.#plans.set(text, { name, until: now + PLAN_TTL_MS, generation });
    return name;
  }

  /** Ends a prepared statement. pg remembers the names of all, for as long as the connection lives. */
  #deallocate(name: string): void {
    this.#send(`deallocate ${name}`);
    delete this.connection.parsedStatements[name];
  }

  #discardOldPlans(): void {
    const now = performance.now();
    if (now < this.#replanAt) return;
    this.#replanAt = now + MAX_PLAN_AGE_MS;
    this.#send('discard plans');
  }

  #followTransaction(text: string): void {
    if (BEGINS.test(text)) this.#isInTransaction = true;
    else if (text === 'commit' || text === 'rollback') this.#isInTransaction = false;
  }

  #forgetSettings(): void {
    this.#trace = undefined;
    this.#actor = undefined;
  }

  /** Sends the trace of what is done now ahead of a statement that writes, unless the connection has it. */
  #followTrace(text: string): void {
    const current = currentTraceparent();
    if (this.#mayHaveTrace && text.startsWith('rollback')) this.#trace = undefined;
    if (current === this.#trace || !WRITES.test(text)) return;
    this.#trace = current;
    this.#mayHaveTrace = true;
    this.#send(`select set_config('switchboard.trace', '${current}', false)`);
  }

  /** Sends who acts now ahead of a statement that the audit records, unless the connection has it. */
  #followActor(text: string): void {
    if (this.#mayHaveActor && text.startsWith('rollback')) this.#actor = undefined;
    if (!mayBeAudited(text)) return;
    const auditor = currentAuditor();
    const current = auditor === undefined ? '' : JSON.stringify(auditor);
    if (current === this.#actor) return;
    this.#actor = current;
    this.#mayHaveActor = true;
    this.#send(`select set_config('switchboard.actor', ${this.escapeLiteral(current)}, false)`);
  }

  /** Gathers what is written to the socket until all that runs now has ended. */
  #gather(): void {
    const { stream } = this.connection;
    if (stream.writableCorked > 0) return;
    stream.cork();
    process.nextTick(() => stream.uncork());
  }

  /** Sends a statement whose answer does not matter. In a transaction that has failed, the next one fails anyway. */
  #send(text: string): void {
    this.#ask(text).catch(() => undefined);
  }
}

function statementName(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined) return ofGeneration(known);
  const isUnnamed = text.includes(PLANNED_EACH_TIME) || text.includes(SHORT_LIVED_PLAN);
  if (isUnnamed || names.size >= NAMED_STATEMENTS) return undefined;
  const name = createHash('sha1').update(text).digest('base64url');
  names.set(text, name);
  return ofGeneration(name);
}

const ofGeneration = (name: string): string => (generation === 0 ? name : `${name}-${generation}`);
