import { readdirSync, readFileSync } from 'node:fs';
import { Worker } from '@temporalio/worker';
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
