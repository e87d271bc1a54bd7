import { repeatForSeconds } from '../../db/deletion.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { EndpointRef, WebhookProgress } from '../contract.ts';
import { recoverSome } from '../deliveries/recovery.service.ts';
import { listPendingDeliveries } from '../deliveries.queries.ts';
import { holdForSeconds } from '../endpoints/holding.service.ts';
import { findWholeEndpoint, type WholeEndpoint } from '../endpoints.queries.ts';
import { type Attempt, post, type Receiver, receiverOf, type SentDelivery } from './posting.ts';
import { claimProbe, reserveSlots, setSending } from './recording.queries.ts';
import { type Health, recordResults } from './recording.service.ts';
import type { PostingDeps } from './retries.service.ts';
import { FAILURES_UNTIL_PROBES, probeDelayMs, trailingFailures } from './schedule.rules.ts';
import type { NewDeliveries, SenderRegistry } from './sender-registry.ts';

const DELIVERIES_PER_READ = 200;
/** A hanging endpoint holds only the first number of connections: more are opened as it accepts. */
const FIRST_IN_FLIGHT = 10;
const MAX_IN_FLIGHT = 50;
const TRIES_PER_WRITE = 100;
/** Results are written together, at the latest after this time. */
const MAX_UNWRITTEN_MS = 25;
/** A sender that finds nothing more waits for a change, as the next delivery then needs no new activity. */
const LINGER_MS = 5_000;
const MAX_SENDING_MS = 45_000;

export interface SenderDeps extends PostingDeps {
  webhookSenders: SenderRegistry;
  /** Whether to begin no more tries. */
  isStopped: () => boolean;
}

/** What a sender knows of its endpoint and of what is under way. */
interface Sender {
  deps: SenderDeps;
  ref: EndpointRef;
  endpoint: WholeEndpoint;
  receiver: Receiver;
  health: Health;
  waiting: { delivery: SentDelivery; at: number }[];
  inFlight: Map<string, Promise<void>>;
  maxInFlight: number;
  ended: Attempt[];
  firstEndedAt: number;
  /** Counts the changes of the endpoint and of what is stored for it: what was read before one is void. */
  changes: number;
  /** Whether there may be deliveries that were not read yet. */
  hasMore: boolean;
  /** Whether it can take deliveries past the database: it reads none itself just now, and does not end. */
  isOpen: boolean;
  /** Whether it begins no more tries. */
  isEnding: boolean;
  wake: () => void;
}

/**
 * Makes the first tries of an endpoint's pending deliveries, many at once, until there are none and nothing changes for a while.
 * After many failures in a row one try goes at a time, and the time until the next is returned.
 */
export async function sendPending(deps: SenderDeps, ref: EndpointRef): Promise<WebhookProgress> {
  await inTransaction(deps.db, (trx) => setSending(trx, ref, true));
  for (;;) {
    const progress = await sendOnce(deps, ref);
    if (progress.nextInMs !== null) return progress;
    await inTransaction(deps.db, (trx) => setSending(trx, ref, false));
    if (!(await hasWork(deps, ref))) return progress;
    await inTransaction(deps.db, (trx) => setSending(trx, ref, true));
  }
}

/** Returns whether something came in before the sender had said that it ends. */
async function hasWork({ db }: SenderDeps, ref: EndpointRef): Promise<boolean> {
  const endpoint = await findWholeEndpoint(db, ref.orgId, ref.endpointId);
  if (endpoint?.enabled !== true) return false;
  if (endpoint.recoveries.length > 0) return true;
  return (await listPendingDeliveries(db, ref, { limit: 1, except: [], isOrdered: endpoint.ordered })).length > 0;
}

async function sendOnce(deps: SenderDeps, ref: EndpointRef): Promise<WebhookProgress> {
  const { db, isStopped } = deps;
  const endpoint = await findWholeEndpoint(db, ref.orgId, ref.endpointId);
  if (endpoint?.enabled !== true) {
    const isHeld = await holdForSeconds(db, ref, isStopped);
    return { nextInMs: isHeld ? null : 0, details: 'the endpoint is disabled or deleted' };
  }
  if (endpoint.recoveries.length > 0) await repeatForSeconds(isStopped, async () => !(await recoverSome(db, ref)));
  const probeDelay = probeDelayMs(endpoint.failures, endpoint.failing_for_ms);
  if (probeDelay !== null) return probe(deps, ref, endpoint, probeDelay);
  const sender = senderOf(deps, ref, endpoint);
  const stopListening = deps.webhookSenders.subscribe(ref.endpointId, {
    onChange() {
      sender.hasMore = true;
      sender.wake();
      return !sender.isEnding && !deps.isStopped();
    },
    onEndpointChange: () => readAgain(sender),
    accept: (deliveries) => accept(sender, deliveries),
  });
  try {
    return await sendWhileHealthy(sender);
  } finally {
    stopListening();
  }
}

const senderOf = (deps: SenderDeps, ref: EndpointRef, endpoint: WholeEndpoint): Sender => ({
  deps,
  ref,
  endpoint,
  receiver: receiverOf(deps.secrets, endpoint),
  health: { isEnabled: true, failures: endpoint.failures },
  waiting: [],
  inFlight: new Map(),
  maxInFlight: FIRST_IN_FLIGHT,
  ended: [],
  firstEndedAt: 0,
  changes: 0,
  hasMore: true,
  isOpen: false,
  isEnding: false,
  wake: () => {},
});

/** Makes the single try that may go now, with the oldest delivery. */
async function probe(deps: SenderDeps, ref: EndpointRef, endpoint: WholeEndpoint, delayMs: number) {
  const details = `${endpoint.failures} failures in a row: one try at a time`;
  const [oldest] = await listPendingDeliveries(deps.db, ref, { limit: 1, except: [], isOrdered: endpoint.ordered });
  if (oldest === undefined) return { nextInMs: null, details };
  if (endpoint.probe_in_ms > 0) return { nextInMs: endpoint.probe_in_ms, details };
  if (!(await claimProbe(deps.db, ref, delayMs))) return { nextInMs: 1_000, details };
  const result = await post(deps.egress, receiverOf(deps.secrets, endpoint), oldest);
  await recordResults(deps.db, { ...ref, ordered: endpoint.ordered, isHealthy: false }, [result]);
  return { nextInMs: 0, details };
}

async function sendWhileHealthy(sender: Sender): Promise<WebhookProgress> {
  const endsAt = performance.now() + MAX_SENDING_MS;
  const isOver = () => performance.now() > endsAt || sender.deps.isStopped() || !isHealthy(sender);
  while (!isOver()) {
    if (sender.hasMore && sender.waiting.length === 0) await readMore(sender);
    startDue(sender);
    sender.isOpen = true;
    const wasWoken = !isIdle(sender) || (await waitForChange(sender, LINGER_MS));
    if (!wasWoken && isIdle(sender)) return { nextInMs: null, details: 'nothing to send' };
    await nextResult(sender);
    if (isTimeToWrite(sender)) await writeResults(sender);
  }
  sender.isOpen = false;
  sender.isEnding = true;
  await Promise.all(sender.inFlight.values());
  await writeResults(sender);
  return { nextInMs: sender.health.isEnabled ? 0 : null, details: 'continues' };
}

/** Results that are not written yet count as well. */
function isHealthy({ health, ended }: Sender): boolean {
  const { failures, wasAccepted } = trailingFailures(ended);
  return health.isEnabled && failures + (wasAccepted ? 0 : health.failures) < FAILURES_UNTIL_PROBES;
}

const isIdle = ({ waiting, inFlight, ended, hasMore }: Sender): boolean =>
  waiting.length === 0 && inFlight.size === 0 && ended.length === 0 && !hasMore;

/** Drops what was read, so that the endpoint and its pending deliveries are read again before another try begins. */
function readAgain(sender: Sender): void {
  sender.changes += 1;
  sender.waiting = [];
  sender.hasMore = true;
  sender.wake();
}

/**
 * Begins to send deliveries that were just stored, if nothing else waits and the endpoint is as it was read. What the
 * rate or the order of an endpoint decides about is read from the database.
 */
function accept(sender: Sender, { version, list }: NewDeliveries): boolean {
  const { endpoint, isOpen, hasMore, waiting } = sender;
  const isFree = isOpen && !hasMore && waiting.length === 0 && !sender.deps.isStopped();
  const isSimple = !endpoint.ordered && endpoint.max_per_second === null;
  if (!isFree || !isSimple || version !== endpoint.version) return false;
  const known = new Set(idsUnderWay(sender)); // read from the database before the hand-over came
  const unknown = known.size === 0 ? list() : list().filter(({ id }) => !known.has(id));
  sender.waiting = unknown.map((delivery) => ({ delivery, at: 0 }));
  startDue(sender);
  sender.wake();
  return true;
}

/** Returns the ids of deliveries whose tries are under way, or are not written yet. */
const idsUnderWay = ({ inFlight, ended }: Sender): string[] => [
  ...inFlight.keys(),
  ...ended.map(({ deliveryId }) => deliveryId),
];

/** Reads the next deliveries, and the endpoint again, as it may have changed. What changes meanwhile makes it void. */
async function readMore(sender: Sender): Promise<void> {
  const { deps, ref, changes } = sender;
  sender.hasMore = false;
  sender.isOpen = false;
  const endpoint = await findWholeEndpoint(deps.db, ref.orgId, ref.endpointId);
  sender.health = { isEnabled: endpoint?.enabled === true, failures: endpoint?.failures ?? 0 };
  if (endpoint?.enabled !== true) return;
  Object.assign(sender, { endpoint, receiver: receiverOf(deps.secrets, endpoint) });
  const limit = Math.min(DELIVERIES_PER_READ, endpoint.max_per_second ?? DELIVERIES_PER_READ);
  const pending = { limit, except: idsUnderWay(sender), isOrdered: endpoint.ordered };
  const deliveries = await listPendingDeliveries(deps.db, ref, pending);
  sender.hasMore ||= deliveries.length === limit;
  const { in_ms, interval_ms } =
    endpoint.max_per_second === null || deliveries.length === 0
      ? { in_ms: 0, interval_ms: 0 }
      : await reserveSlots(deps.db, ref, deliveries.length);
  if (sender.changes !== changes) return;
  const now = performance.now();
  sender.waiting = deliveries.map((delivery, nth) => ({ delivery, at: now + in_ms + nth * interval_ms }));
}

/** Begins as many tries as may be under way. */
function startDue(sender: Sender): void {
  while (sender.inFlight.size < sender.maxInFlight && isHealthy(sender)) {
    const [first] = sender.waiting;
    if (first === undefined || first.at > performance.now()) return;
    sender.waiting.shift();
    sender.inFlight.set(first.delivery.id, tryOnce(sender, first.delivery));
  }
}

async function tryOnce(sender: Sender, delivery: SentDelivery): Promise<void> {
  const result = await post(sender.deps.egress, sender.receiver, delivery);
  sender.inFlight.delete(delivery.id);
  if (sender.ended.length === 0) sender.firstEndedAt = performance.now();
  sender.ended.push(result);
  sender.maxInFlight = result.isAccepted ? Math.min(sender.maxInFlight + 1, MAX_IN_FLIGHT) : FIRST_IN_FLIGHT;
  sender.wake();
}

/** Waits until a try ends, one is due, results must be written, or there may be new deliveries. */
async function nextResult(sender: Sender): Promise<void> {
  const { waiting, ended, inFlight, maxInFlight, firstEndedAt } = sender;
  const now = performance.now();
  const isBusy = inFlight.size >= maxInFlight;
  const dueInMs = waiting[0] === undefined || isBusy ? Infinity : waiting[0].at - now;
  const writeInMs = ended.length === 0 ? Infinity : firstEndedAt + MAX_UNWRITTEN_MS - now;
  const isNothingUnderWay = inFlight.size === 0 && waiting.length === 0;
  if (isNothingUnderWay || (sender.hasMore && waiting.length === 0)) return;
  await waitForChange(sender, Math.min(dueInMs, writeInMs, LINGER_MS));
}

/** Waits until a try ends or there may be new deliveries. Resolves to false if neither happened in time. */
async function waitForChange(sender: Sender, ms: number): Promise<boolean> {
  if (ms <= 0) return false;
  const wasWoken = await new Promise<boolean>((resolve) => {
    const timer = setTimeout(() => resolve(false), ms);
    sender.wake = () => {
      clearTimeout(timer);
      resolve(true);
    };
  });
  sender.wake = () => {};
  return wasWoken;
}

const isTimeToWrite = ({ ended, inFlight, firstEndedAt }: Sender): boolean =>
  ended.length >= TRIES_PER_WRITE ||
  (ended.length > 0 && (inFlight.size === 0 || performance.now() - firstEndedAt >= MAX_UNWRITTEN_MS));

/** Writes the results so far. Those of an ordered endpoint may let others go. */
async function writeResults(sender: Sender): Promise<void> {
  const { deps, ref, endpoint } = sender;
  const written = [...sender.ended];
  if (written.length === 0) return;
  const isHealthy = sender.health.failures === 0 && endpoint.failing_since === null;
  const health = await recordResults(deps.db, { ...ref, ordered: endpoint.ordered, isHealthy }, written);
  sender.ended = sender.ended.slice(written.length);
  sender.health = health ?? { isEnabled: false, failures: 0 };
  sender.hasMore ||= endpoint.ordered;
}
