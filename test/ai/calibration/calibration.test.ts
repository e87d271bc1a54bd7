import fc from 'fast-check';
import { answerByQuotes } from '../../../src/ai/answers/extractive.service.ts';
import { calibrate, defaultThresholdOf } from '../../../src/ai/calibration/rules.ts';
import { calibrateAnswers, getCalibration, requestDailyCalibrations } from '../../../src/ai/calibration/service.ts';
import { findEvidence } from '../../../src/knowledge/search/evidence.service.ts';
import { WORDS_ONLY } from '../../../src/knowledge/search/passage-search.service.ts';
import { randomFrom } from '../../faults/support/random.ts';
import { eventually, type Stack, startStack } from '../../support/stack/stack.ts';
import { ARTICLES, newAnsweringOrg } from '../answering-org.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack.close());

describe('the calibration of answers', () => {
  it('asks words of the org’s own passages while their item is hidden, and reports what it measured', async () => {
    const org = await newAnsweringOrg(stack, { autopilot: false });
    expect((await org.get('/autopilot/calibration')).body).toMatchObject({
      threshold: defaultThresholdOf(8),
      is_calibrated: false,
      report: null,
    });
    expect((await org.post('/autopilot/calibration/run')).status).toBe(200);
    const { body } = await eventually('the calibration', async () => {
      const answer = await org.get('/autopilot/calibration');
      return answer.body.is_calibrated ? answer : undefined;
    });
    expect(body.report).toMatchObject({ questions: 16, max_wrong: 0.05, wrong_share: 0 });
    expect(body.threshold).toBeGreaterThan(0);
    expect(body.threshold).toBeLessThan(defaultThresholdOf(8));
    expect((await stack.other.get('/autopilot/calibration')).body.is_calibrated).toBe(false);
  });

  it('shows how far it is while it asks, and nothing before and after', async () => {
    const org = await newAnsweringOrg(stack, { autopilot: false });
    await org.post('/autopilot/calibration/run');
    await eventually('the calibration', async () => (await org.get('/autopilot/calibration')).body.is_calibrated);
    const seen: Promise<{ progress: number | null }>[] = [];
    const signal = AbortSignal.any([]);
    signal.throwIfAborted = () => void seen.push(getCalibration(stack.db, org.id)); // called before each question
    const { questions } = await calibrateAnswers(stack.db, WORDS_ONLY, org.id, { signal, attempt: 1 });
    const shares = (await Promise.all(seen)).map(({ progress }) => progress);
    expect([shares.length, shares[0], shares[1]]).toEqual([questions, null, expect.closeTo(1 / questions)]);
    expect((await org.get('/autopilot/calibration')).body).toMatchObject({ progress: null, reason: null });
  });

  it('is requested each day for orgs with autopilot, and for no others', async () => {
    const org = await newAnsweringOrg(stack);
    const without = await newAnsweringOrg(stack, { autopilot: false });
    await eventually('the calibration', async () => (await org.get('/autopilot/calibration')).body.is_calibrated);
    await stack.db
      .updateTable('ai_calibrations')
      .set({ requested_at: new Date(Date.now() - 25 * 3_600_000), threshold: null })
      .where('org_id', '=', org.id)
      .execute();
    expect(await requestDailyCalibrations(stack.db)).toBeGreaterThan(0);
    expect(await requestDailyCalibrations(stack.db)).toBe(0);
    await eventually('the calibration', async () => (await org.get('/autopilot/calibration')).body.is_calibrated);
    expect((await without.get('/autopilot/calibration')).body.requested_at).toBeNull();
  });

  it('measures a question as turns do, also where one long article has all of the best passages', async () => {
    const part = (nth: number) =>
      `## Part ${nth}\n\nThe tripod of model ${nth} folds twice. ${'It is made of ash. '.repeat(40)}`;
    const long = Array.from({ length: 14 }, (_, nth) => part(nth)).join('\n\n');
    const articles = [
      { title: 'Tripods', slug: 'tripods', content_markdown: long },
      {
        title: 'Stands',
        slug: 'stands',
        content_markdown: `A tripod folds too. ${'Stands are heavy, and many. '.repeat(60)}`,
      },
    ];
    const [{ id }, alone] = [
      await newAnsweringOrg(stack, { articles: [...ARTICLES, ...articles] }),
      await newAnsweringOrg(stack, { articles: [...ARTICLES, ...articles.slice(0, 1)] }),
    ];
    const asked = {
      question: 'How does the tripod fold?',
      channel: 'api' as const,
      segments: [],
      thresholds: { words: 1, vectors: null },
    };
    const { score } = await answerByQuotes(stack.db, WORDS_ONLY, id, asked);
    const search = { query: asked.question, visibility: ['public' as const] };
    const { passages, confidence } = await findEvidence(stack.db, WORDS_ONLY, id, search);
    expect(passages.slice(0, 8).every(({ title }) => title === 'Tripods')).toBe(true);
    expect(passages.some(({ title }) => title === 'Stands')).toBe(true);
    expect(score).toBe(confidence());
    const others = passages.filter(({ title }) => title !== 'Tripods').map(({ id }) => id);
    expect(score).toBeLessThan(confidence(others));
    expect((await answerByQuotes(stack.db, WORDS_ONLY, alone.id, asked)).score).toBeGreaterThan(score);
  });

  it.each([
    [100, 0.05],
    [500, 0.05],
    [120, 0.2],
  ])(
    'a calibration of %i questions mostly keeps further ones within a share of %d of wrong answers',
    (questions, maxWrong) => {
      const random = randomFrom(7);
      const trials = Array.from({ length: 4_000 }, () => {
        const asked = Array.from({ length: questions }, () => ({ hidden: 3 * random(), shown: 3, isRight: true }));
        return 1 - calibrate(asked, maxWrong).report.measured_threshold / 3;
      });
      const within = trials.filter((wrong) => wrong <= maxWrong).length / trials.length;
      expect(within).toBeGreaterThanOrEqual(0.54);
      const average = trials.reduce((sum, wrong) => sum + wrong, 0) / trials.length;
      expect(average).toBeLessThan(maxWrong);
      expect(average).toBeGreaterThan(maxWrong * 0.8);
    },
  );

  it('is near the usual threshold of a small center after a few questions, however sure the search was', () => {
    const asked = fc.array(fc.record({ hidden: fc.double({ min: 0, max: 3, noNaN: true }) }), { maxLength: 15 });
    fc.assert(
      fc.property(asked, (questions) => {
        const few = questions.map(({ hidden }) => ({ hidden, shown: 3, isRight: true }));
        const { threshold } = calibrate(few, 0.05, { passages: 12 });
        expect(threshold).toBeGreaterThanOrEqual(0.4);
        expect(threshold).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('finds a threshold with fewer wrong answers than allowed, and not far fewer of many', () => {
    const asked = fc.array(
      fc.record({
        hidden: fc.double({ min: 0, max: 3, noNaN: true }),
        shown: fc.double({ min: 0, max: 3, noNaN: true }),
        isRight: fc.boolean(),
      }),
      { minLength: 200, maxLength: 400 },
    );
    fc.assert(
      fc.property(asked, fc.double({ min: 0.01, max: 0.5, noNaN: true }), (questions, maxWrong) => {
        const { threshold, report } = calibrate(questions, maxWrong);
        const wrong = questions.filter(({ hidden }) => hidden >= threshold).length;
        expect(report.wrong_share).toBe(wrong / questions.length);
        const ranked = questions.map(({ hidden }) => hidden).sort((a, b) => b - a);
        const [most, least] = [maxWrong * questions.length, (maxWrong / 2 - 0.03) * questions.length];
        expect(threshold).toBeGreaterThan((ranked[Math.ceil(most)] ?? 0) - 0.1);
        expect(threshold).toBeLessThan((ranked[Math.max(0, Math.floor(least))] ?? 0) + 0.1);
      }),
    );
  });
});
