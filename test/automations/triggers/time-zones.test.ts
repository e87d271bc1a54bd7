import { Cron } from 'croner';
import { sql } from 'kysely';
import { isMisplaced } from '../../../src/automations/triggers/cron-times.ts';
import { syncWorkflowSchedule } from '../../../src/automations/triggers/schedules.service.ts';
import { findTimeZoneDifferences } from '../../../src/cli/doctor/time-zone-differences.ts';
import { inTransaction } from '../../../src/db/transaction.ts';
import { enqueue } from '../../../src/outbox/outbox.ts';
import { connectWorkers } from '../../../worker/temporal.ts';
import { createTimeZoneCheck } from '../../../worker/time-zone-check.ts';
import { eventually, type Stack, startStack } from '../../support/stack/stack.ts';
import { activate } from '../../support/triggers.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack.close());

const scheduled = (configuration: object) =>
  activate(stack.org, { trigger_type: 'cron-trigger', trigger_configuration: configuration });
const workflow = async (id: string) => (await stack.org.get(`/workflows/${id}`)).body;
const described = async (id: string) => {
  try {
    return await stack.temporal.schedule.getHandle(`workflow-schedule/${id}`).describe();
  } catch {
    return undefined;
  }
};

const nextTimesOf = async (id: string) => (await described(id))?.info.nextActionTimes ?? [];
const openSyncs = async (id: string) => {
  const { count } = await stack.temporal.workflow.count(
    `WorkflowId = 'workflow-schedule-sync/${id}' and ExecutionStatus = 'Running'`,
  );
  return count;
};

/** Expressions for the weekday of a month on which clocks change. */
const CLOCK_CHANGES = [
  ['Europe/Berlin', '30 2 * 3 0'],
  ['Europe/Berlin', '30 2 * 10 0'],
  ['Europe/Berlin', '*/30 2 * 10 0'],
  ['America/New_York', '30 1 * 11 0'],
  ['Australia/Lord_Howe', '15 2 * 10 0'],
  ['America/Santiago', '0 0 * 9 0'],
  ['Africa/Cairo', '30 0 * 4 5'],
  ['America/Havana', '30 0 * 11 0'],
  ['Asia/Kolkata', '30 2 * 3 0'],
] as const;

describe('the Schedules of a workflow in Temporal', () => {
  it.each(CLOCK_CHANGES)('in %s (%s) have the times that a recovery looks for', async (timezone, cron) => {
    const { id } = await scheduled({ cron, timezone });
    await eventually('the schedule', () => described(id));
    await eventually('its end', async () => (await openSyncs(id)) === 0);
    const planned = [...(await nextTimesOf(id)), ...(await nextTimesOf(`${id}/clock-changes`))];
    const last = Math.min(...(await nextTimesOf(id)).slice(-1).map(Number));
    const fired = planned.filter((at) => Number(at) <= last && !isMisplaced({ cron, timezone }, at)).map(Number);
    const expected = new Cron(cron, { timezone, paused: true, domAndDow: true, fixedTimeRule: 'no-wildcard' });
    const wanted = expected.nextRuns(100).map(Number);
    expect([...new Set(fired)].sort()).toEqual(wanted.filter((at) => at <= last));
  });

  it('that cannot exist are explained at the workflow, until they can', async () => {
    const { id } = await scheduled({ cron: '0 9 * * *' });
    await eventually('the schedule', () => described(id));
    expect(await workflow(id)).toMatchObject({ schedule_error: null });

    await storeConfiguration(id, { cron: '5-1 * * * *', timezone: 'UTC', missed: 'skip' });
    const refused = await eventually('the refusal', async () => (await workflow(id)).schedule_error ?? undefined);
    expect(refused).toContain('range');
    expect(await described(id)).toBeUndefined();

    await storeConfiguration(id, { cron: '0 9 * * *', timezone: 'PST', missed: 'skip' });
    await eventually('the name', async () => (await workflow(id)).schedule_error?.includes('America/Los_Angeles'));

    await storeConfiguration(id, { cron: '0 9 * * *', timezone: 'Europe/Kyiv', missed: 'skip' });
    await eventually('the schedule again', () => described(id));
    await eventually('nothing wrong', async () => (await workflow(id)).schedule_error === null);
  });

  /** Stores what an earlier version would have accepted, and syncs the Schedule with it. */
  async function storeConfiguration(id: string, configuration: object) {
    await sql`
      update automation_versions set trigger_configuration = ${JSON.stringify(configuration)}::jsonb where automation_id = ${id}
    `.execute(stack.db);
    const ref = { orgId: stack.org.id, automationId: id };
    await inTransaction(stack.db, (trx) => enqueue(trx, ref.orgId, syncWorkflowSchedule(ref)));
  }
});

const NAMES = [
  ['utc', 'UTC'],
  ['america/new_york', 'America/New_York'],
  ['asia/kolkata', 'Asia/Kolkata'],
  ['Europe/Kyiv', 'Europe/Kyiv'],
  ['us/pacific', 'US/Pacific'],
  ['CET', 'Europe/Brussels'],
  ['japan', 'Asia/Tokyo'],
] as const;
const REFUSED = [
  ['PST', 'America/Los_Angeles'],
  ['IST', 'Asia/'],
  ['NET', 'Asia/Yerevan'],
  ['ACT', 'Australia/Darwin'],
  ['US/Pacific-New', 'US/Pacific'],
  ['Europe/Berln', 'Europe/Berlin'],
  ['New York', 'America/New_York'],
  ['+02:00', 'Europe/Berlin'],
  ['Mars/Olympus', 'Europe/Berlin'],
] as const;

describe('wherever a time zone is taken', () => {
  const shifts = [{ day_of_week: 'everyday', start_time: '09:00:00', end_time: '17:00:00' }];
  const cronIn = (timezone: string) => ({
    name: 'Daily',
    trigger_type: 'cron-trigger',
    trigger_configuration: { cron: '0 9 * * *', timezone },
    workflow_blocks: [],
  });

  it.each(NAMES)('%s is taken and shown as %s', async (given, shown) => {
    const settings = await stack.org.patch('/org/settings', { timezone: given });
    expect(settings.body.timezone).toBe(shown);
    const hours = await stack.org.post('/office-hours', { name: given, iana_timezone: given, shifts });
    expect((await stack.org.get(`/office-hours/${hours.body.id}`)).body.iana_timezone).toBe(shown);
    const made = await stack.org.post('/workflows', cronIn(given));
    expect(made.body.trigger_configuration.timezone).toBe(shown);
    const changed = await stack.org.patch(`/workflows/${made.body.workflow_id}`, cronIn(given));
    expect(changed.body.trigger_configuration.timezone).toBe(shown);
    expect((await stack.org.get('/analytics/conversations?group_by=day')).status).toBe(200);
  });

  it.each(REFUSED)('%s is refused, with names such as %s', async (given, nearest) => {
    const answers = [
      await stack.org.patch('/org/settings', { timezone: given }),
      await stack.org.post('/office-hours', { name: given, iana_timezone: given, shifts }),
      await stack.org.post('/workflows', cronIn(given)),
    ];
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400]);
    for (const { body } of answers) expect(JSON.stringify(body.issues)).toContain(nearest);
  });

  it('no name that is stored is an abbreviation in Postgres, which would take it for a fixed offset', async () => {
    const names = Intl.supportedValuesOf('timeZone');
    const taken = await Promise.all(
      [...names, 'CET', 'EET', 'MET', 'WET', 'EST', 'MST', 'HST', 'GMT', 'Zulu', 'UCT'].map(
        async (name) => (await stack.org.patch('/org/settings', { timezone: name })).body.timezone,
      ),
    );
    const { rows } = await sql<{ name: string }>`
      select name from unnest(${taken}::text[]) as name
      where name not in (select name from pg_timezone_names)
        or (name <> 'UTC' and upper(name) in (select abbrev from pg_timezone_abbrevs))
    `.execute(stack.db);
    expect(rows).toEqual([]);
  });
});

it('the check at start-up names the zones in use for which Node, Postgres and Temporal have different clocks', async () => {
  const [legacy, unknown] = [await stack.createOrg(), await stack.createOrg()];
  const check = () => findTimeZoneDifferences(stack.db, stack.temporal, new Date());
  const before = await check();
  for (const [org, name] of [
    [legacy, 'CET'],
    [unknown, 'PST'],
  ] as const)
    await sql`update orgs set settings = ${JSON.stringify({ timezone: name })}::jsonb where id = ${org.id}`.execute(
      stack.db,
    );
  const { id } = await scheduled({ cron: '0 9 * * *', timezone: 'Africa/Lagos' });
  await eventually('the schedule', () => described(id));
  await stack.temporal.schedule
    .getHandle(`workflow-schedule/${id}`)
    .update((schedule) => ({ ...schedule, spec: { cronExpressions: ['0 10 * * *'], timezone: 'Africa/Lagos' } }));

  const added = (await check()).filter(({ time_zone }) => !before.some((known) => known.time_zone === time_zone));
  expect(added).toEqual([
    { time_zone: 'PST', differs_in: 'all', at: null },
    { time_zone: 'CET', differs_in: 'postgres', at: expect.any(Date) },
    { time_zone: 'Africa/Lagos', differs_in: 'temporal', at: expect.any(Date) },
  ]);
});

it('the check is made once a start, and again only if it could not be made', async () => {
  const org = await stack.createOrg();
  await sql`update orgs set settings = '{"timezone": "PST"}' where id = ${org.id}`.execute(stack.db);
  await scheduled({ cron: '0 9 * * *' });
  const warnings: string[] = [];
  const check = createTimeZoneCheck(stack.db, {
    warn: (...[, message]: unknown[]) => void warnings.push(String(message)),
  });
  const gone = await connectWorkers(stack.config);
  await gone.connection.close();
  await check(gone.client);
  expect(warnings.splice(0)).toEqual(['the time zone databases could not be compared']);
  await check(stack.temporal);
  expect(new Set(warnings.splice(0))).toEqual(new Set(['the time zone databases differ: see docs/operations.md']));
  await check(stack.temporal);
  expect(warnings).toEqual([]);
});
