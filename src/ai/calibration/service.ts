import { listOrgsWithAutopilot } from '../../agents/autopilot/service.ts';
import type { Db, Trx } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { listSamples, type PassageSample } from '../../knowledge/index/samples.service.ts';
import { getIndexSize, measureIndexChanges } from '../../knowledge/index/size.service.ts';
import { findEvidence, type SemanticSearch } from '../../knowledge/search/passage-search.service.ts';
import { enqueue, signalWithStart } from '../../outbox/outbox.ts';
import { WAKE } from '../../temporal/contract.ts';
import { getPublishedAiSettings } from '../settings/service.ts';
import { CALIBRATE_ANSWERS, type CalibrationResult } from './contract.ts';
import { type Probe, probesOf } from './probes.rules.ts';
import {
  countFeedback,
  findCalibration,
  listDueOrgs,
  listMeasuredIndexes,
  upsertCalibration,
  upsertRequest,
} from './queries.ts';
import {
  type AskedQuestion,
  type CalibrationReport,
  calibrate,
  DEFAULT_THRESHOLD,
  isLargeChange,
  PROBES_SHARE,
} from './rules.ts';

const ORGS_PER_BATCH = 100;
const MAX_QUESTIONS = 500;
/** The answers of which it is counted what became of them. */
const MAX_ANSWERS = 5_000;

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
    report: reportOf(calibration),
    requested_at: calibration?.requested_at ?? null,
    measured_at: calibration?.measured_at ?? null,
  };
}

/** Returns a report, also one that was stored before feedback was counted. */
function reportOf(calibration: Awaited<ReturnType<typeof findCalibration>>): CalibrationReport | null {
  if (calibration?.report == null) return null;
  const { threshold, report } = calibration;
  return { ...report, measured_threshold: report.measured_threshold ?? threshold, feedback: report.feedback ?? null };
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
 * Requests the calibration of orgs with autopilot whose index has changed a lot since the last one: by a fifth of its
 * passages, and by 50 at least. At most once an hour. Returns 0, as one call sees all orgs.
 */
export async function requestCalibrationsAfterChanges(db: Db): Promise<number> {
  const orgIds = await listOrgsWithAutopilot(db);
  for (let from = 0; from < orgIds.length; from += ORGS_PER_BATCH) {
    const measured = await listMeasuredIndexes(db, orgIds.slice(from, from + ORGS_PER_BATCH));
    const sizes = new Map(measured.map((one) => [one.org_id, one.passages]));
    const changes = measured.length === 0 ? [] : await measureIndexChanges(db, measured);
    const large = changes.filter(({ org_id, ...change }) => isLargeChange(change, sizes.get(org_id) ?? 0));
    for (const { org_id } of large) await requestCalibration(db, org_id);
  }
  return 0;
}

/**
 * Calibrates the answers of an org: asks words of its own passages as questions, with and without their item, and stores
 * the threshold for the share of wrong answers that the org has set, moved by votes and by handoffs after answers.
 * Repeated, it measures the same.
 */
export async function calibrateAnswers(
  db: Db,
  semantics: SemanticSearch,
  orgId: string,
  signal: AbortSignal,
): Promise<CalibrationResult> {
  const { max_wrong } = await getPublishedAiSettings(db, orgId);
  const size = await getIndexSize(db, orgId);
  const asked: AskedQuestion[] = [];
  for (const { item_id, probe } of probesAmong(await listSamples(db, orgId, MAX_QUESTIONS))) {
    signal.throwIfAborted();
    const one = await askProbe(db, semantics, orgId, { item_id, probe });
    if (one !== undefined) asked.push(one);
  }
  const feedback = await countFeedback(db, orgId, MAX_ANSWERS);
  const measured = calibrate(asked, max_wrong, { feedback, share: PROBES_SHARE });
  await upsertCalibration(db, orgId, { ...measured, size });
  return { questions: asked.length, threshold: measured.threshold };
}

/** Returns probes of passages: one of each, then another one of each, at most MAX_QUESTIONS. */
function probesAmong(samples: PassageSample[]): { item_id: string; probe: Probe }[] {
  const probes = samples.flatMap(({ item_id, content }, nth) =>
    probesOf(content, nth).map((probe, round) => ({ item_id, probe, round })),
  );
  return probes.sort((a, b) => a.round - b.round).slice(0, MAX_QUESTIONS);
}

/** Asks words of a passage. Undefined if another item has the same sentence and answers as well. */
async function askProbe(
  db: Db,
  semantics: SemanticSearch,
  orgId: string,
  { item_id, probe }: { item_id: string; probe: Probe },
): Promise<AskedQuestion | undefined> {
  const search = { query: probe.text, visibility: ['public' as const] };
  const { passages, confidence } = await findEvidence(db, semantics, orgId, search);
  const others = passages.filter(({ id }) => id !== item_id);
  if (others.some((passage) => passage.content.includes(probe.sentence))) return undefined;
  return { hidden: confidence(others), shown: confidence(passages), isRight: passages[0]?.id === item_id };
}
