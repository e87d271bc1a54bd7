import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { calibrate, DEFAULT_THRESHOLD } from '../../../src/ai/calibration/rules.ts';
import { requestDailyCalibrations } from '../../../src/ai/calibration/service.ts';
import { eventually, type Stack, startStack } from '../../support/stack/stack.ts';
import { newAnsweringOrg } from '../answering-org.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack.close());

describe('the calibration of answers', () => {
  it('asks the org’s own headings while their item is hidden, and reports what it measured', async () => {
    const org = await newAnsweringOrg(stack);
    expect((await org.get('/autopilot/calibration')).body).toMatchObject({
      threshold: DEFAULT_THRESHOLD,
      is_calibrated: false,
      report: null,
    });
    expect((await org.post('/autopilot/calibration/run')).status).toBe(200);
    const { body } = await eventually('the calibration', async () => {
      const answer = await org.get('/autopilot/calibration');
      return answer.body.is_calibrated ? answer : undefined;
    });
    expect(body.report).toMatchObject({ questions: 8, max_wrong: 0.05, wrong_share: 0 });
    expect(body.threshold).toBeGreaterThan(0);
    expect(body.threshold).toBeLessThan(DEFAULT_THRESHOLD);
    expect((await stack.other.get('/autopilot/calibration')).body.is_calibrated).toBe(false);
  });

  it('is requested each day for orgs with autopilot, and for no others', async () => {
    const org = await newAnsweringOrg(stack);
    const without = await newAnsweringOrg(stack, { autopilot: false });
    expect(await requestDailyCalibrations(stack.db)).toBeGreaterThan(0);
    expect(await requestDailyCalibrations(stack.db)).toBe(0);
    await eventually('the calibration', async () => (await org.get('/autopilot/calibration')).body.is_calibrated);
    expect((await without.get('/autopilot/calibration')).body.requested_at).toBeNull();
  });

  it('finds a threshold with no more wrong answers than allowed', () => {
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
        const measured = questions.map(({ hidden }) => hidden).sort((a, b) => b - a)[
          Math.max(0, Math.floor((questions.length + 1) * maxWrong) - 1)
        ] as number;
        expect(Math.abs(threshold - measured)).toBeLessThan(0.1);
      }),
    );
  });
});
