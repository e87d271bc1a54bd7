import { fireSchedule } from '../../../src/automations/triggers/schedules.service.ts';
import { startApi, type TestApi } from '../../support/stack/api.ts';
import { activate, listRuns } from '../../support/triggers.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const at = (text: string) => new Date(`2030-03-31T${text}:00Z`);
const newWorkflow = async (cron: string) => {
  const trigger_configuration = { cron, timezone: 'Europe/Berlin' };
  const { id } = await activate(api.org, { trigger_type: 'cron-trigger', trigger_configuration });
  const syncs = () =>
    api.db.selectFrom('outbox').select('id').where('workflow_id', '=', `workflow-schedule-sync/${id}`).execute();
  return {
    id,
    fire: (time: string) => fireSchedule(api.db, { orgId: api.org.id, automationId: id }, at(time), at(time)),
    syncs: async () => (await syncs()).length,
  };
};

it('the times around a clock change renew the Schedules once, by the last of them', async () => {
  const { id, fire, syncs } = await newWorkflow('* * * * *');
  for (const time of ['00:00', '00:59', '01:00', '01:01', '03:58']) await fire(time);
  expect(await syncs()).toBe(0);
  await fire('03:59');
  expect(await syncs()).toBe(1);
  await fire('04:00');
  expect(await syncs()).toBe(1);
  expect((await listRuns(api.db, id)).length).toBeGreaterThan(0);
});

it('the only time around a clock change renews the Schedules', async () => {
  const { fire, syncs } = await newWorkflow('30 2 * * *');
  await fire('01:00');
  expect(await syncs()).toBe(1);
});
