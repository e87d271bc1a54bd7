import { askForConfirmation } from '../../src/ai/confirmations/service.ts';
import { addAiMessage } from '../../src/conversations/ai/service.ts';
import { lockSession } from '../../src/conversations/sessions/service.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { newId } from '../../src/ids.ts';
import { newAnsweringOrg, QUESTION } from '../ai/answering-org.ts';
import { addTurn, newAction, proposed } from '../ai/calls/calling.ts';
import { FAKES_ALLOWED } from '../support/channels.ts';
import { CHROMIUM } from '../support/chromium.ts';
import { startConsole, type TestConsole } from '../support/console.ts';
import { violationsIn } from '../support/console-pages.ts';
import { connectHubspot } from '../support/crm.ts';
import { unavailable } from '../support/fakes/faulty-server.ts';
import { type FakeModel, quoting, startFakeModel } from '../support/fakes/model.ts';
import type { TestOrg } from '../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../support/stack/stack.ts';

const ANSWER = 'You get the money back within five working days.';

(CHROMIUM ? describe : describe.skip)('the AI beside people in the console', () => {
  let stack: Stack;
  let model: FakeModel;
  let org: TestOrg;
  let inbox: TestConsole;
  beforeAll(async () => {
    [stack, model] = await Promise.all([startStack({ env: FAKES_ALLOWED }), startFakeModel()]);
    org = await newAnsweringOrg(stack);
    await org.put('/integrations/llm', { provider: 'openai-compatible', settings: model.settings });
    await org.patch('/autopilot', { channel: 'api', autopilot_enabled: true, ai_agent_version: 'v2' });
    inbox = await startConsole(stack, org);
  }, 120_000);
  afterAll(async () => {
    await inbox.close();
    await Promise.all([stack.close(), model.close()]);
  });

  it('shows the sources of an answer of the AI and how it came about', async () => {
    model.say((asked) => quoting(asked, 'five working days', ANSWER));
    const id = await inbox.conversation('Ada', QUESTION);
    const { page, log, complaints } = await inbox.open('ann@acme.example', id);
    await log.getByText(ANSWER).waitFor();
    await log.getByText('1 source').click();
    await log.getByText('Refunds arrive within').waitFor();
    expect(await log.getByText('Page changed since').count()).toBe(0);
    await log.getByText('How it came about').click();
    await log.getByText('Wrote the answer').waitFor();
    await stack.db
      .updateTable('ai_claims')
      .set({ changed_at: new Date('2026-01-15T12:00:00Z') })
      .where('org_id', '=', org.id)
      .execute();
    await page.reload();
    await log.getByText('1 source, changed since').click();
    await log.getByText(/^Page changed since \(.*Jan.*\)$/).waitFor();
    expect(await violationsIn(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('takes a conversation over in the middle of a turn, and the AI says nothing more until it gets it back', async () => {
    const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
    model.asked.length = 0;
    model.say(async (asked) => {
      await isReleased;
      return quoting(asked, 'five working days', ANSWER);
    });
    const id = await inbox.conversation('Ben', QUESTION);
    const { page, log, button } = await inbox.open('ann@acme.example', id);
    await page.getByText(/^AI · /).waitFor();
    await eventually('a question to the model', () => model.asked.length > 0);
    await page.keyboard.press('t');
    await page.getByText('You answer').waitFor();
    release();
    await eventually('the end of the turn', async () => {
      const { body } = await org.get(`/chat/sessions/${id}/turns`);
      return body.items.every(({ ended_at }: { ended_at: string | null }) => ended_at !== null);
    });
    expect(await log.getByText(ANSWER).count()).toBe(0);
    await button('Return to AI').click();
    await log.getByText(ANSWER).waitFor();
    await page.close();
  });

  it('puts a reply that the AI proposes into the composer', async () => {
    await org.patch('/autopilot', { channel: 'api', autopilot_enabled: false });
    const id = await inbox.conversation('Eli', QUESTION);
    const turn = await addTurn(stack.db, org, id);
    await inTransaction(stack.db, async (trx) => {
      const session = { ...(await lockSession(trx, org.id, id)), assist_mode: true };
      const said = { id: newId(), text: ANSWER, agent: 'helpful', turnId: turn.turnId, citations: [], calls: [] };
      await addAiMessage(trx, stack.deps.sending, org.id, session, said);
    });
    const { page, reply, button } = await inbox.open('ann@acme.example', id);
    await page.getByText('A reply that the AI proposes, not sent').waitFor();
    await button('Use').click();
    expect(await reply.inputValue()).toBe(ANSWER);
    await page.close();
    await org.patch('/autopilot', { channel: 'api', autopilot_enabled: true });
  });

  it('has an agent decide about a call of the AI', async () => {
    model.say(() => ({ text: '{}' }));
    const id = await inbox.conversation('Cleo', 'Please refund order A-1.');
    await askInTurn(id);
    const { page } = await inbox.open('ann@acme.example', id);
    const card = page.getByRole('region', { name: 'Confirm: Refund an order' });
    await card.getByText('A-1').waitFor();
    await card.getByRole('button', { name: 'Reject' }).click();
    await card.waitFor({ state: 'detached' });
    const { body } = await org.get(`/autopilot/calls?session_id=${id}`);
    expect(body.items).toMatchObject([{ state: 'rejected' }]);
    await page.close();
  });

  it('shows which part of a handoff is stuck, and tries it again', async () => {
    await org.patch('/autopilot', { channel: 'api', autopilot_enabled: false });
    const { hubspot } = await connectHubspot(org);
    await org.patch('/org/settings', { handoff_target: 'crm' });
    hubspot.next('POST', '/crm/v3/objects/tickets', ...Array.from({ length: 4 }, () => unavailable()));
    const id = await inbox.conversation('Dan', 'I want to talk to a person.');
    const { page } = await inbox.open('ann@acme.example', id, { width: 380 });
    await page.keyboard.press('m');
    await page.getByRole('textbox', { name: 'Why' }).fill('Asked for a person');
    await page.getByRole('button', { name: 'Hand off', exact: true }).click();
    const card = page.getByRole('region', { name: 'Handoff' });
    await card.getByText('parked').waitFor({ timeout: 40_000 });
    expect(await violationsIn(page)).toEqual([]);
    await card.getByRole('button', { name: 'Try again now' }).click();
    await card.waitFor({ state: 'detached', timeout: 20_000 });
    await page.close();
    await hubspot.close();
  });

  /** Has the AI ask for the confirmation of a call, as a turn does. */
  async function askInTurn(id: string): Promise<void> {
    const turn = await addTurn(stack.db, org, id);
    const action = await newAction(org, 'https://shop.example', { confirm: 'always' });
    const call = await proposed(stack.db, turn, action, { arguments: { body_params: { order: 'A-1', amount: 20 } } });
    await inTransaction(stack.db, async (trx) => {
      const session = await lockSession(trx, org.id, id);
      const messageId = newId();
      const terms = { publicUrl: stack.url, language: 'en', format: 'markdown' as const, messageId };
      const asked = await askForConfirmation(trx, org.id, call, terms);
      if (asked === undefined) throw new Error('The call does not wait');
      const { text, confirmation } = asked;
      const said = {
        id: messageId,
        text,
        agent: 'helpful',
        turnId: call.turn_id,
        citations: [],
        calls: [],
        confirmation,
      };
      await addAiMessage(trx, stack.deps.sending, org.id, session, said);
    });
  }
});
