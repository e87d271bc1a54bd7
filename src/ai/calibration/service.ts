import { listOrgsWithAutopilot } from '../../agents/autopilot/service.ts';
import type { Db, Trx } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { listHeadings } from '../../knowledge/index/headings.service.ts';
import { findEvidence, type SemanticSearch } from '../../knowledge/search/passage-search.service.ts';
import { enqueue, signalWithStart } from '../../outbox/outbox.ts';
import { WAKE } from '../../temporal/contract.ts';
import { getPublishedAiSettings } from '../settings/service.ts';
import { CALIBRATE_ANSWERS, type CalibrationResult } from './contract.ts';
import { findCalibration, listDueOrgs, upsertCalibration, upsertRequest } from './queries.ts';
import { type AskedHeading, calibrate, DEFAULT_THRESHOLD } from './rules.ts';

const ORGS_PER_BATCH = 100;
const MAX_QUESTIONS = 500;
/** Enough that passages of other items remain if those of one are hidden. */
const PASSAGES = 30;

/** Returns the confidence from which on a quote is given as an answer in an org. */
export async function getThreshold(db: Db, orgId: string): Promise<number> {
  const calibration = await findCalibration(db, orgId);
  return calibration?.threshold ?? DEFAULT_THRESHOLD;
}

/** Returns what the last calibration of an org has measured. */
export async function getCalibration(db: Db, orgId: string) {
  const calibration = await findCalibration(db, orgId);
  return {
    threshold: calibration?.threshold ?? DEFAULT_THRESHOLD,
    is_calibrated: calibration?.threshold != null,
    report: calibration?.report ?? null,
    requested_at: calibration?.requested_at ?? null,
    measured_at: calibration?.measured_at ?? null,
  };
}

/** Requests a calibration. One that is running is repeated afterwards. */
export const requestCalibration = (db: Db, orgId: string): Promise<void> =>
  inTransaction(db, async (trx) => {
    await request(trx, orgId);
  });

async function request(trx: Trx, orgId: string): Promise<void> {
  await upsertRequest(trx, orgId);
  const summary = 'Measure when a quote is an answer';
  await enqueue(trx, orgId, signalWithStart(CALIBRATE_ANSWERS, { orgId }, WAKE, { subjectId: orgId, summary }));
}

/** Requests the daily calibration of some orgs with autopilot. Returns the number of requests, 0 once all have one. */
export const requestDailyCalibrations = (db: Db): Promise<number> =>
  inTransaction(db, async (trx) => {
    const due = await listDueOrgs(trx, await listOrgsWithAutopilot(trx), ORGS_PER_BATCH);
    for (const orgId of due) await request(trx, orgId);
    return due.length;
  });

/**
 * Calibrates the answers of an org: asks its own titles and headings as questions, with and without their item, and
 * stores the threshold for the share of wrong answers that the org has set. Repeated, it measures the same.
 */
export async function calibrateAnswers(
  db: Db,
  semantics: SemanticSearch,
  orgId: string,
  signal: AbortSignal,
): Promise<CalibrationResult> {
  const { max_wrong } = await getPublishedAiSettings(db, orgId);
  const asked: AskedHeading[] = [];
  for (const { item_id, heading } of await listHeadings(db, orgId, MAX_QUESTIONS)) {
    signal.throwIfAborted();
    const search = { query: heading, limit: PASSAGES, visibility: ['public' as const] };
    const { passages, confidence } = await findEvidence(db, semantics, orgId, search);
    asked.push({
      hidden: confidence(passages.filter(({ id }) => id !== item_id)),
      shown: confidence(passages),
      isRight: passages[0]?.id === item_id,
    });
  }
  const measured = calibrate(asked, max_wrong);
  await upsertCalibration(db, orgId, measured);
  return { questions: asked.length, threshold: measured.threshold };
}
