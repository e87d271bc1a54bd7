import { readdirSync, readFileSync } from 'node:fs';
import { Worker } from '@temporalio/worker';
import { WITHOUT_TRACING } from '../../worker/tracing.ts';
import { kebabCase } from '../support/stack/record-histories.ts';
import { testWorkflowBundle } from '../support/stack/servers.ts';
import { installRuntime } from '../support/stack/temporal-runtime.ts';

installRuntime();

const FOLDER = new URL('./histories/', import.meta.url);
const histories = readdirSync(FOLDER).filter((name) => name.endsWith('.json'));

const read = (name: string) => JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8'));

const types = [...readFileSync(new URL('../../workflows/index.ts', import.meta.url), 'utf8').matchAll(/\{ ([^}]+) \}/g)]
  .flatMap(([, names = '']) => names.split(', '))
  .toSorted();

/** Without the long tier, some: each takes a second. */
const inTraces =
  process.env.TEST_TIER === 'long' ? histories : ['answer-session.json', 'run-automation.json', 'run-sequence.json'];

/** Returns a history as if its workflow had been started in a sampled trace. */
function traced(name: string) {
  const history = read(name);
  const [started] = history.events;
  const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
  started.workflowExecutionStartedEventAttributes.header = {
    fields: {
      '_tracer-data': {
        metadata: { encoding: Buffer.from('json/plain').toString('base64') },
        data: Buffer.from(JSON.stringify({ traceparent })).toString('base64'),
      },
    },
  };
  return history;
}

/** A patched workflow has another history, `<type>.<patch>.json`, beside the one from before the patch. */
const typeOf = (name: string) => name.replace(/\..*$/, '');

it('has a recorded history of every workflow type', () => {
  expect([...new Set(histories.map(typeOf))].toSorted()).toEqual(types.map(kebabCase).toSorted());
});

it('has no stack traces in recorded histories: they name folders of the machine', () => {
  expect(histories.filter((name) => JSON.stringify(read(name)).includes('node_modules'))).toEqual([]);
});

describe('the current workflow code replays recorded histories', () => {
  it.each(histories)('%s', async (name) => {
    await Worker.runReplayHistory({ workflowBundle: testWorkflowBundle() }, read(name));
  });

  it.each(inTraces)('%s, in a trace', async (name) => {
    const { sinks } = WITHOUT_TRACING;
    await Worker.runReplayHistory({ workflowBundle: testWorkflowBundle(), sinks }, traced(name));
  });

  it('a changed history fails to replay', async () => {
    const history = read('run-sequence.json');
    const scheduled = history.events.find(({ eventType }: { eventType: string }) =>
      eventType.endsWith('ACTIVITY_TASK_SCHEDULED'),
    );
    scheduled.activityTaskScheduledEventAttributes.activityType.name = 'somethingElse';
    await expect(Worker.runReplayHistory({ workflowBundle: testWorkflowBundle() }, history)).rejects.toThrow(
      /[Nn]ondeterminism/,
    );
  });
});
