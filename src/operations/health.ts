import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const CHECK_TIMEOUT_MS = 2_000;
/** Reads within this time after a check get its answer: anybody may ask, and each check costs calls. */
const MAX_AGE_MS = 1_000;
const WATCH_MS = 5_000;

/** A part that is away, with a reason that anybody may read. */
export class PartAway extends Error {}

/** Rejects if the part is away. */
export type Check = () => Promise<unknown>;

export interface HealthOptions<Part extends string> {
  program: 'api' | 'worker';
  checks: Record<Part, Check>;
  /** The parts without which the program cannot do its work. */
  required: readonly NoInfer<Part>[];
}

interface PartState {
  isOk: boolean;
  since: string;
  reason: string | undefined;
}

/** The answer of /readyz. `since` is when each part was first seen in its state. */
export interface HealthReport {
  status: 'ok' | 'degraded' | 'away' | 'stopping';
  program: string;
  version: string;
  since: Record<string, string>;
  /** Why parts are away. */
  reasons?: Record<string, string>;
  [part: string]: unknown;
}

export interface Health {
  /** Returns the state of all parts, checked at most a second ago. Waits for checks up to 2 s. */
  read(): Promise<HealthReport>;
  /** Checks every 5 s even if nobody reads, which makes `since` exact. Returns what ends it. */
  watch(): () => void;
  /** Makes the program unready from now on: it is about to stop. */
  drain(): void;
  isDraining(): boolean;
}

/** The version of the installed programs. */
export const VERSION = versionIn(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

function versionIn(manifest: string): string {
  const { version }: { version: string } = JSON.parse(manifest);
  return version;
}

/** Creates the health of a program, from a check for each part that it needs. */
export function createHealth<Part extends string>({ program, checks, required }: HealthOptions<Part>): Health {
  const parts = Object.entries<Check>(checks);
  const states = new Map<string, PartState>();
  let reading: Promise<HealthReport> | undefined;
  let isDraining = false;

  const checkPart = async ([part, check]: [string, Check]) => {
    const reason = await reasonAway(check);
    const isOk = reason === undefined;
    const before = states.get(part);
    const since = before?.isOk === isOk ? before.since : new Date().toISOString();
    states.set(part, { isOk, since, reason });
  };
  const checkAll = async (): Promise<HealthReport> => {
    await Promise.all(parts.map(checkPart));
    return { ...reportOf(states, required), program, version: VERSION };
  };
  const read = () => {
    reading ??= checkAll().finally(() => setTimeout(forget, MAX_AGE_MS).unref());
    return reading;
  };
  const forget = () => {
    reading = undefined;
  };
  return {
    async read() {
      const report = await read();
      return isDraining ? { ...report, status: 'stopping' } : report;
    },
    drain() {
      isDraining = true;
    },
    isDraining: () => isDraining,
    watch() {
      void read();
      const timer = setInterval(() => void read(), WATCH_MS).unref();
      return () => clearInterval(timer);
    },
  };
}

function reportOf(states: Map<string, PartState>, required: readonly string[]) {
  const parts = [...states];
  const away = parts.filter(([, { isOk }]) => !isOk).map(([part]) => part);
  const reasons = parts.flatMap(([part, { reason }]) => (reason === undefined ? [] : [[part, reason]]));
  return {
    status: statusOf(away, required),
    ...Object.fromEntries(parts.map(([part, { isOk }]) => [part, isOk ? 'ok' : 'away'])),
    since: Object.fromEntries(parts.map(([part, { since }]) => [part, since])),
    ...(reasons.length > 0 && { reasons: Object.fromEntries(reasons) }),
  };
}

function statusOf(away: string[], required: readonly string[]): HealthReport['status'] {
  if (away.length === 0) return 'ok';
  return away.some((part) => required.includes(part)) ? 'away' : 'degraded';
}

/** Returns why a part is away, or undefined if it is there. Errors of others are not shown: they may name anything. */
async function reasonAway(check: Check): Promise<string | undefined> {
  const tooLate = new AbortController();
  try {
    const checking = check().then(() => undefined);
    checking.catch(() => undefined);
    const late = `It did not answer within ${CHECK_TIMEOUT_MS / 1000} s`;
    return await Promise.race([checking, sleep(CHECK_TIMEOUT_MS, late, { signal: tooLate.signal })]);
  } catch (error) {
    return error instanceof PartAway ? error.message : 'It cannot be reached';
  } finally {
    tooLate.abort();
  }
}
