import { newAnsweringOrg, QUESTION } from '../../ai/answering-org.ts';
import { connectHubspot, historyOf, type OrgWithHubspot, sessionOfThread, untilHistoryHas } from '../../support/crm.ts';
import { resetAfter } from '../../support/fakes/faulty-server.ts';
import { EMAIL_CHANNEL, type NewMessage } from '../../support/fakes/hubspot/threads.ts';
import { assignmentOf, eventOf } from '../../support/fakes/hubspot/webhooks.ts';
import type { TestOrg } from '../../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../../support/stack/stack.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ env: { EGRESS_ALLOW: '127.0.0.0/8' } });
});
afterAll(() => stack.close());

/** An org whose AI answers, connected to a HubSpot of its own. */
async function inOrg(settings: object, work: (org: TestOrg, crm: OrgWithHubspot) => Promise<void>) {
  const org = await newAnsweringOrg(stack);
  const crm = await connectHubspot(org, settings);
  try {
    await work(org, crm);
  } finally {
    await crm.hubspot.close();
  }
}

/** Starts a thread with a customer's question. */
async function ask(org: TestOrg, crm: OrgWithHubspot, message: NewMessage = {}, assignee?: string) {
  const threadId = crm.hubspot.openThread();
  if (assignee !== undefined) crm.hubspot.assignees.set(threadId, assignee);
  await crm.deliver(eventOf(crm.hubspot.addMessage(threadId, { text: QUESTION, ...message })));
  return { threadId, session: await sessionOfThread(org, threadId) };
}

const posted = (crm: OrgWithHubspot, threadId: string) =>
  (crm.hubspot.threads.get(threadId) ?? []).filter(({ client }) => client.clientType === 'INTEGRATION');
const untilPosted = (crm: OrgWithHubspot, threadId: string) =>
  eventually('a post', () => {
    const found = posted(crm, threadId);
    return found.length > 0 ? found : undefined;
  });
/** Delivers the events of our own posts and of one more message, and waits until that is stored. */
async function deliverEchoes(
  org: TestOrg,
  crm: OrgWithHubspot,
  { threadId, sessionId }: { threadId: string; sessionId: string },
) {
  await crm.deliver(...posted(crm, threadId).map((message) => eventOf(message)));
  await crm.deliver(eventOf(crm.hubspot.addMessage(threadId, { text: 'thanks!' })));
  return untilHistoryHas(org, sessionId, 'thanks!');
}
const untilTurn = (org: TestOrg, sessionId: string, state: string) =>
  eventually(`a turn that is ${state}`, async () =>
    (await org.get(`/chat/sessions/${sessionId}/turns`)).body.items.some(
      (turn: { state: string }) => turn.state === state,
    ),
  );

describe('the AI in a HubSpot conversation', () => {
  it('answers with a public message of the AI user, once, without Markdown, and does not read it as somebody else’s', () =>
    inOrg({}, async (org, crm) => {
      const { threadId, session } = await ask(org, crm);
      const [answer, ...more] = await untilPosted(crm, threadId);
      expect(more).toEqual([]);
      expect(answer).toMatchObject({ type: 'MESSAGE', createdBy: 'A-900', channelId: '1000' });
      expect(answer?.text).toMatch(/Refunds arrive within five working days[\s\S]*https?:\/\//);
      expect(answer?.text).not.toMatch(/\]\(http/);
      const history = await deliverEchoes(org, crm, { threadId, sessionId: session.id });
      expect(history.map((line) => line.split(':')[0])).toEqual(['contact', 'ai', 'contact']);
    }));

  it('answers e-mails with the signature of their domain', () =>
    inOrg(
      {
        signatures: [
          { domain: '*', html: '<p>Anybody</p>' },
          { domain: 'shop.example', html: '<p>Your shop</p>' },
        ],
      },
      async (org, crm) => {
        const { threadId } = await ask(org, crm, {
          channelId: EMAIL_CHANNEL,
          createdBy: 'E-1',
          senders: [
            { actorId: 'E-1', name: 'Ann', deliveryIdentifier: { type: 'HS_EMAIL_ADDRESS', value: 'ann@example.com' } },
          ],
          recipients: [
            { recipientField: 'TO', deliveryIdentifier: { type: 'HS_EMAIL_ADDRESS', value: 'help@shop.example' } },
          ],
        });
        const [answer] = await untilPosted(crm, threadId);
        expect(answer?.text).toMatch(/five working days[\s\S]*\n\nYour shop$/);
        expect(answer?.richText).toContain('<p>Your shop</p>');
      },
    ));

  it('posts its answer once where HubSpot’s response was lost', () =>
    inOrg({}, async (org, crm) => {
      crm.hubspot.next('POST', /\/messages$/, resetAfter);
      const { threadId, session } = await ask(org, crm);
      await untilPosted(crm, threadId);
      await deliverEchoes(org, crm, { threadId, sessionId: session.id });
      expect(posted(crm, threadId)).toHaveLength(1);
    }));

  it('is silent once the conversation is assigned to a person, and hands it off', () =>
    inOrg({}, async (org, crm) => {
      const { threadId, session } = await ask(org, crm);
      await untilPosted(crm, threadId);
      await crm.deliver(assignmentOf(threadId, 'A-5'));
      await eventually(
        'the handoff',
        async () => (await org.get(`/chat/sessions/${session.id}`)).body.handoff !== null,
      );
      await crm.deliver(eventOf(crm.hubspot.addMessage(threadId, { text: 'When do gift cards expire?' })));
      await untilHistoryHas(org, session.id, 'gift cards');
      const { waiting_on } = (await org.get(`/chat/sessions/${session.id}`)).body;
      expect([waiting_on, posted(crm, threadId).length]).toEqual(['human_agents', 1]);
    }));

  it('is silent from the beginning where a person has the conversation already', () =>
    inOrg({}, async (org, crm) => {
      const { threadId, session } = await ask(org, crm, {}, 'A-5');
      expect((await org.get(`/chat/sessions/${session.id}`)).body.handoff).toMatchObject({
        reason: 'Assigned in HubSpot',
      });
      const other = await ask(org, crm, {}, 'A-900');
      await untilPosted(crm, other.threadId);
      expect(posted(crm, threadId)).toEqual([]);
    }));

  it('posts a draft for agents in Assist Mode, once, also if a person has the conversation, and no message', () =>
    inOrg({ assist_mode: true }, async (org, crm) => {
      crm.hubspot.next('POST', /\/messages$/, resetAfter);
      const { threadId, session } = await ask(org, crm, {}, 'A-5');
      const [draft] = await untilPosted(crm, threadId);
      expect(draft).toMatchObject({ type: 'COMMENT' });
      expect(draft?.text).toMatch(/five working days[\s\S]*Draft of the AI, not sent to the customer/);
      await untilTurn(org, session.id, 'answered');
      await deliverEchoes(org, crm, { threadId, sessionId: session.id });
      expect(posted(crm, threadId)).toHaveLength(1);
      const lines = await historyOf(org, session.id);
      expect(lines.map((line) => line.split(':')[0])).toEqual(['contact', 'human_agent_comment', 'contact']);
    }));

  it('posts a draft to the customer with assist_drafts: message, once, and nobody can send it again', () =>
    inOrg({ assist_mode: true, assist_drafts: 'message' }, async (org, crm) => {
      crm.hubspot.next('POST', /\/messages$/, resetAfter);
      const { threadId, session } = await ask(org, crm, {}, 'A-5');
      const [answer] = await untilPosted(crm, threadId);
      expect(answer).toMatchObject({ type: 'MESSAGE' });
      expect(answer?.text).not.toContain('Draft of the AI');
      await deliverEchoes(org, crm, { threadId, sessionId: session.id });
      expect(posted(crm, threadId)).toHaveLength(1);
      const { items } = (await org.get(`/chat/sessions/${session.id}/history`)).body;
      const draft = items.find((item: { event: { is_draft?: boolean } }) => item.event.is_draft);
      expect(draft.event.sent_as).toBe(draft.id);
      expect((await org.post(`/chat/sessions/${session.id}/drafts/${draft.id}/send`, {})).status).toBe(409);
    }));

  it.each([[undefined], ['It takes five days.']])('lets an agent send a draft once, as it is or edited: %j', (text) =>
    inOrg({ assist_mode: true }, async (org, crm) => {
      const { threadId, session } = await ask(org, crm, {}, 'A-5');
      await untilPosted(crm, threadId);
      const history = async () => (await org.get(`/chat/sessions/${session.id}/history`)).body.items;
      const draft = (await history()).find((item: { event: { is_draft?: boolean } }) => item.event.is_draft);
      const send = () => org.post(`/chat/sessions/${session.id}/drafts/${draft.id}/send`, { text });
      const answers = await Promise.all([send(), send(), send()]);
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
      const { message_id } = answers.find(({ status }) => status === 201)?.body ?? {};
      const items = await history();
      expect(items.find(({ id }: { id: string }) => id === draft.id).event.sent_as).toBe(message_id);
      const messages = items.filter(({ id }: { id: string }) => id === message_id);
      const said = text ?? draft.event.content.text;
      expect(messages).toMatchObject([{ event: { sender: { type: 'human_agent' }, content: { text: said } } }]);
      const published = () => posted(crm, threadId).filter(({ type }) => type === 'MESSAGE');
      await eventually('the message', () => published().length > 0);
      await deliverEchoes(org, crm, { threadId, sessionId: session.id });
      expect(published()).toHaveLength(1);
      const path = `/chat/sessions/${session.id}/drafts`;
      expect((await org.post(`${path}/${message_id}/send`, {})).status).toBe(404);
      expect((await stack.other.post(`${path}/${draft.id}/send`, {})).status).toBe(404);

      expect((await org.post('/redaction/message', { messageId: message_id })).status).toBe(200);
      const redacted = (await history()).find(({ id }: { id: string }) => id === draft.id).event;
      expect(redacted.content?.text ?? null).toBeNull();
    }),
  );
});
