import type { Client } from '@temporalio/client';
import type { FastifyBaseLogger } from 'fastify';
import type { Db } from '../db/connect.ts';
import { inTransaction } from '../db/transaction.ts';
import { NIL_UUID } from '../ids.ts';
import { dispatch, isTemporalAway } from '../temporal/dispatch.ts';
import { doAtOnce, type WorkAtOnce } from './at-once.ts';
import { type ClaimedCommand, claimCommands, defer, deleteClaimed, type Ended } from './claim.ts';

const COMMANDS_PER_BATCH = 200;
/** More only wait for one another in Temporal, and so does whatever else is asked of it. */
const DISPATCHES_PER_LOOP = 8;
/** A batch begins no more work of workflows after this time. The next one does it, after other orgs' commands. */
const WORK_PER_BATCH_MS = 250;

type Log = Pick<FastifyBaseLogger, 'warn' | 'error'>;

interface Sender {
  db: Db;
  atOnce: WorkAtOnce;
  log: Log;
}

/**
 * Returns a function to send one batch of commands per call, continuing with the next orgs each time. What `atOnce` can do
 * needs no workflow, and is done instead. It resolves to undefined if there were no commands, and rejects if Temporal is
 * unavailable.
 */
export function commandSender(sender: Sender, temporal: () => Client | undefined): () => Promise<Ended | undefined> {
  let served: string = NIL_UUID;
  return async () => {
    const client = temporal();
    if (client === undefined) throw new Error('Temporal is unavailable');
    const { last, ended } = await sendCommands(sender, client, served);
    served = last;
    return ended;
  };
}

async function sendCommands({ db, atOnce, log }: Sender, client: Client, behind: string) {
  let away: Error | undefined;
  let worksUntil: number | undefined;
  const claimed = await inTransaction(db, async (trx): Promise<{ last: string; ended?: Ended }> => {
    const { commands, last } = await claimCommands(trx, COMMANDS_PER_BATCH, behind);
    if (commands.length === 0) return { last };
    const queues = inOrderOfCost(
      [...Map.groupBy(commands, ({ workflow_id }) => workflow_id).values()],
      atOnce,
    ).values();
    const sent: number[] = [];

    /** Sends commands in order, up to the first failure. */
    const sendQueue = async (queue: ClaimedCommand[]) => {
      for (const [command, ids] of withoutRepeats(queue)) {
        const work = atOnce.get(command.type);
        if (work !== undefined) {
          worksUntil ??= performance.now() + WORK_PER_BATCH_MS;
          if (performance.now() > worksUntil) return;
        }
        try {
          if (work === undefined || !(await doAtOnce(work, command, log))) await dispatch(client, command);
          sent.push(...ids);
        } catch (error) {
          if (isTemporalAway(error)) {
            away = new Error('Temporal is unavailable', { cause: error });
            return;
          }
          const { id, workflow_id } = command;
          log.error({ err: error, workflow_id, command: id }, 'Temporal rejected a command; retrying later');
          await defer(trx, [id], String(error));
          return;
        }
      }
    };
    const lane = async () => {
      for (const queue of queues) {
        if (away !== undefined) return;
        await sendQueue(queue);
      }
    };
    await Promise.all(Array.from({ length: DISPATCHES_PER_LOOP }, lane));
    return { last, ended: await deleteClaimed(trx, sent) };
  });
  if (away !== undefined) throw away;
  return claimed;
}

/** Returns what only has to be sent before what may take longer. */
const inOrderOfCost = (queues: ClaimedCommand[][], atOnce: WorkAtOnce): ClaimedCommand[][] => {
  const isSlow = (queue: ClaimedCommand[]) => queue.some(({ type }) => atOnce.has(type));
  return [...queues.filter((queue) => !isSlow(queue)), ...queues.filter(isSlow)];
};

/** Merges consecutive equal signals: a signal only means "read the database again". */
function withoutRepeats(queue: ClaimedCommand[]): [ClaimedCommand, number[]][] {
  const distinct: [ClaimedCommand, number[]][] = [];
  for (const command of queue) {
    const last = distinct.at(-1);
    if (last !== undefined && command.kind === 'signal' && last[0].signal === command.signal) last[1].push(command.id);
    else distinct.push([command, [command.id]]);
  }
  return distinct;
}
