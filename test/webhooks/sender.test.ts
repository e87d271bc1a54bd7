import type { Attempt, SentDelivery } from '../../src/webhooks/sending/posting.ts';
import {
  afterEvent,
  afterHandOver,
  afterRead,
  afterStart,
  afterTry,
  afterWrite,
  FIRST_IN_FLIGHT,
  firstState,
  MAX_IN_FLIGHT,
  nextStep,
  type Phase,
  type PhaseEvent,
  phaseAfter,
  type SenderState,
} from '../../src/webhooks/sending/sender.rules.ts';

const EVENTS: PhaseEvent[] = ['more_pending', 'endpoint_changed', 'read_begun', 'read_all', 'read_some', 'over'];

const PHASES: [Phase, ...Phase[]][] = [
  // phase, then after each of EVENTS
  ['behind', 'behind', 'behind', 'reading', 'behind', 'behind', 'ending'],
  ['reading', 'reading_behind', 'reading_void', 'reading', 'current', 'behind', 'ending'],
  ['reading_behind', 'reading_behind', 'reading_void', 'reading_behind', 'behind', 'behind', 'ending'],
  ['reading_void', 'reading_void', 'reading_void', 'reading_void', 'behind', 'behind', 'ending'],
  ['current', 'behind', 'behind', 'reading', 'current', 'current', 'ending'],
  ['ending', 'ending', 'ending', 'ending', 'ending', 'ending', 'ending'],
];

it.each(PHASES)('a sender that is %s gets to its phase after each event', (phase, ...expected) => {
  expect(EVENTS.map((event) => phaseAfter(phase, event))).toEqual(expected);
});

const delivery = (id: string): SentDelivery => ({
  id,
  org_id: 'org',
  event_type: 'contact.created',
  occurred_at: new Date(0),
  sequence: null,
  data: {},
  round_attempts: 0,
});
const due = (id: string, at = 0) => ({ delivery: delivery(id), at });
const attempt = (deliveryId: string, isAccepted = true): Attempt => ({
  deliveryId,
  isAccepted,
  at: new Date(0),
  round: 1,
  retryAfterMs: undefined,
  status: isAccepted ? 200 : 500,
  durationMs: 1,
  answer: '',
  error: null,
  isGone: false,
});

const behind = firstState(0);
const reading = afterEvent(behind, 'read_begun');
const current = afterRead(reading, [], 'read_all');
const withTries = (ids: string[], from: SenderState = current): SenderState =>
  ids.reduce<SenderState>((state) => afterStart(state), { ...from, waiting: ids.map((id) => due(id)) });
const ended = (ids: string[], at: number, isAccepted = true): SenderState =>
  ids.reduce((state, id) => afterTry(state, attempt(id, isAccepted), at), withTries(ids));
const many = Array.from({ length: 100 }, (_, nth) => String(nth));
const full = withTries(many.slice(0, FIRST_IN_FLIGHT));

const STEPS: [name: string, state: SenderState, now: number, step: object][] = [
  ['reads what may be there', behind, 0, { kind: 'read' }],
  ['sends what it has read before it reads on', { ...behind, waiting: [due('a')] }, 0, { kind: 'start' }],
  ['waits for a delivery that may go later', { ...current, waiting: [due('a', 90)] }, 10, { kind: 'wait', ms: 80 }],
  ['looks again after five seconds', { ...current, waiting: [due('a', 90_000)] }, 0, { kind: 'wait', ms: 5_000 }],
  ['begins no more tries than may be under way', { ...full, waiting: [due('z')] }, 0, { kind: 'wait', ms: 5_000 }],
  ['waits for more results', { ...ended(['a'], 10), inFlight: ['b'] }, 20, { kind: 'wait', ms: 15 }],
  ['writes results after 25 ms', { ...ended(['a'], 10), inFlight: ['b'] }, 35, { kind: 'write' }],
  ['writes the results of the last try at once', ended(['a'], 10), 10, { kind: 'write' }],
  ['writes a hundred results at once', { ...ended(many, 10), inFlight: ['b'] }, 10, { kind: 'write' }],
  ['lingers when nothing is left', current, 0, { kind: 'linger', ms: 5_000 }],
  ['ends when nothing is under way', afterEvent(current, 'over'), 0, { kind: 'end' }],
  ['waits for what is under way', afterEvent(withTries(['a']), 'over'), 0, { kind: 'wait', ms: 5_000 }],
  ['writes before it ends', afterEvent(ended(['a'], 0), 'over'), 0, { kind: 'write' }],
  ['begins nothing more', afterEvent({ ...current, waiting: [due('a')] }, 'over'), 0, { kind: 'end' }],
  [
    'begins no try after ten failures',
    { ...ended(many.slice(0, 10), 0, false), waiting: [due('z')] },
    0,
    { kind: 'write' },
  ],
];

it.each(STEPS)('a sender %s', (_, state, now, step) => {
  expect(nextStep(state, now)).toMatchObject(step);
});

it('one more try may be under way after each that was accepted, and few again after a failure', () => {
  const wide = ended(many, 0);
  expect(wide.maxInFlight).toBe(MAX_IN_FLIGHT);
  expect(afterTry(wide, attempt('a', false), 0).maxInFlight).toBe(FIRST_IN_FLIGHT);
});

it('what was read of an endpoint that changed meanwhile is not sent', () => {
  const changed = afterEvent(reading, 'endpoint_changed');
  expect(afterRead(changed, [due('a')], 'read_all')).toMatchObject({ phase: 'behind', waiting: [] });
  expect(afterEvent({ ...current, waiting: [due('a')] }, 'endpoint_changed').waiting).toEqual([]);
});

it('deliveries are accepted past the database only when all was read and nothing waits', () => {
  const list = () => [delivery('a'), delivery('b')];
  expect(afterHandOver(current, list)?.waiting.map(({ delivery: { id } }) => id)).toEqual(['a', 'b']);
  expect(afterHandOver(withTries(['a']), list)?.waiting.map(({ delivery: { id } }) => id)).toEqual(['b']);
  for (const state of [behind, reading, { ...current, waiting: [due('z')] }, afterEvent(current, 'over')])
    expect(afterHandOver(state, list)).toBeUndefined();
});

it('results that come while others are written stay, and those of an ordered endpoint let it read again', () => {
  const state = ended(['a', 'b'], 0);
  const health = { isEnabled: true, failures: 0 };
  const written = afterWrite(state, { count: 1, health, isOrdered: false });
  expect([written.phase, written.ended.map((one) => one.attempt.deliveryId)]).toEqual(['current', ['b']]);
  expect(afterWrite(state, { count: 2, health, isOrdered: true }).phase).toBe('behind');
});
