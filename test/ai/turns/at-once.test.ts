import { sql } from 'kysely';
import type { TestOrg } from '../../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../../support/stack/stack.ts';
import { messagesOf, newCalibratedOrg, QUESTION, turnsOf } from '../answering-org.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack.close());

async function ask(org: TestOrg, content = QUESTION): Promise<string> {
  const { id } = (await org.post('/chat/sessions', { channel: { type: 'api' } })).body;
  const message = { sender: 'contact', message: { type: 'text', text: content } };
  await org.post(`/chat/sessions/${id}/send`, message, { headers: { prefer: 'wait=0' } });
  return id;
}

const endedTurn = (id: string) =>
  eventually('an ended turn', async () => (await turnsOf(stack.db, id)).find(({ ended_at }) => ended_at !== null));

const publish = async (org: TestOrg, settings: object) => {
  await org.patch('/autopilot/settings', settings);
  await org.post('/autopilot/settings/publish');
};

const hasWorkflow = (id: string) =>
  stack.temporal.workflow
    .getHandle(`ai-turn/${id}`)
    .describe()
    .then(
      () => true,
      () => false,
    );

const isSent = (id: string) =>
  eventually('a sent command', async () => {
    const waiting = stack.db.selectFrom('outbox').select('id').where('workflow_id', '=', `ai-turn/${id}`);
    return (await waiting.execute()).length === 0;
  });

describe('a turn that is due at once and needs no model', () => {
  it('is done without a workflow', async () => {
    const org = await newCalibratedOrg(stack);
    const id = await ask(org);
    expect(await endedTurn(id)).toMatchObject({ state: 'answered', agent: 'extractive-1', number: 1, tries: 1 });
    await isSent(id);
    expect(await hasWorkflow(id)).toBe(false);
    expect((await messagesOf(org, id)).at(-1)?.content.text).toContain('five working days');
  });

  it.each([
    ['the contact may go on writing', { quiet_seconds: { api: 2 }, cap_seconds: { api: 4 } }],
    ['the session is resolved later', { assume_resolved_after_minutes: 60 }],
  ])('has a workflow where %s', async (_, settings) => {
    const org = await newCalibratedOrg(stack);
    await publish(org, settings);
    const id = await ask(org);
    expect(await endedTurn(id)).toMatchObject({ state: 'answered', tries: 1 });
    expect(await hasWorkflow(id)).toBe(true);
    expect(await turnsOf(stack.db, id)).toHaveLength(1);
  });

  it('is done by the workflow after it has failed once, and counts its tries', async () => {
    const org = await newCalibratedOrg(stack);
    await sql`alter table ai_calibrations rename to away`.execute(stack.db);
    const id = await ask(org);
    await eventually('a second try', async () => ((await turnsOf(stack.db, id))[0]?.tries ?? 0) > 1);
    await sql`alter table away rename to ai_calibrations`.execute(stack.db);
    expect(await endedTurn(id)).toMatchObject({ state: 'answered', number: 1 });
    expect(await hasWorkflow(id)).toBe(true);
    expect((await messagesOf(org, id)).filter(({ sender }) => sender.type === 'ai')).toHaveLength(1);
  });

  it.each([
    ['continues where the database was away many times', 7, 'answered', null],
    ['is handed off after so many begins that it may be what ends the processes', 10, 'handed_off', 'ai_failed'],
  ])('%s', async (_, tries, state, reason) => {
    const org = await newCalibratedOrg(stack);
    await sql`
      do $$ begin
        create function refuse_end() returns trigger language plpgsql as $body$ begin
          raise exception 'shutting down' using errcode = '57P01';
        end $body$;
        create trigger refuses_end before update on ai_turns for each row
          when (new.ended_at is not null) execute function refuse_end();
      end $$
    `.execute(stack.db);
    const id = await ask(org);
    await eventually('a second try', async () => ((await turnsOf(stack.db, id))[0]?.tries ?? 0) > 1);
    await stack.db.updateTable('ai_turns').set({ tries }).where('session_id', '=', id).execute();
    await eventually('a try that knows them', async () => ((await turnsOf(stack.db, id))[0]?.tries ?? 0) > tries);
    await sql`drop function refuse_end cascade`.execute(stack.db);
    expect(await endedTurn(id)).toMatchObject({ state, reason, failures: 0 });
  });

  it('is handed off after six failures', async () => {
    const org = await newCalibratedOrg(stack);
    await sql`alter table ai_calibrations rename to away`.execute(stack.db);
    try {
      const id = await ask(org);
      await eventually('a failure', async () => ((await turnsOf(stack.db, id))[0]?.failures ?? 0) > 0);
      await stack.db.updateTable('ai_turns').set({ failures: 5 }).where('session_id', '=', id).execute();
      expect(await endedTurn(id)).toMatchObject({ state: 'handed_off', reason: 'ai_failed', failures: 6 });
    } finally {
      await sql`alter table away rename to ai_calibrations`.execute(stack.db);
    }
  });
});
