import { defaultThresholdOf, isEmbedded, thresholdsOf } from '../../../src/ai/calibration/rules.ts';
import { FAKES_ALLOWED } from '../../support/channels.ts';
import { type FakeEmbeddings, startFakeEmbeddings } from '../../support/fakes/embeddings.ts';
import type { TestOrg } from '../../support/stack/api.ts';
import { eventually, type Stack, startStack, untilPasses } from '../../support/stack/stack.ts';
import { unverified } from '../../widget/client.ts';
import { newAnsweringOrg, QUESTION } from '../answering-org.ts';

let stack: Stack;
let fake: FakeEmbeddings;
beforeAll(async () => {
  stack = await startStack({ env: FAKES_ALLOWED });
});
afterAll(() => stack.close());
beforeEach(async () => {
  fake = await startFakeEmbeddings();
});
afterEach(() => fake.close());

/** Returns an org whose answers were calibrated with vectors. */
async function newOrgWithVectors(): Promise<TestOrg> {
  const org = await newAnsweringOrg(stack);
  const { status } = await org.put('/integrations/llm', { provider: 'openai-compatible', settings: fake.settings });
  expect(status).toBe(200);
  await org.patch('/autopilot/settings', { mode: 'extractive' });
  await org.post('/autopilot/settings/publish');
  await eventually('a calibration with vectors', async () => (await calibrationOf(org)).report?.with_vectors);
  return org;
}

const calibrationOf = async (org: TestOrg) => (await org.get('/autopilot/calibration')).body;

/** Asks the question as a new visitor. Returns the threshold, and whether the question was compared by vectors. */
async function askedIn(org: TestOrg) {
  const widget = await unverified(stack, org);
  const id = await widget.newSession();
  await widget.send(id, QUESTION);
  const { body } = await org.get(`/chat/sessions/${id}/turns`);
  const steps: { purpose: string; detail: { threshold: number } }[] = body.items[0].steps;
  const threshold = steps.find(({ purpose }) => purpose === 'search')?.detail.threshold;
  return { threshold, isEmbedded: fake.asked.flat().includes(QUESTION) };
}

describe('an org with an embedding model', () => {
  it('is calibrated with vectors once all of its passages have some, and answers by them then', async () => {
    const org = await newOrgWithVectors();
    const { threshold } = await calibrationOf(org);
    expect(await askedIn(org)).toEqual({ threshold, isEmbedded: true });
  });

  it('answers by words alone until it is calibrated with vectors', async () => {
    const org = await newOrgWithVectors();
    // A calibration that is still running may store another one meanwhile.
    await untilPasses(async () => {
      await stack.db.deleteFrom('ai_calibrations').where('org_id', '=', org.id).execute();
      fake.asked.length = 0;
      expect(await askedIn(org)).toEqual({ threshold: defaultThresholdOf(8), isEmbedded: false });
    });
  });

  it('answers with the threshold by words while its model is unavailable', async () => {
    const org = await newOrgWithVectors();
    const { report } = await calibrationOf(org);
    fake.next(...Array.from({ length: 20 }, () => 503));
    expect(await askedIn(org)).toEqual({ threshold: report.words_threshold, isEmbedded: false });
    expect(report.words_threshold).toBeGreaterThan(0);
  });

  it('is measured with vectors if its model is away at first, and by words if it stays away', async () => {
    const org = await newOrgWithVectors();
    const { report } = await calibrationOf(org);
    const measureAgain = async () => {
      const { requested_at } = (await calibrationOf(org)) as { requested_at: string };
      await org.post('/autopilot/calibration/run');
      return eventually('another calibration', async () => {
        const now = await calibrationOf(org);
        return now.requested_at > requested_at && now.measured_at >= now.requested_at && now;
      });
    };
    fake.next(503);
    expect((await measureAgain()).report).toEqual(report);
    fake.next(200, ...Array.from({ length: 500 }, () => 503));
    const [measured] = await Promise.all([
      measureAgain(),
      eventually('the reason', async () => (await calibrationOf(org)).reason?.includes('does not compare')),
    ]);
    expect(measured).toMatchObject({
      threshold: report.words_threshold,
      report: { with_vectors: false, words_threshold: null },
      progress: null,
      reason: null,
    });
  });

  it.each([
    [undefined, { words: defaultThresholdOf(8), vectors: null }],
    [
      { threshold: null, report: null },
      { words: defaultThresholdOf(8), vectors: null },
    ],
    [
      { threshold: 0.9, report: { with_vectors: false, words_threshold: null } },
      { words: 0.9, vectors: null },
    ],
    [
      { threshold: 0.9, report: { with_vectors: true, words_threshold: null } },
      { words: defaultThresholdOf(8), vectors: 0.9 },
    ],
  ])('with the calibration %o has the thresholds %o', (calibration, thresholds) => {
    expect(thresholdsOf(calibration, 8)).toEqual(thresholds);
  });

  it.each([
    [0, 0, false],
    [89, 100, false],
    [90, 100, true],
  ])('with vectors of %i of %i passages is calibrated with them: %s', (vectors, passages, expected) => {
    expect(isEmbedded(vectors, passages)).toBe(expected);
  });
});
