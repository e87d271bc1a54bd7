import type { FastifyBaseLogger } from 'fastify';
import { elementAt } from '../collections/checked-access.ts';
import type { Db, Trx } from '../db/connect.ts';
import { pipelined } from '../db/connections/pipeline.ts';
import { isDatabaseUnavailable } from '../db/failures.ts';
import { inSavepoint, inTransaction } from '../db/transaction.ts';
import { NIL_UUID } from '../ids.ts';
import { commonRequest, runAfterRequest, runAsWriter } from '../processes/current-work.ts';
import { beginSpan, inSpan, ORG_ID, SpanKind, type SpanOptions } from '../tracing/spans.ts';
import { atDepth } from './causation.ts';
import { type AnyClaimedEvent, type ClaimedEvent, claimEvents, defer, type FinishedBatch } from './claim.ts';
import type { EventType } from './events.ts';
import { groupsOf } from './groups.rules.ts';
import { deferInterrupted, deleteClaim, deleteExpanded, insertClaim } from './interruptions.ts';
import type { PendingReaction, Reactions, ReadingMoment } from './reactions.ts';

const EVENTS_PER_BATCH = 500;

type Log = Pick<FastifyBaseLogger, 'error'>;

interface Expander {
  db: Db;
  reactions: Reactions;
  log: Log;
  /** The org served last. */
  served: string;
}

/** Events of one org that a relay has locked, and what it has written down about them. */
interface Batch {
  orgId: string;
  groups: AnyClaimedEvent[][];
  claim: Promise<number>;
}

/**
 * Returns a function to expand one batch of events per call, continuing with the next org each time. It resolves to
 * undefined if there were none.
 */
export function eventExpander(db: Db, reactions: Reactions, log: Log): () => Promise<FinishedBatch | undefined> {
  const expander: Expander = { db, reactions, log, served: NIL_UUID };
  return async () => {
    const ended = await expandEvents(expander);
    if (ended === undefined) expander.served = NIL_UUID;
    return ended;
  };
}

/**
 * Expands one batch of events of the next org, if there are any. Reactions usually succeed: so all of them run together
 * first. If one fails, they run again, each type of event by itself.
 */
async function expandEvents(expander: Expander): Promise<FinishedBatch | undefined> {
  const before = expander.served;
  try {
    return await expandBatch(expander, expandTogether);
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error;
    expander.served = before;
    return expandBatch(expander, expandApart);
  }
}

/**
 * Expands one batch of events of the next org with `expand`, as work that writes for it. Events whose expansion has
 * ended a process are deferred first, so that they cannot end one process after the other.
 */
async function expandBatch(
  expander: Expander,
  expand: (trx: Trx, expander: Expander, batch: Batch) => Promise<number[]>,
): Promise<FinishedBatch | undefined> {
  const { db, log } = expander;
  let claim: Promise<number> | undefined;
  const withdraw = async () => {
    if (claim !== undefined) await deleteClaim(db, await claim);
    claim = undefined;
  };
  try {
    return await inTransaction(db, async (trx) => {
      await withdraw(); // the claim of a transaction that is repeated: another relay may do it instead
      const { events, mayBeInterrupted, backend } = await claimEvents(trx, EVENTS_PER_BATCH, expander.served);
      if (events.length === 0) return undefined;
      const { org_id } = elementAt(events, 0);
      expander.served = org_id; // also if this batch fails: then another org is next
      const ids = events.map(({ id }) => id);
      const interrupted = mayBeInterrupted ? await deferInterrupted(trx, org_id) : 0;
      if (interrupted > 0) {
        log.error({ org_id, events: interrupted }, 'a process ended while it handled events; retrying later');
        return { row: Promise.resolve({ is_more: true }) };
      }
      claim = insertClaim(db, { orgId: org_id, ids, backend });
      const batch = { orgId: org_id, groups: groupsOf(events), claim };
      const expanded = await runAsWriter(org_id, () => expand(trx, expander, batch));
      return await deleteExpanded(trx, await claim, expanded);
    });
  } catch (error) {
    await withdraw();
    throw error;
  }
}

/** Expands events once their claim is stored. Returns the ids of all of them. */
async function expandTogether(trx: Trx, { reactions }: Expander, { orgId, groups, claim }: Batch): Promise<number[]> {
  const reading = await pipelined(trx);
  const spans = groups.map((group) => beginSpan(spanOptionsOf(group)));
  let failure: unknown;
  try {
    const read = Promise.all(
      groups.map((group, nth) =>
        spans[nth]?.within(() => readFor(reading, reactions, orgId, { ...typed(group), isAhead: nth > 0 })),
      ),
    );
    const [pending] = await Promise.all([read, claim]);
    for (const [place, group] of groups.entries()) {
      await spans[place]?.within(() => actOn(trx, group, pending[place] ?? []));
      spans[place]?.end();
    }
    return groups.flat().map(({ id }) => id);
  } catch (error) {
    failure = error;
    throw error;
  } finally {
    for (const span of spans) span.end(failure);
  }
}

/**
 * Expands events once their claim is stored, and returns the ids of those that were. If those of one type fail, they
 * are deferred and block no others.
 */
async function expandApart(trx: Trx, { reactions, log }: Expander, { orgId, groups, claim }: Batch): Promise<number[]> {
  const expanded: number[] = [];
  await claim;
  for (const group of groups) {
    const ids = group.map(({ id }) => id);
    try {
      await inSpan(spanOptionsOf(group), () =>
        inSavepoint(trx, async () =>
          actOn(trx, group, await readFor(trx, reactions, orgId, { ...typed(group), isAhead: false })),
        ),
      );
      expanded.push(...ids);
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      const { type } = elementAt(group, 0);
      log.error({ err: error, org_id: orgId, type, events: ids.length }, 'reactions to events failed; retrying later');
      await defer(trx, ids, String(error));
    }
  }
  return expanded;
}

/** Lets the reactions to events of one type read, and returns what they have to do. */
async function readFor<Type extends EventType>(
  trx: Trx,
  reactions: Reactions,
  orgId: string,
  { type, events, isAhead }: { type: Type; events: ClaimedEvent<Type>[] } & ReadingMoment,
): Promise<PendingReaction[]> {
  const pending = (reactions[type] ?? []).map(
    async (reaction): Promise<PendingReaction | undefined> =>
      typeof reaction === 'function'
        ? (acting) => reaction(acting, orgId, events)
        : reaction.read(trx, orgId, events, { isAhead }),
  );
  return (await Promise.all(pending)).filter((reaction) => reaction !== undefined);
}

function spanOptionsOf(group: AnyClaimedEvent[]): SpanOptions {
  const { type, org_id, trace } = elementAt(group, 0);
  return { name: `outbox ${type}`, kind: SpanKind.CONSUMER, attributes: { [ORG_ID]: org_id }, parent: trace ?? null };
}

const typed = (group: AnyClaimedEvent[]) => ({ type: elementAt(group, 0).type, events: group });

/** Does what the reactions to events of one type and depth have to do. */
async function actOn(trx: Trx, group: AnyClaimedEvent[], pending: PendingReaction[]): Promise<void> {
  const { depth } = elementAt(group, 0);
  await runAfterRequest(commonRequest(group.map(({ request_id }) => request_id)), () =>
    atDepth(trx, depth, async () => {
      for (const react of pending) await react(trx);
    }),
  );
}
