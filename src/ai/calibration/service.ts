import { setTimeout as sleep } from 'node:timers/promises';
import { getAutopilot, listOrgsWithAutopilot } from '../../autopilot/service.ts';
import type { Db, Trx } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { ProviderError } from '../../errors.ts';
import { isComparedByModel } from '../../knowledge/embedding/service.ts';
import { listSamples, type PassageSample } from '../../knowledge/index/samples.service.ts';
import { getIndexSize, measureIndexChanges } from '../../knowledge/index/size.service.ts';
import { closenessShareOf } from '../../knowledge/search/confidence.rules.ts';
import { findEvidence } from '../../knowledge/search/evidence.service.ts';
import { type SemanticSearch, WORDS_ONLY } from '../../knowledge/search/passage-search.service.ts';
import { enqueue, signalWithStart } from '../../outbox/outbox.ts';
import type { Reaction } from '../../outbox/reactions.ts';
import { WAKE } from '../../temporal/contract.ts';
import { getPublishedAiSettings } from '../settings/service.ts';
import { CALIBRATE_ANSWERS, type CalibrationResult } from './contract.ts';
import { type Probe, probesOf } from './probes.rules.ts';
import {
  countFeedback,
  findCalibration,
  listDueOrgs,
  listMeasuredIndexes,
  lockCalibration,
  recordFailure,
  recordProgress,
  upsertCalibration,
  upsertRequest,
} from './queries.ts';
import {
  type AskedQuestion,
  type CalibrationReport,
  type Comparison,
  calibrate,
  defaultThresholdOf,
  isEmbedded,
  isLargeChange,
  probesShareOf,
  type Thresholds,
  thresholdsOf,
} from './rules.ts';

const ORGS_PER_BATCH = 100;
const MAX_QUESTIONS = 500;
/** Of a small index, in which the usual threshold counts for far more. The model reads three passages for each: 0.1 s. */
const MAX_READ_QUESTIONS = 24;
/** The share of questions a model has to compare. With fewer, it is away, and the answers are measured by words. */
const MIN_COMPARED = 0.5;
/** From this attempt on, the answers of an org are measured by words if its model is away. On a busy machine it starts slowly. */
const FIRST_ATTEMPT_WITHOUT_MODEL = 3;
/** The number of answers with counted outcomes. */
const MAX_ANSWERS = 5_000;
/** The longest wait of a turn for a due calibration. */
const MAX_WAIT_MS = 5_000;
const POLL_MS = 100;
/** How often the progress is recorded. */
const PROGRESS_MS = 1_000;

type Calibration = Awaited<ReturnType<typeof findCalibration>>;

/** Returns the lowest confidences of an answer by quotes in an org, by the last measurement. */
export const getThresholds = async (db: Db, orgId: string): Promise<Thresholds> =>
  thresholdsBy(db, orgId, await findCalibration(db, orgId));

/** Returns the same, or undefined while a measurement is due. */
export async function findSettledThresholds(db: Db, orgId: string): Promise<Thresholds | undefined> {
  const calibration = await findCalibration(db, orgId);
  return (await isMeasurementDue(db, orgId, calibration)) ? undefined : thresholdsBy(db, orgId, calibration);
}

/**
 * Returns the thresholds of an org once its index is measured: a question gets the same answer right after a change of the
 * knowledge as a minute later. Waits a few seconds at most, and not for an org without autopilot.
 */
export async function waitForThresholds(db: Db, orgId: string, signal: AbortSignal): Promise<Thresholds> {
  for (const giveUpAt = performance.now() + MAX_WAIT_MS; performance.now() < giveUpAt; ) {
    const settled = await findSettledThresholds(db, orgId);
    if (settled !== undefined) return settled;
    await sleep(POLL_MS, undefined, { signal });
  }
  return getThresholds(db, orgId);
}

/** The size of the index decides only without a measurement. */
async function thresholdsBy(db: Db, orgId: string, calibration: Calibration): Promise<Thresholds> {
  const isMeasured = calibration?.threshold != null;
  const passages = isMeasured ? calibration.passages : (await getIndexSize(db, orgId)).passages;
  return thresholdsOf(calibration, passages ?? 0);
}

/**
 * Returns whether autopilot is on and the index is not measured, or has changed a lot since. False if the check takes
 * long.
 */
async function isMeasurementDue(db: Db, orgId: string, calibration: Calibration): Promise<boolean> {
  if (calibration?.is_requested_long_ago === true) return false;
  const isDue = calibration?.passages == null || (await hasChangedALot(db, orgId, calibration));
  return isDue && !(await getAutopilot(db, orgId)).isOffEverywhere;
}

async function hasChangedALot(
  db: Db,
  orgId: string,
  { passages, last_chunk }: { passages: number | null; last_chunk: number | null },
): Promise<boolean> {
  const size = { passages: passages ?? 0, last_chunk: last_chunk ?? 0 };
  const [change] = await measureIndexChanges(db, [{ org_id: orgId, ...size }]);
  return change !== undefined && isLargeChange(change, size.passages);
}

/** Returns the results of an org's last calibration. */
export async function getCalibration(db: Db, orgId: string) {
  const [calibration, { passages }] = await Promise.all([findCalibration(db, orgId), getIndexSize(db, orgId)]);
  return {
    threshold: calibration?.threshold ?? defaultThresholdOf(passages),
    is_calibrated: calibration?.threshold != null,
    report: reportOf(calibration),
    requested_at: calibration?.requested_at ?? null,
    measured_at: calibration?.measured_at ?? null,
    progress: calibration?.progress ?? null,
    reason: calibration?.reason ?? null,
  };
}

/**
 * Returns a report. Accepts reports stored before feedback was counted, or before the way of searching was recorded.
 */
function reportOf(calibration: Awaited<ReturnType<typeof findCalibration>>): CalibrationReport | null {
  if (calibration?.report == null) return null;
  const { threshold, report } = calibration;
  return {
    ...report,
    measured_threshold: report.measured_threshold ?? threshold,
    feedback: report.feedback ?? null,
    with_vectors: report.with_vectors ?? false,
    words_threshold: report.words_threshold ?? null,
  };
}

/** Requests a calibration. A running one is repeated afterwards. */
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

/** A reaction to `autopilot-turned-on`: requests a calibration. */
export const calibrateOnStart: Reaction<'autopilot-turned-on'> = (trx, orgId) => request(trx, orgId);

/** A reaction to `knowledge-changed`: requests a calibration after a large change, unless one is under way. */
export const calibrateOnChange: Reaction<'knowledge-changed'> = async (trx, orgId) => {
  const calibration = await lockCalibration(trx, orgId);
  if (calibration?.is_pending === true || (await getAutopilot(trx, orgId)).isOffEverywhere) return;
  if (calibration?.passages == null || (await hasChangedALot(trx, orgId, calibration))) await request(trx, orgId);
};

/**
 * Requests the calibration of orgs with autopilot after changes to a fifth of their index's passages since the last
 * one, if their last request is at least an hour old: those of lost workflows. Returns 0, as one call sees all orgs.
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
 * Requests a calibration of an org with autopilot after its passages got vectors, unless the last one was with them:
 * until then its answers are searched by words alone.
 */
export async function requestCalibrationWithVectors(db: Db, orgId: string): Promise<void> {
  const { vectors } = await getThresholds(db, orgId);
  if (vectors !== null || (await getAutopilot(db, orgId)).isOffEverywhere) return;
  await requestCalibration(db, orgId);
}

/**
 * Calibrates the answers of an org: asks words of its own passages as questions, with and without their item. Stores
 * the threshold for the org's allowed share of wrong answers, moved by votes and by handoffs after answers. Repeated,
 * it measures the same. Throws in early attempts if the model for comparing the org's questions is away.
 */
export async function calibrateAnswers(
  db: Db,
  semantics: SemanticSearch,
  orgId: string,
  { signal, attempt }: { signal: AbortSignal; attempt: number },
): Promise<CalibrationResult> {
  const { max_wrong } = await getPublishedAiSettings(db, orgId);
  const size = await getIndexSize(db, orgId);
  const probes = probesAmong(await listSamples(db, orgId, MAX_QUESTIONS));
  const { passages } = size;
  const onModelAway = () => throwIfModelMayReturn(db, orgId, attempt);
  const comparison = await comparisonOf(db, semantics, orgId, { probes, passages, onModelAway });
  const feedback = await countFeedback(db, orgId, MAX_ANSWERS);
  const probesBy = (by: Comparison) =>
    by === 'known-scale' && closenessShareOf(passages) > 0 ? probes.slice(0, MAX_READ_QUESTIONS) : probes;
  const total = probes.length + (comparison === 'words' ? 0 : probesBy(comparison).length);
  const onAsked = recordingProgress(total, (share) => recordProgress(db, orgId, share));
  const measure = async (by: Comparison) => {
    const some = probesBy(by);
    const asked = await askProbes(db, by === 'words' ? WORDS_ONLY : semantics, orgId, {
      probes: some,
      signal,
      onAsked,
    });
    const share = probesShareOf(passages);
    return {
      asked,
      askedShare: asked.length / Math.max(1, some.length),
      ...calibrate(asked, max_wrong, { feedback, share, passages, comparison: by }),
    };
  };
  const { asked, threshold, report } = await measureBoth(measure, { comparison, onModelAway });
  await storeMeasured(db, orgId, { threshold, report, size });
  return { questions: asked.length, threshold };
}

/** Throws in early attempts if the org's questions are compared by a model. */
async function throwIfModelMayReturn(db: Db, orgId: string, attempt: number): Promise<void> {
  if (attempt >= FIRST_ATTEMPT_WITHOUT_MODEL || !(await isComparedByModel(db, orgId))) return;
  const reason = 'The embedding model does not compare questions now';
  await recordFailure(db, orgId, reason);
  throw new ProviderError(reason, { transient: true });
}

type Measured = { asked: AskedQuestion[]; askedShare: number } & ReturnType<typeof calibrate>;

/** Measures by words, and by vectors if the model compares enough questions. */
async function measureBoth(
  measure: (by: Comparison) => Promise<Measured>,
  { comparison, onModelAway }: { comparison: Comparison; onModelAway: () => Promise<void> },
) {
  const byVectors = comparison === 'words' ? undefined : await measure(comparison);
  const byWords = await measure('words');
  const isCompared = byVectors !== undefined && byVectors.askedShare >= MIN_COMPARED * byWords.askedShare;
  if (byVectors !== undefined && !isCompared) await onModelAway();
  const { asked, threshold, report } = isCompared ? byVectors : byWords;
  const words_threshold = isCompared ? byWords.threshold : null;
  return { asked, threshold, report: { ...report, with_vectors: isCompared, words_threshold } };
}

/** Returns a counter of asked questions. It records their share once a second at most. */
function recordingProgress(total: number, record: (share: number) => Promise<void>): () => Promise<void> {
  let [asked, recordedAt] = [0, Number.NEGATIVE_INFINITY];
  return async () => {
    asked += 1;
    if (performance.now() - recordedAt < PROGRESS_MS) return;
    recordedAt = performance.now();
    await record(asked / total);
  };
}

/**
 * Asks probes by a search. Probes compared by another method twice, as by words while a model is away, say nothing: the
 * first time, the process of the model may have died.
 */
async function askProbes(
  db: Db,
  semantics: SemanticSearch,
  orgId: string,
  { probes, signal, onAsked }: { probes: PassageProbe[]; signal: AbortSignal; onAsked: () => Promise<void> },
): Promise<AskedQuestion[]> {
  const withVectors = semantics !== WORDS_ONLY;
  const asked: AskedQuestion[] = [];
  for (const probe of probes) {
    signal.throwIfAborted();
    const ask = () => askProbe(db, semantics, orgId, probe);
    const first = await ask();
    const one = first?.withVectors === !withVectors ? await ask() : first;
    if (one?.withVectors === withVectors) asked.push(one);
    await onAsked();
  }
  return asked;
}

/** Stores a measurement. Requests it again if the index has changed a lot meanwhile: nobody else did, see above. */
const storeMeasured = (db: Db, orgId: string, measured: Parameters<typeof upsertCalibration>[2]): Promise<void> =>
  inTransaction(db, async (trx) => {
    await upsertCalibration(trx, orgId, measured);
    if (await hasChangedALot(trx, orgId, measured.size)) await request(trx, orgId);
  });

/** Returns how an org is searched: by vectors once about all passages have one. Those of a few would measure something else. */
async function comparisonOf(
  db: Db,
  semantics: SemanticSearch,
  orgId: string,
  { probes, passages, onModelAway }: { probes: PassageProbe[]; passages: number; onModelAway: () => Promise<void> },
): Promise<Comparison> {
  const [first] = probes;
  if (first === undefined) return 'words';
  const similarities = await semantics.similarities(db, orgId, first.probe.text);
  if (similarities.size === 0) await onModelAway();
  if (!isEmbedded(similarities.size, passages)) return 'words';
  return similarities.scale === undefined ? 'vectors' : 'known-scale';
}

/** A probe of a passage of an item. */
interface PassageProbe {
  item_id: string;
  probe: Probe;
}

/** Returns probes of passages: one of each, then another one of each, at most MAX_QUESTIONS. */
function probesAmong(samples: PassageSample[]): PassageProbe[] {
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
  { item_id, probe }: PassageProbe,
): Promise<(AskedQuestion & { withVectors: boolean }) | undefined> {
  const search = { query: probe.text, visibility: ['public' as const] };
  const { passages, confidence, withVectors } = await findEvidence(db, semantics, orgId, search);
  const others = passages.filter(({ id }) => id !== item_id);
  if (others.some((passage) => passage.content.includes(probe.sentence))) return undefined;
  const isRight = passages[0]?.id === item_id;
  return { hidden: confidence([item_id]), shown: confidence(), isRight, withVectors };
}
