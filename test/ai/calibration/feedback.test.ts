import fc from 'fast-check';
import { sql } from 'kysely';
import { type AnswerFeedback, MAX_SHIFT, NO_FEEDBACK, shiftOf } from '../../../src/ai/calibration/feedback.rules.ts';
import { isLargeChange } from '../../../src/ai/calibration/rules.ts';
import { requestCalibrationsAfterChanges } from '../../../src/ai/calibration/service.ts';
import type { TestOrg } from '../../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../../support/stack/stack.ts';
import { unverified } from '../../widget/client.ts';
import { ARTICLES, newAnsweringOrg, QUESTION, turnsOf } from '../answering-org.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack.close());

/** Calibrates now, and returns the outcome. */
async function calibrated(org: TestOrg) {
  const before = (await org.get('/autopilot/calibration')).body.measured_at;
  await org.post('/autopilot/calibration/run');
  return eventually('the calibration', async () => {
    const { body } = await org.get('/autopilot/calibration');
    return body.measured_at !== null && body.measured_at !== before ? body : undefined;
  });
}

/** Asks the question as a new visitor, and says what follows the answer. */
async function ask(org: TestOrg, then: 'upvote' | 'downvote' | 'nothing' | 'person') {
  const widget = await unverified(stack, org);
  const id = await widget.newSession();
  const { body } = await widget.send(id, QUESTION);
  const messagePublicId = body.autopilotResponse.id;
  if (then === 'person') await widget.send(id, 'I want to talk to a human');
  if (then === 'upvote' || then === 'downvote')
    expect((await widget.post('chat/vote', { action: then, sessionId: id, messagePublicId })).status).toBe(200);
  const [turn] = await turnsOf(stack.db, id);
  expect(turn).toMatchObject({ state: 'answered', reason: null, agent: 'extractive-1' });
}

describe('what becomes of answers', () => {
  it('moves the threshold by votes and by handoffs after answers, and the report says so', async () => {
    const org = await newAnsweringOrg(stack);
    const quiet = await calibrated(org);
    expect(quiet.report).toMatchObject({ feedback: { ...NO_FEEDBACK, shift: 0 }, measured_threshold: quiet.threshold });

    for (const then of ['upvote', 'nothing', 'downvote', 'person', 'downvote'] as const) await ask(org, then);
    const moved = await calibrated(org);
    const feedback = { answers: 5, upvotes: 1, downvotes: 2, handoffs: 1 };
    const shift = shiftOf(feedback, 0.05);
    expect(shift).toBeGreaterThan(0.1);
    expect(moved.report.feedback).toEqual({ ...feedback, shift: expect.closeTo(shift, 12) });
    expect(moved.report.measured_threshold).toBeCloseTo(quiet.threshold, 9);
    expect(moved.threshold).toBeCloseTo(quiet.threshold * (1 + shift), 9);
    expect((await stack.other.get('/autopilot/calibration')).body.report).toBeNull();
  });

  const feedbacks = fc
    .tuple(fc.nat(5_000), fc.nat(5_000), fc.nat(5_000), fc.nat(5_000))
    .map(([upvotes, downvotes, handoffs, unjudged]): AnswerFeedback => {
      return { upvotes, downvotes, handoffs, answers: upvotes + downvotes + handoffs + unjudged };
    });
  const shares = fc.double({ min: 0.001, max: 0.5, noNaN: true });

  it('moves the threshold within its bounds, and not at all without answers', () => {
    fc.assert(
      fc.property(feedbacks, shares, (feedback, maxWrong) => {
        const shift = shiftOf(feedback, maxWrong);
        expect(shift).toBeLessThanOrEqual(MAX_SHIFT);
        expect(shift).toBeGreaterThanOrEqual(-Math.min(MAX_SHIFT, maxWrong));
        expect(shiftOf(NO_FEEDBACK, maxWrong)).toBeCloseTo(0, 12);
      }),
    );
  });

  it('never lowers the threshold for a worse answer, nor raises it for a better one', () => {
    fc.assert(
      fc.property(feedbacks, shares, (feedback, maxWrong) => {
        const shift = shiftOf(feedback, maxWrong);
        const one = { ...feedback, answers: feedback.answers + 1 };
        const with_ = (more: Partial<AnswerFeedback>) => shiftOf({ ...one, ...more }, maxWrong);
        const unjudged = shiftOf(one, maxWrong);
        const slack = 1e-12;
        expect(with_({ downvotes: one.downvotes + 1 })).toBeGreaterThanOrEqual(shift - slack);
        expect(with_({ handoffs: one.handoffs + 1 })).toBeGreaterThanOrEqual(shift - slack);
        expect(unjudged).toBeLessThanOrEqual(shift + slack);
        expect(with_({ upvotes: one.upvotes + 1 })).toBeLessThanOrEqual(unjudged + slack);
      }),
    );
  });
});

describe('a change of the knowledge', () => {
  it.each([
    [{ added: 0, removed: 0 }, 0, false],
    [{ added: 1, removed: 0 }, 0, true],
    [{ added: 2, removed: 0 }, 11, false],
    [{ added: 2, removed: 1 }, 11, true],
    [{ added: 199, removed: 0 }, 1_000, false],
    [{ added: 0, removed: 200 }, 1_000, true],
  ])('%o of %i passages is large: %s', (change, passages, expected) => {
    expect(isLargeChange(change, passages)).toBe(expected);
  });

  it('a change of a fifth of the knowledge leads to a new measurement at once, and a smaller one to none', async () => {
    const org = await newAnsweringOrg(stack);
    const { measured_at } = await calibrated(org);
    const calibration = async () => (await org.get('/autopilot/calibration')).body;
    const put = (articles: typeof ARTICLES) =>
      org.put('/help-center/content', { categories: [{ name: 'Shop', slug: 'shop', articles }] });
    const [first, second] = ['one', 'two'].map((slug) => ({
      title: `Spare part ${slug}`,
      slug,
      content_markdown: `Spare part ${slug} costs ten euros.`,
    })) as [(typeof ARTICLES)[number], (typeof ARTICLES)[number]];
    await put([...ARTICLES, first]);
    await eventually('no events to be handled', async () => {
      const left = await stack.db.selectFrom('outbox').select('id').where('org_id', '=', org.id).execute();
      return left.length === 0;
    });
    expect((await calibration()).measured_at).toBe(measured_at);
    await put([...ARTICLES, first, second]);
    await eventually('the calibration', async () => (await calibration()).measured_at !== measured_at);
  });

  it('a change whose event found a lost calibration is measured by the maintenance an hour later', async () => {
    const org = await newAnsweringOrg(stack);
    const { measured_at } = await calibrated(org);
    const measuredAt = async () => (await org.get('/autopilot/calibration')).body.measured_at;
    await stack.db.updateTable('ai_calibrations').set({ passages: 1 }).where('org_id', '=', org.id).execute();
    await requestCalibrationsAfterChanges(stack.db);
    expect(await measuredAt()).toBe(measured_at);
    await anHourLater(org);
    await stack.db.updateTable('ai_calibrations').set({ last_chunk: 0 }).where('org_id', '=', org.id).execute();
    await requestCalibrationsAfterChanges(stack.db);
    await eventually('the calibration', async () => (await measuredAt()) !== measured_at);
  });
});

const anHourLater = (org: TestOrg) =>
  stack.db
    .updateTable('ai_calibrations')
    .set({ requested_at: sql<Date>`requested_at - interval '61 minutes'` })
    .where('org_id', '=', org.id)
    .execute();
