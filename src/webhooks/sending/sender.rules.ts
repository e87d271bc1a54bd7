import type { Attempt, SentDelivery } from './posting.ts';
import type { Health } from './recording.service.ts';
import { FAILURES_UNTIL_PROBES, trailingFailures } from './schedule.rules.ts';

/** A hanging endpoint holds only the first number of connections: more are opened as it accepts. */
export const FIRST_IN_FLIGHT = 10;
export const MAX_IN_FLIGHT = 50;
const TRIES_PER_WRITE = 100;
/** Results are written together, at the latest after this time. */
const MAX_UNWRITTEN_MS = 25;
/** A sender that finds nothing more waits for a change, as the next delivery then needs no new activity. */
const LINGER_MS = 5_000;

/**
 * What a sender knows of the deliveries in the database.
 *
 * - `behind`: there may be deliveries that were not read.
 * - `reading`: it reads, and nothing has changed since.
 * - `reading_behind`: it reads, and new deliveries came meanwhile.
 * - `reading_void`: it reads, and the endpoint has changed: what it reads must not be used.
 * - `current`: it has read all. Only now it accepts deliveries past the database.
 * - `ending`: it begins no more tries, and writes the results of those under way.
 */
export type Phase = 'behind' | 'reading' | 'reading_behind' | 'reading_void' | 'current' | 'ending';

export type PhaseEvent = 'more_pending' | 'endpoint_changed' | 'read_begun' | 'read_all' | 'read_some' | 'over';

/** The phase after each event. An event that is not listed changes nothing. */
const TRANSITIONS: Record<Phase, Partial<Record<PhaseEvent, Phase>>> = {
  behind: { read_begun: 'reading', over: 'ending' },
  reading: {
    more_pending: 'reading_behind',
    endpoint_changed: 'reading_void',
    read_all: 'current',
    read_some: 'behind',
    over: 'ending',
  },
  reading_behind: { endpoint_changed: 'reading_void', read_all: 'behind', read_some: 'behind', over: 'ending' },
  reading_void: { read_all: 'behind', read_some: 'behind', over: 'ending' },
  current: { more_pending: 'behind', endpoint_changed: 'behind', read_begun: 'reading', over: 'ending' },
  ending: {},
};

export const phaseAfter = (phase: Phase, event: PhaseEvent): Phase => TRANSITIONS[phase][event] ?? phase;

/** A delivery with the time from which it may be sent. */
interface DueDelivery {
  delivery: SentDelivery;
  at: number;
}

/** A sender at one moment. Times are those of `performance.now`. */
export interface SenderState {
  readonly phase: Phase;
  readonly health: Health;
  readonly waiting: readonly DueDelivery[];
  /** The ids of deliveries whose tries are under way. */
  readonly inFlight: readonly string[];
  readonly maxInFlight: number;
  /** Tries that ended and are not written, with the time of their end. */
  readonly ended: readonly { attempt: Attempt; at: number }[];
}

export const firstState = (failures: number): SenderState => ({
  phase: 'behind',
  health: { isEnabled: true, failures },
  waiting: [],
  inFlight: [],
  maxInFlight: FIRST_IN_FLIGHT,
  ended: [],
});

/** The state after an event that only says what the database may have. What was read of a changed endpoint is forgotten. */
export const afterEvent = (state: SenderState, event: PhaseEvent): SenderState => ({
  ...state,
  phase: phaseAfter(state.phase, event),
  waiting: event === 'endpoint_changed' ? [] : state.waiting,
});

/** The state after deliveries were read, unless the endpoint changed meanwhile: then they are read again. */
export function afterRead(state: SenderState, read: DueDelivery[], event: 'read_all' | 'read_some'): SenderState {
  const isVoid = state.phase === 'reading_void';
  return { ...afterEvent(state, event), waiting: isVoid ? [] : read };
}

/** The state after the first waiting delivery began its try. */
export const afterStart = ({ waiting: [first, ...waiting], ...state }: SenderState): SenderState => ({
  ...state,
  waiting,
  inFlight: first === undefined ? state.inFlight : [...state.inFlight, first.delivery.id],
});

/** The state after a try. One more may be under way after each that was accepted, and few again after a failure. */
export const afterTry = (state: SenderState, attempt: Attempt, at: number): SenderState => ({
  ...state,
  inFlight: state.inFlight.filter((id) => id !== attempt.deliveryId),
  ended: [...state.ended, { attempt, at }],
  maxInFlight: attempt.isAccepted ? Math.min(state.maxInFlight + 1, MAX_IN_FLIGHT) : FIRST_IN_FLIGHT,
});

/** The state after the first `count` results were written. Those of an ordered endpoint may let other deliveries go. */
export const afterWrite = (
  state: SenderState,
  { count, health, isOrdered }: { count: number; health: Health; isOrdered: boolean },
): SenderState => ({
  ...(isOrdered ? afterEvent(state, 'more_pending') : state),
  ended: state.ended.slice(count),
  health,
});

/**
 * The state after deliveries that were just stored were accepted past the database, or undefined if they have to be read.
 * Those that were read from the database before the hand-over came are left out.
 */
export function afterHandOver(state: SenderState, list: () => SentDelivery[]): SenderState | undefined {
  if (state.phase !== 'current' || state.waiting.length > 0) return undefined;
  const underWay = new Set(idsUnderWay(state));
  const unknown = list().filter(({ id }) => !underWay.has(id));
  return { ...state, waiting: unknown.map((delivery) => ({ delivery, at: 0 })) };
}

/** Returns the ids of deliveries whose tries are under way, or are not written yet. */
export const idsUnderWay = ({ inFlight, ended }: SenderState): string[] => [
  ...inFlight,
  ...ended.map(({ attempt }) => attempt.deliveryId),
];

/** Returns whether more tries may begin. Results that are not written yet count as well. */
export function isHealthy({ health, ended }: SenderState): boolean {
  const { failures, wasAccepted } = trailingFailures(ended.map(({ attempt }) => attempt));
  return health.isEnabled && failures + (wasAccepted ? 0 : health.failures) < FAILURES_UNTIL_PROBES;
}

export type SenderStep =
  /** Read the endpoint and its next deliveries. */
  | { kind: 'read' }
  /** Begin the try of a delivery: the first that waits. */
  | { kind: 'start'; delivery: SentDelivery }
  /** Write the results so far. */
  | { kind: 'write' }
  /** Wait for a change, at most this long. */
  | { kind: 'wait'; ms: number }
  /** Nothing is left: wait for a change, at most this long, and end without one. */
  | { kind: 'linger'; ms: number }
  | { kind: 'end' };

/** Returns what a sender does next. */
export function nextStep(state: SenderState, now: number): SenderStep {
  const { phase, waiting, inFlight, ended } = state;
  const isEnding = phase === 'ending';
  if (phase === 'behind' && waiting.length === 0) return { kind: 'read' };
  const [first] = isEnding ? [] : waiting;
  if (first !== undefined && first.at <= now && mayStart(state)) return { kind: 'start', delivery: first.delivery };
  if (isTimeToWrite(state, now) || (isEnding && inFlight.length === 0 && ended.length > 0)) return { kind: 'write' };
  if (first === undefined && inFlight.length === 0)
    return isEnding ? { kind: 'end' } : { kind: 'linger', ms: LINGER_MS };
  const dueInMs = first === undefined || !mayStart(state) ? Infinity : first.at - now;
  return { kind: 'wait', ms: Math.min(dueInMs, writeInMs(state, now), LINGER_MS) };
}

const mayStart = (state: SenderState): boolean => state.inFlight.length < state.maxInFlight && isHealthy(state);

const isTimeToWrite = (state: SenderState, now: number): boolean =>
  state.ended.length >= TRIES_PER_WRITE ||
  (state.ended.length > 0 && (state.inFlight.length === 0 || writeInMs(state, now) <= 0));

const writeInMs = ({ ended: [oldest] }: SenderState, now: number): number =>
  oldest === undefined ? Infinity : oldest.at + MAX_UNWRITTEN_MS - now;
