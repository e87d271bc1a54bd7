import type { TestOrg } from '../../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../../support/stack/stack.ts';
import { newAnsweringOrg, turnsOf } from '../answering-org.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack.close());

const PLAIN_QUESTION = 'How do I change my password?';

/** Asks a question in a new session. Returns how its turn ended. */
async function ask(org: TestOrg, text: string) {
  const { body } = await org.post('/chat/sessions', { channel: { type: 'api' } });
  await org.post(`/chat/sessions/${body.id}/send`, { sender: 'contact', message: { type: 'text', text } });
  const turn = await eventually('the turn', async () =>
    (await turnsOf(stack.db, body.id)).find(({ ended_at }) => ended_at !== null),
  );
  return { state: turn.state, reason: turn.reason, score: turn.score };
}

const calibrationOf = async (org: TestOrg) => (await org.get('/autopilot/calibration')).body;

describe('an org of eight short articles', () => {
  it('is calibrated when autopilot is turned on, and not when it is set again', async () => {
    const org = await newAnsweringOrg(stack, { autopilot: false });
    await org.patch('/autopilot', { channel: 'api', autopilot_enabled: true });
    const { requested_at } = await eventually('the calibration', async () => {
      const calibration = await calibrationOf(org);
      return calibration.is_calibrated ? calibration : undefined;
    });
    await org.patch('/autopilot', { channel: 'api', autopilot_enabled: true });
    await ask(org, PLAIN_QUESTION);
    expect((await calibrationOf(org)).requested_at).toBe(requested_at);
  });

  it('answers a plain question right after autopilot is turned on, and the same way once more later', async () => {
    const org = await newAnsweringOrg(stack);
    const first = await ask(org, PLAIN_QUESTION);
    expect(first).toMatchObject({ state: 'answered', reason: null });
    expect((await calibrationOf(org)).is_calibrated).toBe(true);
    expect(await ask(org, PLAIN_QUESTION)).toEqual(first);
  });
});
