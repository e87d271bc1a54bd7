import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { sql } from 'kysely';
import { runAfterRequest } from '../../src/processes/current-work.ts';
import { connectWorkers } from '../../worker/temporal.ts';
import { type FakeProvider, startFakeProvider } from '../support/fakes/provider.ts';
import { startApi, type TestApi } from '../support/stack/api.ts';
import { temporalAddress, testNamespace } from '../support/stack/servers.ts';
import { startProgram } from './support/program.ts';

const WORDS = 'my card 4111 1111 1111 1111 was stolen';

let api: TestApi;
let worker: Awaited<ReturnType<typeof startProgram>>;
let provider: FakeProvider;
let mailServer: Server;
beforeAll(async () => {
  api = await startApi({ env: { TEMPORAL_ADDRESS: temporalAddress(), TEMPORAL_NAMESPACE: testNamespace() } });
  provider = await startFakeProvider();
  mailServer = createServer((socket) => socket.end(`421 4.7.0 Not now, ${WORDS}\r\n`)).listen(0, '127.0.0.1');
  await once(mailServer, 'listening');
  worker = await startProgram('worker', {
    DATABASE_URL: api.databaseUrl,
    EGRESS_ALLOW: '127.0.0.0/8',
    SMTP_URL: `smtp://127.0.0.1:${(mailServer.address() as AddressInfo).port}`,
    DEVELOPMENT: 'true',
  });
  await worker.find('working', ({ msg }) => msg === 'working');
});
afterAll(async () => {
  await worker?.stop();
  mailServer.close();
  await provider.close();
  await api.close();
});

/** Starts a run that waits, and then posts. Resolves to the id of the run. */
async function startCall(): Promise<string> {
  const { body: workflow } = await api.org.post('/workflows', {
    name: 'Book',
    trigger_type: 'manual-trigger',
    workflow_blocks: [
      { $kind: 'Block', id: 'wait', type: 'wait', inputs: { minutes: 1 / 60 } },
      {
        $kind: 'Action',
        id: 'book',
        type: 'send-webhook',
        name: 'Book',
        input: { url: `${provider.url}/book`, method: 'POST', body: {} },
      },
    ],
  });
  expect((await api.org.post(`/workflows/${workflow.workflow_id}/activate`, {})).status).toBe(200);
  const { status, body } = await api.org.post(`/workflows/${workflow.workflow_id}/trigger`, {
    input: { complaint: WORDS },
  });
  expect({ status, body }).toMatchObject({ status: 200 });
  return body.run_id ?? body.id;
}

describe('the log of the worker', () => {
  it('does not say at the start that something is away that is there', () => {
    expect(worker.lines().filter(({ level }) => level >= 40)).toEqual([]);
  });

  it('says why a workflow failed, without the words of a provider', async () => {
    const { client, connection } = await connectWorkers(api.config);
    const workflowId = `workflow-run/${crypto.randomUUID()}`;
    const error = `The provider refused the step: HubSpot 400 VALIDATION_ERROR: ${WORDS}`;
    const run = { orgId: api.org.id, runId: crypto.randomUUID(), next: { kind: 'failed', error } };
    const start = () => client.workflow.start('runAutomation', { workflowId, taskQueue: 'interactive', args: [run] });
    await runAfterRequest('a request', start);

    const failed = await worker.find('its failure', (line) => line.workflowId === workflowId);
    expect(failed).toMatchObject({
      level: 40,
      msg: 'Workflow failed',
      workflowType: 'runAutomation',
      requestId: 'a request',
      err: { type: 'ApplicationFailure', message: 'The provider refused the step: HubSpot 400 VALIDATION_ERROR …' },
    });
    expect(worker.text()).not.toContain('card');
    await connection.close();
  });

  it('says why mail cannot be sent and which request asked for it, without the words of the mail server', async () => {
    const { status, body, headers } = await api.org.post('/email', {
      from_email: 'shop@example.com',
      recipients: [{ to_email: 'ann@example.com' }],
      fallback_email_subject: 'Order',
      fallback_email_body: 'Sent',
    });
    expect({ status, body }).toMatchObject({ status: 201 });
    const failed = await worker.find(
      'the failure to send',
      ({ msg, activityType }) => msg === 'Activity failed' && activityType === 'sendRequestedEmails',
    );
    expect(failed).toMatchObject({ orgId: api.org.id, requestId: headers.get('x-request-id') });
    expect(failed.err).toMatchObject({
      type: 'SenderUnavailable',
      message: 'The sender is unavailable: 421 4.7.0 …',
      transient: true,
    });
    expect(worker.text()).not.toContain('card');
  });

  it('names the constraint that the database refused, without the row', async () => {
    await sql`alter table automation_runs add constraint no_run_completes check (status <> 'completed') not valid`.execute(
      api.db,
    );
    const run = await startCall();
    const failed = await worker.find(
      'the refusal of the database',
      ({ msg, workflowId }) => msg === 'Activity failed' && workflowId?.includes(run),
    );
    await sql`alter table automation_runs drop constraint no_run_completes`.execute(api.db);

    expect(failed.err).toMatchObject({
      message: expect.stringContaining('violates check constraint "no_run_completes"'),
      code: '23514',
      constraint: 'no_run_completes',
      stack: expect.stringMatching(/^ +at /),
    });
    expect(failed.err.detail).toBeUndefined();
    expect(worker.text()).not.toContain('card');
  });
});
