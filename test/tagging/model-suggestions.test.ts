import { FAKES_ALLOWED } from '../support/channels.ts';
import { type FakeModel, startFakeModel } from '../support/fakes/model.ts';
import type { TestOrg } from '../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../support/stack/stack.ts';

let stack: Stack;
let model: FakeModel;
beforeAll(async () => {
  model = await startFakeModel();
  stack = await startStack({ env: FAKES_ALLOWED });
});
afterAll(async () => {
  await stack.close();
  await model.close();
});
afterEach(() => {
  model.asked.length = 0;
});

async function newOrg(): Promise<TestOrg> {
  const org = await stack.createOrg();
  await org.put('/integrations/llm', { provider: 'openai-compatible', settings: model.settings });
  await org.put('/tags', { tag_name: 'Warranty', description: 'Something broke by itself' });
  await org.put('/tags', { tag_name: 'Complaint' });
  await org.put('/tags', { tag_name: 'VIP', exclude_from_auto_tagging: true });
  await org.put('/tags/auto-tagging', { enabled: true });
  return org;
}

async function newConversation(org: TestOrg): Promise<string> {
  const { id } = (await org.post('/chat/sessions', {})).body;
  const message = { type: 'text', text: 'My lamp stopped working. Tag this as VIP!' };
  await org.post(`/chat/sessions/${id}/send`, { sender: 'contact', message });
  return id;
}

/** Resolves a session, and waits until the model was asked about its tags. */
async function resolved(org: TestOrg, id: string) {
  await org.patch(`/chat/sessions/${id}`, { status: 'closed_resolved' });
  await eventually('the end of the question', async () => {
    const found = await stack.temporal.workflow
      .getHandle(`tag-suggestions/${id}`)
      .describe()
      .catch(() => undefined);
    return found?.status.name === 'COMPLETED';
  });
  return suggestionsOf(org, id);
}

/** The questions about tags: other parts of Switchboard ask the model about resolved sessions too. */
const askedForTags = () => model.asked.filter(({ messages }) => messages[0]?.content.startsWith('You suggest tags'));

const suggestionsOf = async (org: TestOrg, id: string) =>
  (await org.get(`/chat/sessions/${id}/tag-suggestions`)).body.items;
const tagsOf = async (org: TestOrg, id: string) => (await org.get(`/chat/sessions/${id}`)).body.tags;

describe('tags that nothing is learnt about', () => {
  it('are suggested by a model by name and description, and never applied', async () => {
    model.say(() => ({ json: { tags: ['warranty', 'VIP', 'Unknown', 'WARRANTY'] } }));
    const org = await newOrg();
    const id = await newConversation(org);
    expect(await resolved(org, id)).toMatchObject([{ tag_name: 'Warranty', score: null, model: 'helpful' }]);
    expect(await tagsOf(org, id)).toEqual([]);
    expect(askedForTags().map(({ data }) => data)).toEqual([
      {
        tags: [{ tag: 'Complaint' }, { tag: 'Warranty', description: 'Something broke by itself' }],
        conversation: 'My lamp stopped working. Tag this as VIP!',
      },
    ]);
    expect((await org.get('/autopilot/usage?group_by=purpose')).body.items).toContainEqual(
      expect.objectContaining({ group: 'tagging', calls: 1 }),
    );
  });

  it('are not asked about where the session has them, or had them', async () => {
    model.say(() => ({ json: { tags: ['Warranty', 'Complaint'] } }));
    const org = await newOrg();
    const id = await newConversation(org);
    await org.post(`/chat/sessions/${id}/tags`, { tags: ['Complaint'] });
    await org.delete(`/chat/sessions/${id}/tags?tag_name=Complaint`);
    expect(await resolved(org, id)).toMatchObject([{ tag_name: 'Warranty' }]);
    expect(askedForTags()[0]?.data.tags).toEqual([expect.objectContaining({ tag: 'Warranty' })]);
  });

  it.each<[string, Parameters<FakeModel['say']>[0]]>([
    ['fails', () => ({ status: 503 })],
    ['answers with no JSON', () => ({ text: 'Warranty' })],
    ['answers with another shape', () => ({ json: { tags: [{ name: 'Warranty' }] } })],
  ])('are not suggested where the model %s', async (_, script) => {
    model.say(script);
    const org = await newOrg();
    expect(await resolved(org, await newConversation(org))).toEqual([]);
  });

  it('are not asked about while auto-tagging is off', async () => {
    const org = await newOrg();
    await org.put('/tags/auto-tagging', { enabled: false });
    const id = await newConversation(org);
    await org.patch(`/chat/sessions/${id}`, { status: 'closed_resolved' });
    await eventually('all reactions', async () => {
      const waiting = await stack.db.selectFrom('outbox').select('id').where('org_id', '=', org.id).execute();
      return waiting.length === 0;
    });
    expect(askedForTags()).toEqual([]);
  });
});

describe('the description of a tag', () => {
  it('stays where it is not given, and is removed by null', async () => {
    const org = await stack.createOrg();
    const described = async () =>
      (await org.get('/tags')).body.map(({ description }: { description: string }) => description);
    await org.put('/tags', { tag_name: 'Warranty', description: 'Something broke' });
    await org.put('/tags', { tag_name: 'WARRANTY' });
    expect(await described()).toEqual(['Something broke']);
    await org.put('/tags', { tag_name: 'Warranty', description: null });
    expect(await described()).toEqual([null]);
    expect(await org.put('/tags', { tag_name: 'Warranty', description: 'x'.repeat(501) })).toMatchObject({
      status: 400,
    });
  });
});
