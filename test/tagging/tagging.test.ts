import { inTransaction } from '../../src/db/transaction.ts';
import { newId } from '../../src/ids.ts';
import { requestDailyLearning } from '../../src/tagging/service.ts';
import { addMessage } from '../support/messages.ts';
import type { TestOrg } from '../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../support/stack/stack.ts';
import { activate, listRuns } from '../support/triggers.ts';
import { textsAbout } from './tagged-texts.ts';

const REFUND = 'Hello, please refund my money for the lamp';
const TOPICS = ['refund', 'delivery'];

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack.close());

async function sessionWith(org: TestOrg, text: string, tags: string[] = []): Promise<string> {
  const { id } = (await org.post('/chat/sessions', { channel: { type: 'api' } })).body;
  await inTransaction(stack.db, (trx) =>
    addMessage(trx, org.id, { id: newId(), sessionId: id, sender: 'contact', content: text }),
  );
  if (tags.length > 0) await org.post(`/chat/sessions/${id}/tags`, { tags });
  return id;
}

/** Returns an org whose people have tagged this many sessions about each topic, and that has learnt from them. */
async function newTaggingOrg({ examples = 12 } = {}): Promise<TestOrg> {
  const org = await stack.createOrg();
  for (const tag_name of TOPICS) await org.put('/tags', { tag_name });
  for (const topic of TOPICS) for (const text of textsAbout(topic, examples)) await sessionWith(org, text, [topic]);
  await org.put('/tags/auto-tagging', { enabled: true });
  await learn(org);
  return org;
}

async function learn(org: TestOrg): Promise<void> {
  const { learnt_at: before } = (await org.post('/tags/auto-tagging/run')).body;
  await eventually('a model', async () => {
    const { learnt_at } = (await org.get('/tags/auto-tagging')).body;
    return learnt_at !== before || undefined;
  });
}

const resolve = (org: TestOrg, id: string) => org.patch(`/chat/sessions/${id}`, { status: 'closed_resolved' });
const tagsOf = async (org: TestOrg, id: string): Promise<string[]> => (await org.get(`/chat/sessions/${id}`)).body.tags;
const tagged = (org: TestOrg, id: string) =>
  eventually('a tag', async () => {
    const tags = await tagsOf(org, id);
    return tags.length > 0 ? tags : undefined;
  });

/** Waits until nothing that happened in an org still waits for a reaction. */
const settled = (org: TestOrg) =>
  eventually('all reactions', async () => {
    const waiting = await stack.db.selectFrom('outbox').select('id').where('org_id', '=', org.id).execute();
    return waiting.length === 0 || undefined;
  });

const eventsOf = async (org: TestOrg, id: string, type: string) =>
  (await org.get(`/chat/sessions/${id}/history`)).body.items
    .map(({ event }: { event: object }) => event)
    .filter((event: { type: string }) => event.type === type);

describe('auto-tagging', () => {
  it('applies a tag at resolution that it has learnt from tagged sessions, and says that it was the AI', async () => {
    const org = await newTaggingOrg();
    const { body } = await org.get('/tags/auto-tagging');
    expect(body).toMatchObject({ enabled: true, sessions: 24 });
    expect(body.tags).toEqual(
      ['delivery', 'refund'].map((tag_name) => ({
        tag_name,
        examples: 12,
        threshold: expect.any(Number),
        precision: expect.any(Number),
        coverage: expect.any(Number),
        state: 'applied',
      })),
    );
    const id = await sessionWith(org, REFUND);
    await resolve(org, id);
    expect(await tagged(org, id)).toEqual(['refund']);
    expect(await eventsOf(org, id, 'tag_added')).toMatchObject([{ tag_name: 'refund', by: 'ai' }]);
  });

  it('applies a tag before workflows start, and theirs is the session with the tag', async () => {
    const org = await newTaggingOrg();
    const started = await Promise.all(
      ['pre-ticket-handoff', 'ticket-handoff', 'ticket-resolved'].map((trigger_type) =>
        activate(org, { trigger_type }),
      ),
    );
    const id = await sessionWith(org, REFUND);
    await org.post(`/chat/sessions/${id}/handoff`, {});
    await eventually('the run at the handoff', async () => (await listRuns(stack.db, started[1]?.id ?? '')).length > 0);
    await resolve(org, id);
    await settled(org);
    for (const workflow of started)
      expect(await listRuns(stack.db, workflow.id)).toMatchObject([
        { trigger_output: { session: { tags: ['refund'] } } },
      ]);
  });

  it('applies a tag at handoff, once, and again at resolution only what is new', async () => {
    const org = await newTaggingOrg();
    const id = await sessionWith(org, REFUND);
    await org.post(`/chat/sessions/${id}/handoff`, {});
    expect(await tagged(org, id)).toEqual(['refund']);
    await resolve(org, id);
    await settled(org);
    expect(await eventsOf(org, id, 'tag_added')).toHaveLength(1);
  });

  it('never applies a tag that is excluded, though it was learnt', async () => {
    const org = await newTaggingOrg();
    await org.put('/tags', { tag_name: 'refund', exclude_from_auto_tagging: true });
    const id = await sessionWith(org, REFUND);
    await resolve(org, id);
    await settled(org);
    expect(await tagsOf(org, id)).toEqual([]);
    expect((await org.get(`/chat/sessions/${id}/tag-suggestions`)).body.items).toEqual([]);
    expect((await org.get('/tags/auto-tagging')).body.tags[1]).toMatchObject({ state: 'excluded', examples: 12 });
  });

  it('never applies a tag again that was removed from the session', async () => {
    const org = await newTaggingOrg();
    const id = await sessionWith(org, REFUND);
    await org.post(`/chat/sessions/${id}/handoff`, {});
    await tagged(org, id);
    await org.delete(`/chat/sessions/${id}/tags?tag_name=REFUND`);
    await resolve(org, id);
    await settled(org);
    expect(await tagsOf(org, id)).toEqual([]);
  });

  it('applies nothing while it is off, nor with under 10 examples, nor by what other orgs have tagged', async () => {
    const few = await newTaggingOrg({ examples: 9 });
    const off = await newTaggingOrg();
    await off.put('/tags/auto-tagging', { enabled: false });
    const other = await stack.createOrg();
    await other.put('/tags', { tag_name: 'refund' });
    await other.put('/tags/auto-tagging', { enabled: true });
    await learn(other);
    for (const org of [few, off, other]) {
      const id = await sessionWith(org, REFUND);
      await resolve(org, id);
      await settled(org);
      expect(await tagsOf(org, id)).toEqual([]);
    }
    expect((await few.get('/tags/auto-tagging')).body.tags).toMatchObject([
      { examples: 9, threshold: null, state: 'too_few_examples' },
      { examples: 9, threshold: null, state: 'too_few_examples' },
    ]);
    expect((await other.get('/tags/auto-tagging')).body).toMatchObject({ sessions: 0, tags: [{ examples: 0 }] });
  });

  it('learns nothing from its own tags until somebody confirms them', async () => {
    const org = await newTaggingOrg();
    const id = await sessionWith(org, REFUND);
    await resolve(org, id);
    await tagged(org, id);
    await learn(org);
    const examples = async () => (await org.get('/tags/auto-tagging')).body.tags[1].examples;
    expect(await examples()).toBe(12);
    await org.post(`/chat/sessions/${id}/tags`, { tags: ['refund'] });
    expect(await eventsOf(org, id, 'tag_added')).toHaveLength(1);
    await learn(org);
    expect(await examples()).toBe(13);
  });

  it('learns nothing from redacted texts', async () => {
    const org = await newTaggingOrg();
    const id = await sessionWith(org, 'Refund my lamp', ['refund']);
    await learn(org);
    expect((await org.get('/tags/auto-tagging')).body.sessions).toBe(25);
    await org.post('/redaction/session', { sessionId: id, reason: 'asked for' });
    await learn(org);
    expect((await org.get('/tags/auto-tagging')).body.sessions).toBe(24);
  });

  it('is learnt each day where it is on, and nowhere else', async () => {
    const org = await stack.createOrg();
    const without = await stack.createOrg();
    await org.put('/tags/auto-tagging', { enabled: true });
    expect(await requestDailyLearning(stack.db)).toBeGreaterThan(0);
    expect(await requestDailyLearning(stack.db)).toBe(0);
    await eventually('a model', async () => (await org.get('/tags/auto-tagging')).body.learnt_at ?? undefined);
    expect((await without.get('/tags/auto-tagging')).body.requested_at).toBeNull();
  });
});

describe('suggested tags', () => {
  /** Returns an org that suggests what it would apply: in it no score is high enough to apply a tag. */
  async function newSuggestingOrg(): Promise<TestOrg> {
    const org = await newTaggingOrg();
    const { tags } = await stack.db
      .selectFrom('ai_tag_models')
      .select('tags')
      .where('org_id', '=', org.id)
      .executeTakeFirstOrThrow();
    const only = tags?.map((tag) => ({
      ...tag,
      threshold: null,
      suggest_threshold: tag.threshold,
      state: 'suggested',
    }));
    await stack.db
      .updateTable('ai_tag_models')
      .set({ tags: JSON.stringify(only) })
      .where('org_id', '=', org.id)
      .execute();
    return org;
  }
  const suggestionsFor = async (org: TestOrg, id: string) =>
    (await org.get(`/chat/sessions/${id}/tag-suggestions`)).body.items;

  it('are listed until the session has them, or an agent has removed them', async () => {
    const org = await newSuggestingOrg();
    const id = await sessionWith(org, REFUND);
    expect(await suggestionsFor(org, id)).toEqual([]);
    await resolve(org, id);
    await settled(org);
    expect(await tagsOf(org, id)).toEqual([]);
    expect(await suggestionsFor(org, id)).toEqual([
      { tag_name: 'refund', score: expect.any(Number), model: null, created_at: expect.any(String) },
    ]);
    await org.post(`/chat/sessions/${id}/tags`, { tags: ['refund'] });
    expect(await suggestionsFor(org, id)).toEqual([]);
    await org.delete(`/chat/sessions/${id}/tags?tag_name=refund`);
    expect(await suggestionsFor(org, id)).toEqual([]);
  });

  it('are hidden from other orgs', async () => {
    const org = await newSuggestingOrg();
    const id = await sessionWith(org, REFUND);
    expect((await stack.other.get(`/chat/sessions/${id}/tag-suggestions`)).status).toBe(404);
    expect((await org.get('/chat/sessions/nonsense/tag-suggestions')).status).toBe(400);
  });
});
