import type { Client } from '@temporalio/client';
import type { FastifyBaseLogger } from 'fastify';
import { forEachConcurrently } from '../concurrency/limited.ts';
import type { Db, Trx } from '../db/connect.ts';
import { inTransaction } from '../db/transaction.ts';
import { NIL_UUID } from '../ids.ts';
import { runAfterRequest } from '../processes/current-work.ts';
import { dispatch, type Heading, isTemporalUnavailable } from '../temporal/dispatch.ts';
import { isTitleUnknown } from '../temporal/search-attributes.ts';
import { inSpan, ORG_ID, SpanKind } from '../tracing/spans.ts';
import { type ClaimedCommand, claimCommands, defer, deleteClaimed, type FinishedBatch } from './claim.ts';
import { type InlineWork, runInline } from './inline-work.ts';

const COMMANDS_PER_BATCH = 200;
/** More only wait for one another in Temporal, and so does whatever else is asked of it. */
const DISPATCHES_PER_LOOP = 8;
/**
 * A batch begins no more dispatches after this time, so that what a slow Temporal has accepted is deleted: Postgres ends a
 * transaction without a statement for a minute, and the whole batch would be sent again.
 */
const DISPATCHES_PER_BATCH_MS = 15_000;
/** A batch begins no more inline work after this time. The next one does it, after other orgs' commands. */
const INLINE_WORK_PER_BATCH_MS = 250;

type Log = Pick<FastifyBaseLogger, 'warn' | 'error'>;

/**
 * Returns headings by workflow id. A workflow without one has the summary of its command as its title, and so have all of a
 * batch if this rejects.
 */
export type HeadingSource = (trx: Trx, commands: ClaimedCommand[]) => Promise<Map<string, Heading>>;

interface Sender {
  db: Db;
  inline: InlineWork;
  listHeadings: HeadingSource;
  startsEagerly: boolean;
  log: Log;
}

/** Commands that a relay has locked, and the outcomes so far. */
interface Batch extends Sender {
  trx: Trx;
  client: Client;
  /** Reads the headings of the batch, at its first call. What is done inline needs none. */
  headings: () => Promise<Map<string, Heading>>;
  /** Whether the namespace has the search attribute of titles, as far as this batch knows. */
  hasTitles: boolean;
  /** The commands that nothing is left to do for. */
  sent: number[];
  /** When to begin no more dispatches. */
  until: number;
  /** When to begin no more inline work, once some was begun. */
  inlineUntil: number | undefined;
  /** Why Temporal could not be reached. */
  unavailable: Error | undefined;
  /** Why the headings could not be read: nothing was sent then. */
  unreadable: HeadingsUnreadable | undefined;
}

/** The headings of a batch could not be read. Its transaction may be aborted. */
class HeadingsUnreadable extends Error {}

/**
 * Returns a function to send one batch of commands per call, continuing with the next orgs each time. What can be done
 * inline needs no workflow, and is done instead. It resolves to undefined if there were no commands or Temporal has not
 * been reached yet, and rejects if Temporal is unavailable.
 */
export function commandSender(
  sender: Sender,
  temporal: () => Client | undefined,
): () => Promise<FinishedBatch | undefined> {
  let served: string = NIL_UUID;
  return async () => {
    const client = temporal();
    if (client === undefined) return undefined;
    const { last, finished } = await sendCommands(sender, client, served).catch((error: unknown) => {
      if (!(error instanceof HeadingsUnreadable)) throw error;
      sender.log.warn({ err: error.cause }, 'headings of workflows could not be read: these start without them');
      return sendCommands({ ...sender, listHeadings: NO_HEADINGS }, client, served);
    });
    served = last;
    return finished;
  };
}

/** The source of headings for a relay without one. */
export const NO_HEADINGS: HeadingSource = async () => new Map();

interface SentCommands {
  /** The org served last. */
  last: string;
  finished?: FinishedBatch;
}

/**
 * Sends one batch of commands. Throws HeadingsUnreadable before any of them was sent. What was done inline until then is
 * harmless if it is done again.
 */
async function sendCommands(sender: Sender, client: Client, behind: string): Promise<SentCommands> {
  let unavailable: Error | undefined;
  const served = await inTransaction(sender.db, async (trx): Promise<SentCommands> => {
    const { commands, last } = await claimCommands(trx, COMMANDS_PER_BATCH, behind);
    if (commands.length === 0) return { last };
    const until = performance.now() + DISPATCHES_PER_BATCH_MS;
    const headings = headingsOf(sender, trx, commands);
    const sending = { sent: [], until, inlineUntil: undefined, unavailable: undefined, unreadable: undefined };
    const batch: Batch = { ...sender, ...sending, trx, client, headings, hasTitles: true };
    const queues = [...Map.groupBy(commands, ({ workflow_id }) => workflow_id).values()];
    await forEachConcurrently(inOrderOfCost(queues, sender.inline), DISPATCHES_PER_LOOP, async (queue) => {
      if (batch.unavailable === undefined && batch.unreadable === undefined) await sendQueue(batch, queue);
    });
    if (batch.unreadable !== undefined) throw batch.unreadable;
    unavailable = batch.unavailable;
    return { last, finished: await deleteClaimed(trx, batch.sent) };
  });
  if (unavailable !== undefined) throw unavailable;
  return served;
}

/** Returns what only has to be sent before what may take longer. */
const inOrderOfCost = (queues: ClaimedCommand[][], inline: InlineWork): ClaimedCommand[][] => {
  const isSlow = (queue: ClaimedCommand[]) => queue.some(({ type }) => inline.has(type));
  return [...queues.filter((queue) => !isSlow(queue)), ...queues.filter(isSlow)];
};

/** Sends the commands of one workflow in order, up to the first failure. */
async function sendQueue(batch: Batch, queue: ClaimedCommand[]): Promise<void> {
  const { trx, inline, log } = batch;
  for (const { command, ids, traces } of withoutRepeats(queue)) {
    if (performance.now() > batch.until) return;
    const work = inline.get(command.type);
    if (work !== undefined) {
      batch.inlineUntil ??= performance.now() + INLINE_WORK_PER_BATCH_MS;
      if (performance.now() > batch.inlineUntil) return;
    }
    try {
      await runAfterRequest(command.request_id ?? undefined, () =>
        inSpan(spanOptionsOf(command, traces), async () => {
          if (work === undefined || !(await runInline(work, command, log))) await dispatchTitled(batch, command);
        }),
      );
      batch.sent.push(...ids);
    } catch (error) {
      if (error instanceof HeadingsUnreadable) {
        batch.unreadable = error;
        return;
      }
      if (isTemporalUnavailable(error)) {
        batch.unavailable = new Error('Temporal is unavailable', { cause: error });
        return;
      }
      const { id, workflow_id } = command;
      log.error({ err: error, workflow_id, command: id }, 'Temporal rejected a command; retrying later');
      await defer(trx, [id], String(error));
      return;
    }
  }
}

/** Sends a command with its title, and without where the namespace has no attribute for titles: the work comes first. */
async function dispatchTitled(batch: Batch, command: ClaimedCommand): Promise<void> {
  const { client, log, startsEagerly: isEager } = batch;
  const { title = command.summary ?? undefined, details } = (await batch.headings()).get(command.workflow_id) ?? {};
  if (batch.hasTitles) {
    try {
      return await dispatch(client, command, { title, details, isEager });
    } catch (error) {
      if (!isTitleUnknown(error)) throw error;
      batch.hasTitles = false;
      log.warn('Temporal has no search attribute Title: workflows start without it. Run deploy/temporal-namespace.sh');
    }
  }
  await dispatch(client, command, { details, isEager });
}

/** Returns a function for the headings of commands. They are read once, and only if it is called. */
function headingsOf({ listHeadings }: Sender, trx: Trx, commands: ClaimedCommand[]): Batch['headings'] {
  let headings: Promise<Map<string, Heading>> | undefined;
  const read = async () => {
    try {
      return await listHeadings(trx, commands);
    } catch (error) {
      throw new HeadingsUnreadable('Headings could not be read', { cause: error });
    }
  };
  return () => (headings ??= read());
}

const spanOptionsOf = ({ type, org_id, trace }: ClaimedCommand, others: (string | null)[]) => ({
  name: `outbox ${type}`,
  kind: SpanKind.CONSUMER,
  attributes: { [ORG_ID]: org_id },
  parent: trace,
  others,
});

/** A command, with the ids of all that it stands for and the traces of the repeated ones. */
interface DistinctCommand {
  command: ClaimedCommand;
  ids: number[];
  traces: (string | null)[];
}

/** Merges consecutive equal signals: a signal only means "read the database again". */
function withoutRepeats(queue: ClaimedCommand[]): DistinctCommand[] {
  const distinct: DistinctCommand[] = [];
  for (const command of queue) {
    const last = distinct.at(-1);
    if (last !== undefined && command.kind === 'signal' && last.command.signal === command.signal) {
      last.ids.push(command.id);
      last.traces.push(command.trace);
    } else distinct.push({ command, ids: [command.id], traces: [] });
  }
  return distinct;
}
