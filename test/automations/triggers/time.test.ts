import { sql } from 'kysely';
import { announceInactiveSessions } from '../../../src/automations/triggers/inactivity.service.ts';
import { fireSchedule, skipLostTimes } from '../../../src/automations/triggers/schedules.service.ts';
import { newNumber, WHATSAPP_NUMBER } from '../../support/channels.ts';
import type { TestOrg } from '../../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../../support/stack/stack.ts';
import { activate, expectRunsAsDescribed } from '../../support/triggers.ts';

let stack: Stack;
let org: TestOrg;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack.close());
beforeEach(async () => {
  org = await stack.createOrg();
});

const runs = (id: string) => expectRunsAsDescribed(stack.db, id);
const settled = () =>
  eventually('the relay', async () => {
    const waiting = await stack.db.selectFrom('outbox').select('id').where('kind', '=', 'event').limit(1).execute();
    return waiting.length === 0;
  });

describe('a schedule', () => {
  const scheduleOf = (id: string) => stack.temporal.schedule.getHandle(`workflow-schedule/${id}`);
  const described = async (id: string) => {
    try {
      return await scheduleOf(id).describe();
    } catch {
      return undefined;
    }
  };
  const scheduled = (configuration: object) =>
    activate(org, { trigger_type: 'cron-trigger', trigger_configuration: configuration });
  const YEARLY = '0 0 1 1 *';

  it('exists while its workflow is active, and follows the active version', async () => {
    const { id } = await scheduled({ cron: YEARLY, timezone: 'Europe/Berlin' });
    const made = await eventually('the schedule', () => described(id));
    expect(made.policies).toMatchObject({ overlap: 'SKIP', catchupWindow: 365 * 86_400_000 });
    const [first] = made.info.nextActionTimes;
    expect(first?.toISOString()).toMatch(/^\d{4}-12-31T23:00:00/);

    await org.patch(`/workflows/${id}`, { trigger_configuration: { cron: YEARLY, timezone: 'UTC', missed: 'skip' } });
    await org.post(`/workflows/${id}/activate`, {});
    await eventually('the change', async () => {
      const changed = await described(id);
      return changed?.policies.catchupWindow === 60_000 && changed;
    });
    expect((await described(id))?.info.nextActionTimes[0]?.toISOString()).toMatch(/^\d{4}-01-01T00:00:00/);

    await org.post(`/workflows/${id}/deactivate`, {});
    await eventually('the end of it', async () => (await described(id)) === undefined);
    await org.post(`/workflows/${id}/activate`, {});
    await eventually('the schedule again', () => described(id));
    await org.delete(`/workflows/${id}`);
    await eventually('the end of it', async () => (await described(id)) === undefined);
  });

  it('starts a run with the scheduled time in its trigger output', async () => {
    const { id } = await scheduled({ cron: YEARLY });
    await eventually('the schedule', () => described(id));
    await scheduleOf(id).trigger();
    const run = await eventually('the run', async () => (await runs(id))[0]);
    expect(run).toMatchObject({ trigger_cause: 'scheduled', trigger_output: { trigger_type: 'cron-trigger' } });
    const { scheduled_at, event_id } = run.trigger_output;
    expect(Math.abs(Date.now() - Date.parse(scheduled_at))).toBeLessThan(60_000);
    expect(event_id).toBe(`schedule/${scheduled_at}`);
  });

  describe('at its scheduled time', () => {
    const at = (text: string) => new Date(`2030-05-01T${text}Z`);
    const end = (id: string) =>
      sql`update automation_runs set status = 'completed' where automation_id = ${id}`.execute(stack.db);
    const fire = (id: string, scheduledAt: Date, now: Date) =>
      fireSchedule(stack.db, { orgId: org.id, automationId: id }, scheduledAt, now);

    it('starts one run for each time, and none while the last run has not ended', async () => {
      const { id } = await activate(org, {
        trigger_type: 'cron-trigger',
        trigger_configuration: { cron: '0 * * * *' },
        workflow_blocks: [{ $kind: 'Block', type: 'wait', id: 'pause', inputs: { minutes: 60 } }],
      });
      const first = await fire(id, at('10:00:00'), at('10:00:01'));
      expect(first).not.toBeNull();
      expect(await fire(id, at('11:00:00'), at('11:00:01'))).toBeNull();
      await end(id);
      expect(await fire(id, at('10:00:00'), at('10:00:02'))).toBeNull();
      expect(await fire(id, at('12:00:00'), at('12:00:01'))).not.toBeNull();
    });

    it('starts one run for all missed times, or none, as configured', async () => {
      const once = await scheduled({ cron: '0 * * * *' });
      const never = await scheduled({ cron: '0 * * * *', missed: 'skip' });
      for (const hour of ['06', '07', '08', '09']) {
        await fire(once.id, at(`${hour}:00:00`), at('09:30:00'));
        await end(once.id);
        await fire(never.id, at(`${hour}:00:00`), at('09:30:00'));
      }
      expect((await runs(once.id)).map(({ trigger_output }) => trigger_output.scheduled_at)).toEqual([
        '2030-05-01T09:00:00.000Z',
      ]);
      expect(await runs(never.id)).toEqual([]);
    });

    it('starts no run for a time that a restored database may have lost', async () => {
      const { id } = await scheduled({ cron: '0 * * * *' });
      await skipLostTimes(stack.db, at('09:10:00'));
      await skipLostTimes(stack.db, at('08:10:00'));
      expect(await fire(id, at('08:00:00'), at('09:30:00'))).toBeNull();
      expect(await fire(id, at('09:00:00'), at('09:00:01'))).toBeNull();
      expect(await fire(id, at('10:00:00'), at('10:00:01'))).not.toBeNull();
    });

    it('starts nothing for another org’s workflow or an inactive one', async () => {
      const { id } = await scheduled({ cron: YEARLY });
      const ref = { orgId: stack.other.id, automationId: id };
      expect(await fireSchedule(stack.db, ref, at('10:00:00'), at('10:00:00'))).toBeNull();
      await org.post(`/workflows/${id}/deactivate`, {});
      expect(await fire(id, at('10:00:00'), at('10:00:00'))).toBeNull();
    });
  });
});

describe('an inactivity trigger', () => {
  const silent = (minutes: number, constraints?: object) =>
    activate(org, {
      trigger_type: 'ticket-inactive',
      trigger_configuration: { minutes },
      trigger_constraints: constraints ?? null,
    });
  const newSession = async (client = org) => (await client.post('/chat/sessions', {})).body.id as string;
  const say = (id: string) =>
    org.post(`/chat/sessions/${id}/send`, { sender: 'contact', message: { type: 'text', text: 'Hi' } });
  /** Ages sessions, their messages and the inactivity cursors of the org by some seconds. */
  const age = (ids: string | string[], seconds: number) =>
    sql`
      with told as (update inactivity_clocks set silent_since = silent_since - ${seconds} * interval '1 second' where org_id = ${org.id})
      update sessions set created_at = created_at - ${seconds} * interval '1 second', active_at = active_at - ${seconds} * interval '1 second',
        last_message_at = last_message_at - ${seconds} * interval '1 second' where id = any(${[ids].flat()}::uuid[])
    `.execute(stack.db);
  const look = () => announceInactiveSessions(stack.db, org.id);
  const told = async (id: string) => {
    await settled();
    return (await runs(id)).map(({ trigger_output: { session, inactive_minutes } }) => [session.id, inactive_minutes]);
  };

  it('starts one run for a session inactive before the workflow was activated', async () => {
    const session = await newSession();
    await say(session);
    await age(session, 600);
    const { id } = await silent(5);
    await eventually('the run', async () => (await runs(id)).length === 1);
    const [run] = await runs(id);
    const shown = (await org.get(`/chat/sessions/${session}`)).body;
    expect(run?.trigger_output).toMatchObject({ session: { id: session }, inactive_minutes: 5 });
    expect(run?.trigger_key).toBe(`inactive/${session}/${shown.last_message_at}/5`);
    await look();
    await org.post(`/workflows/${id}/activate`, {});
    await look();
    expect(await told(id)).toEqual([[session, 5]]);
  });

  it('starts a run after the configured minutes, and again only after a new message and as many minutes', async () => {
    const session = await newSession();
    await say(session);
    await age(session, 57);
    const { id } = await silent(1);
    await eventually('the run', async () => (await runs(id)).length === 1);
    const [run] = await runs(id);
    const { last_message_at } = (await org.get(`/chat/sessions/${session}`)).body;
    const lateMs = Date.parse(run?.trigger_output.occurred_at) - Date.parse(last_message_at) - 60_000;
    expect(lateMs).toBeGreaterThanOrEqual(0);
    expect(lateMs).toBeLessThan(20_000);
    await say(session);
    await look();
    expect(await told(id)).toHaveLength(1);
    await age(session, 61);
    await look();
    expect(await told(id)).toHaveLength(2);
  });

  it('starts a run for a session that was reopened without a message, as long after it', async () => {
    const [reopened, other] = [await newSession(), await newSession()];
    await age(reopened, 700);
    await org.patch(`/chat/sessions/${reopened}`, { status: 'closed_resolved' });
    await age(other, 600);
    const { id } = await silent(5);
    await eventually('the run', async () => (await runs(id)).length === 1);
    await org.patch(`/chat/sessions/${reopened}`, { status: 'open' });
    expect((await look()).announced).toBe(0);
    await age(reopened, 301);
    await look();
    expect(await told(id)).toEqual([
      [other, 5],
      [reopened, 5],
    ]);
  });

  it('starts no other run because of its own message, and continues the chain of runs in a session that it opens', async () => {
    const contact = { phone: newNumber() };
    const contact_id = (await org.post('/contacts', { contact })).body.id;
    const session = (await org.post('/chat/sessions', { contact_id })).body.id;
    await say(session);
    await age(session, 600);
    const action = (type: string, input: object) => ({ $kind: 'Action', id: type, type, name: type, input });
    const { id } = await activate(org, {
      trigger_type: 'ticket-inactive',
      trigger_configuration: { minutes: 5 },
      workflow_blocks: [
        action('send-message', { session_id: '{{trigger.session.id}}', text: 'Are you still there?' }),
        action('send-whatsapp-template', {
          ...{ template_id: 'hello', phone_number_id: WHATSAPP_NUMBER, variables: [] },
          contact: { id: contact_id },
        }),
      ],
    });
    const completed = (count: number) =>
      eventually(`${count} runs`, async () => {
        const all = await runs(id);
        return all.length === count && all.every(({ status }) => status === 'completed') && all;
      });
    await completed(1);
    const { items } = (await org.get('/chat/sessions')).body;
    const opened = items.find((one: { id: string }) => one.id !== session).id;
    await age([session, opened], 301);
    await look();
    const all = await completed(2);
    expect(all.map(({ depth, trigger_output }) => [trigger_output.session.id, depth])).toEqual([
      [session, 0],
      [opened, 1],
    ]);
  });

  it('announces no session that may have been announced by a database that a restore has lost', async () => {
    const [before, after] = [await newSession(), await newSession()];
    const { id } = await silent(5);
    const clocks = () => stack.db.selectFrom('inactivity_clocks').selectAll().where('automation_id', '=', id).execute();
    await eventually('a look', async () => (await clocks()).length === 1);
    await age(before, 400);
    await age(after, 330);
    await skipLostTimes(stack.db, new Date(Date.now() - 60_000));
    expect((await look()).announced).toBe(1);
    expect(await told(id)).toEqual([[after, 5]]);
  });

  it('ignores closed sessions, sessions of other orgs, and sessions not yet inactive for long enough', async () => {
    const [closed, short] = [await newSession(), await newSession()];
    const foreign = await newSession(stack.other as TestOrg);
    for (const id of [closed, foreign]) await age(id, 3_600);
    await org.patch(`/chat/sessions/${closed}`, { status: 'closed_resolved' });
    await age(short, 200);
    const { id } = await silent(5);
    const { nextInMs, announced: found } = await look();
    expect(found).toBe(0);
    expect(nextInMs).toBeGreaterThan(95_000);
    expect(nextInMs).toBeLessThanOrEqual(100_000);
    expect(await told(id)).toEqual([]);
  });

  it('announces over a thousand sessions in batches, each once for each workflow and its own minutes', async () => {
    const session = await newSession();
    await sql`
      insert into sessions (org_id, id, ticket_number, channel, created_at)
      select ${org.id}::uuid, gen_random_uuid(), 1000 + n, 'api', now() - interval '1 hour' from generate_series(1, 1200) as n
    `.execute(stack.db);
    await age(session, 600);
    const [five, hour] = [await silent(5), await silent(30)];
    await eventually(
      'all runs',
      async () => (await told(five.id)).length === 1201 && (await told(hour.id)).length === 1200,
    );
    await look();
    const all = await told(five.id);
    expect([all.length, new Set(all.map(([id]) => id)).size]).toEqual([1201, 1201]);
    expect((await told(hour.id)).every(([, minutes]) => minutes === 30)).toBe(true);
  });

  it('ends its Temporal workflow when no active workflow uses it', async () => {
    const { id } = await silent(5);
    const handle = stack.temporal.workflow.getHandle(`inactivity/${org.id}`);
    await eventually('the watch', () =>
      handle.describe().then(
        ({ status }) => status.name === 'RUNNING',
        () => false,
      ),
    );
    await org.post(`/workflows/${id}/deactivate`, {});
    await eventually('its end', async () => (await handle.describe()).status.name === 'COMPLETED');
  });
});
