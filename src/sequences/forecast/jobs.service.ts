import { setTimeout as sleep } from 'node:timers/promises';
import { compileFilter } from '../../contacts/filters/service.ts';
import type { Db } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { ChannelDefaults } from '../../deliveries/sending/channels.service.ts';
import { DomainError, notFound } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { enqueue, start } from '../../outbox/outbox.ts';
import { hasPendingCommand } from '../../outbox/pending.queries.ts';
import { findSequence, type SequenceRow } from '../definitions/shared.queries.ts';
import { type Audience, audienceOf } from '../enrollment/audience.service.ts';
import { FORECAST_SEQUENCE, type ForecastEnd, type ForecastRef } from './contract.ts';
import {
  type ForecastRow,
  failForecast,
  findForecast,
  findForecastInProgress,
  insertForecast,
  storeForecast,
  updateProgress,
} from './jobs.queries.ts';
import type { StepForecast } from './rules.ts';
import { forecastSequence } from './service.ts';
import { countForecastContacts } from './shared.queries.ts';
import type { StoredStep } from './table.ts';

export { deleteOldForecasts, listForecastsInProgress } from './jobs.queries.ts';

/** So few contacts are simulated at once by the api. */
const MAX_AT_ONCE = 1_000;
/** A request waits so long for the workflow. */
const WAIT_MS = 2_000;
const POLL_MS = 100;
const PROGRESS_MS = 1_000;
/** So many attempts can last some minutes of an outage. One that ends the process must not go on for ever. */
const MAX_ATTEMPTS = 8;
const LOST = 'It was stopped in Temporal: ask for a new forecast';

/** A forecast with its audience, or the job that computes it. */
type RequestedForecast = { steps: StepForecast[]; audience: Audience } | { job: ForecastRow };

/**
 * Forecasts a sequence. With few contacts the answer comes at once. With more, a workflow computes it, and what takes
 * longer than 2 s is returned as a job. A sequence has one job at a time: a second request gets the same.
 */
export async function requestForecast(
  db: Db,
  orgId: string,
  sequence: SequenceRow,
  defaults: ChannelDefaults,
): Promise<RequestedForecast> {
  const condition = sequence.status === 'pending' ? await compileFilter(db, orgId, sequence.filter) : null;
  const contacts = await countForecastContacts(db, orgId, sequence.id, condition);
  if (contacts <= MAX_AT_ONCE) {
    const { steps } = await forecastSequence(db, orgId, sequence, { defaults });
    return { steps, audience: await audienceOf(db, orgId, sequence) };
  }
  const { id } = await startForecast(db, orgId, sequence, contacts);
  const job = await waitForEnd(db, orgId, id);
  if (job.state !== 'done' || job.steps === null) return { job };
  return { steps: job.steps.map(withDates), audience: await audienceOf(db, orgId, sequence) };
}

function startForecast(
  db: Db,
  orgId: string,
  { id, name }: Pick<SequenceRow, 'id' | 'name'>,
  contacts: number,
): Promise<ForecastRow> {
  return inTransaction(db, async (trx) => {
    const forecast = await insertForecast(trx, orgId, { id: newId(), sequence_id: id, contacts });
    if (forecast === undefined) {
      const running = await findForecastInProgress(trx, orgId, id);
      return running ?? startForecast(trx, orgId, { id, name }, contacts);
    }
    const summary = `Forecast of "${name.slice(0, 150)}"`;
    await enqueue(trx, orgId, start(FORECAST_SEQUENCE, { orgId, forecastId: forecast.id }, { subjectId: id, summary }));
    return forecast;
  });
}

async function waitForEnd(db: Db, orgId: string, id: string): Promise<ForecastRow> {
  const giveUpAt = Date.now() + WAIT_MS;
  for (;;) {
    const job = await findForecast(db, orgId, id);
    if (job === undefined) throw notFound('forecast');
    if (job.state !== 'in_progress' || Date.now() >= giveUpAt) return job;
    await sleep(POLL_MS);
  }
}

/** Returns a forecast's job, with the audience of its sequence once it is done. Throws notFound. */
export async function getForecast(db: Db, orgId: string, sequence: SequenceRow, id: string) {
  const job = await findForecast(db, orgId, id);
  if (job?.sequence_id !== sequence.id) throw notFound('forecast');
  return { ...toJob(job), audience: job.state === 'done' ? await audienceOf(db, orgId, sequence) : null };
}

/** Returns a job as it is shown. */
export const toJob = ({ contacts, contacts_done, steps, ...job }: ForecastRow) => ({
  ...job,
  steps: steps === null ? null : steps.map(withDates),
  progress: { contacts_done, contacts },
  audience: null,
});

const withDates = ({ at, last_at, ...step }: StoredStep): StepForecast => ({
  ...step,
  at: at === null ? null : new Date(at),
  last_at: last_at === null ? null : new Date(last_at),
});

/** The circumstances of an attempt at a forecast. */
interface ForecastAttempt {
  defaults: ChannelDefaults;
  signal: AbortSignal;
  /** Counted from 1. */
  attempt: number;
  /** Called about once a second. */
  onProgress(contactsDone: number): void;
}

/**
 * Computes a forecast in progress and stores it. Repeated, it computes it anew. The forecast fails with a reason if it
 * cannot be computed, or after the last attempt.
 */
export async function computeForecast(
  db: Db,
  ref: ForecastRef,
  { defaults, signal, attempt, onProgress }: ForecastAttempt,
): Promise<ForecastEnd> {
  const { orgId, forecastId } = ref;
  const job = await findForecast(db, orgId, forecastId);
  const sequence = job && (await findSequence(db, orgId, job.sequence_id));
  if (job?.state !== 'in_progress' || sequence === undefined) {
    await failForecast(db, ref, 'The sequence was deleted');
    return { contacts: 0, state: 'gone' };
  }
  if (attempt > MAX_ATTEMPTS) {
    await failForecast(db, ref, `It was given up after ${MAX_ATTEMPTS} attempts: ask for a new forecast`);
    return { contacts: 0, state: 'failed' };
  }
  let contacts = 0;
  let toldAt = Date.now();
  const onContacts = async (count: number) => {
    signal.throwIfAborted();
    contacts += count;
    if (Date.now() - toldAt < PROGRESS_MS) return;
    toldAt = Date.now();
    onProgress(contacts);
    await updateProgress(db, ref, contacts);
  };
  try {
    const { steps } = await forecastSequence(db, orgId, sequence, { defaults, onContacts });
    await storeForecast(db, ref, { steps, contacts });
    return { contacts, state: 'done' };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    await failForecast(db, ref, error.message);
    return { contacts, state: 'failed' };
  }
}

export const workflowIdOfForecast = (ref: ForecastRef): string => FORECAST_SEQUENCE.workflowId(ref);

/** Ends a forecast in progress that has no workflow. Returns what was done, or undefined if it has ended meanwhile. */
export function mendForecast(db: Db, ref: ForecastRef): Promise<'failed' | undefined> {
  return inTransaction(db, async (trx) => {
    if (await hasPendingCommand(trx, workflowIdOfForecast(ref))) return undefined;
    return (await failForecast(trx, ref, LOST)) ? 'failed' : undefined;
  });
}
