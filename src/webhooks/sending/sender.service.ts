import type { EndpointRef, WebhookProgress } from '../contract.ts';
import { listPendingDeliveries } from '../deliveries/shared.queries.ts';
import { findWholeEndpoint, type WholeEndpoint } from '../endpoints/shared.queries.ts';
import { post, type Receiver, receiverOf, type SentDelivery } from './posting.ts';
import { reserveSlots } from './recording.queries.ts';
import { recordResults } from './recording.service.ts';
import type { PostingDeps } from './retries.service.ts';
import {
  afterEvent,
  afterHandOver,
  afterRead,
  afterStart,
  afterTry,
  afterWrite,
  firstState,
  idsUnderWay,
  isHealthy,
  nextStep,
  type SenderState,
} from './sender.rules.ts';
import type { NewDeliveries, SenderRegistry } from './sender-registry.ts';

const DELIVERIES_PER_READ = 200;
const MAX_SENDING_MS = 45_000;

export interface SenderDeps extends PostingDeps {
  webhookSenders: SenderRegistry;
  /** Whether to begin no more tries. */
  isStopped: () => boolean;
}

/** Where a sender's tries go, as the endpoint was last read. */
interface Target {
  endpoint: WholeEndpoint;
  receiver: Receiver;
}

/** The sender of an endpoint. `sender.rules.ts` says what its states are, and what follows from each. */
interface Sender {
  readonly deps: SenderDeps;
  readonly ref: EndpointRef;
  readonly alarm: Alarm;
  state: SenderState;
  target: Target;
}

/** Makes the first tries of an endpoint's pending deliveries, until none is left, its tries fail, or its time is over. */
export async function sendWhileHealthy(
  deps: SenderDeps,
  ref: EndpointRef,
  endpoint: WholeEndpoint,
): Promise<WebhookProgress> {
  const target = { endpoint, receiver: receiverOf(deps.secrets, endpoint) };
  const sender: Sender = { deps, ref, alarm: createAlarm(), state: firstState(endpoint.failures), target };
  const unsubscribe = deps.webhookSenders.subscribe(ref.endpointId, {
    onChange() {
      change(sender, afterEvent(sender.state, 'more_pending'));
      return sender.state.phase !== 'ending' && !deps.isStopped();
    },
    onEndpointChange: () => change(sender, afterEvent(sender.state, 'endpoint_changed')),
    accept: (deliveries) => accept(sender, deliveries),
  });
  try {
    return await takeSteps(sender);
  } finally {
    unsubscribe();
  }
}

async function takeSteps(sender: Sender): Promise<WebhookProgress> {
  const { deps, alarm } = sender;
  const endsAt = performance.now() + MAX_SENDING_MS;
  for (;;) {
    const now = performance.now();
    if (now > endsAt || deps.isStopped() || !isHealthy(sender.state)) end(sender);
    const step = nextStep(sender.state, now);
    if (step.kind === 'read') await readMore(sender);
    if (step.kind === 'start') start(sender, step.delivery);
    if (step.kind === 'write') await writeResults(sender);
    if (step.kind === 'wait') await alarm.wait(step.ms);
    if (step.kind === 'linger' && !(await alarm.wait(step.ms)) && isIdle(sender)) {
      end(sender);
      return { nextInMs: null, details: 'nothing to send' };
    }
    if (step.kind === 'end') return { nextInMs: sender.state.health.isEnabled ? 0 : null, details: 'continues' };
  }
}

const isIdle = ({ state }: Sender): boolean => nextStep(state, performance.now()).kind === 'linger';

function change(sender: Sender, state: SenderState): void {
  sender.state = state;
  sender.alarm.ring();
}

const end = (sender: Sender): void => {
  sender.state = afterEvent(sender.state, 'over');
};

/**
 * Begins to send deliveries that were just stored, if nothing else waits and the endpoint is as it was read. What the
 * rate or the order of an endpoint decides about is read from the database.
 */
function accept(sender: Sender, { version, list }: NewDeliveries): boolean {
  const { endpoint } = sender.target;
  const isSimple = !endpoint.ordered && endpoint.max_per_second === null;
  if (!isSimple || version !== endpoint.version || sender.deps.isStopped()) return false;
  const state = afterHandOver(sender.state, list);
  if (state === undefined) return false;
  change(sender, state);
  startDue(sender);
  return true;
}

/** Begins as many tries as may be under way. */
function startDue(sender: Sender): void {
  const now = performance.now();
  for (let step = nextStep(sender.state, now); step.kind === 'start'; step = nextStep(sender.state, now))
    start(sender, step.delivery);
}

function start(sender: Sender, delivery: SentDelivery): void {
  sender.state = afterStart(sender.state);
  void tryOnce(sender, delivery);
}

async function tryOnce(sender: Sender, delivery: SentDelivery): Promise<void> {
  const attempt = await post(sender.deps.egress, sender.target.receiver, delivery);
  change(sender, afterTry(sender.state, attempt, performance.now()));
}

/** Reads the next deliveries, and the endpoint again, as it may have changed. */
async function readMore(sender: Sender): Promise<void> {
  const { deps, ref } = sender;
  sender.state = afterEvent(sender.state, 'read_begun');
  const endpoint = await findWholeEndpoint(deps.db, ref.orgId, ref.endpointId);
  const health = { isEnabled: endpoint?.enabled === true, failures: endpoint?.failures ?? 0 };
  sender.state = { ...sender.state, health };
  if (endpoint?.enabled !== true) return;
  sender.target = { endpoint, receiver: receiverOf(deps.secrets, endpoint) };
  const limit = Math.min(DELIVERIES_PER_READ, endpoint.max_per_second ?? DELIVERIES_PER_READ);
  const pending = { limit, except: idsUnderWay(sender.state), isOrdered: endpoint.ordered };
  const deliveries = await listPendingDeliveries(deps.db, ref, pending);
  const due = await withSlots(sender, deliveries);
  sender.state = afterRead(sender.state, due, deliveries.length === limit ? 'read_some' : 'read_all');
}

/** Returns when each delivery may go. An endpoint with a rate gives each one a slot. */
async function withSlots({ deps, ref, target }: Sender, deliveries: SentDelivery[]) {
  const hasSlots = target.endpoint.max_per_second !== null && deliveries.length > 0;
  const slots = hasSlots ? await reserveSlots(deps.db, ref, deliveries.length) : { in_ms: 0, interval_ms: 0 };
  const first = performance.now() + slots.in_ms;
  return deliveries.map((delivery, nth) => ({ delivery, at: first + nth * slots.interval_ms }));
}

/** Writes the results so far. */
async function writeResults(sender: Sender): Promise<void> {
  const { deps, ref, state, target } = sender;
  const isOrdered = target.endpoint.ordered;
  const endpoint = {
    ...ref,
    ordered: isOrdered,
    isHealthy: state.health.failures === 0 && target.endpoint.failing_since === null,
  };
  const attempts = state.ended.map(({ attempt }) => attempt);
  const health = (await recordResults(deps.db, endpoint, attempts)) ?? { isEnabled: false, failures: 0 };
  sender.state = afterWrite(sender.state, { count: attempts.length, health, isOrdered });
}

/** Wakes the one who waits. A ring before the wait is lost: what it says is in the state. */
interface Alarm {
  ring(): void;
  /** Waits for a ring. Resolves to false if there is none in time. */
  wait(ms: number): Promise<boolean>;
}

function createAlarm(): Alarm {
  let ring = () => {};
  return {
    ring: () => ring(),
    wait: (ms) =>
      new Promise((resolve) => {
        const timer = setTimeout(() => resolve(false), ms);
        ring = () => {
          clearTimeout(timer);
          resolve(true);
        };
      }),
  };
}
