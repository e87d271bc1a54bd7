import { readdirSync, readFileSync } from 'node:fs';
import { type ReplayResult, Worker } from '@temporalio/worker';
import { WITHOUT_TRACING } from '../../worker/tracing.ts';
import { kebabCase } from '../support/stack/record-histories.ts';
import { testWorkflowBundle } from '../support/stack/servers.ts';
import { installRuntime } from '../support/stack/temporal-runtime.ts';

installRuntime();

const FOLDER = new URL('./histories/', import.meta.url);
const histories = readdirSync(FOLDER).filter((name) => name.endsWith('.json'));

/** A part of an event in its JSON. */
interface HistoryEvent {
  eventType: string;
  eventTime?: string | undefined;
  workflowTaskStartedEventAttributes?: { suggestContinueAsNew?: boolean };
  workflowExecutionStartedEventAttributes?: { input: unknown };
}

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

/** Returns a history as if it were so long that Temporal suggests to continue as new, with each task. */
function suggested(history: { events: HistoryEvent[] }) {
  for (const { workflowTaskStartedEventAttributes: started } of history.events)
    if (started !== undefined) started.suggestContinueAsNew = true;
  return history;
}

/** Returns the events of a workflow of webhooks that continues as new after its first try, behind the marker of the patch. */
function continuedAsNew(events: HistoryEvent[]): HistoryEvent[] {
  const tried = events.findIndex(({ eventType }) => eventType.endsWith('ACTIVITY_TASK_COMPLETED'));
  const begun = events.slice(0, tried + 4);
  const [first, last] = [begun[0], begun.at(-1)];
  const payload = (value: object) => ({
    metadata: { encoding: Buffer.from('json/plain').toString('base64') },
    data: Buffer.from(JSON.stringify(value)).toString('base64'),
  });
  const workflowTaskCompletedEventId = `${begun.length}`;
  const added = [
    {
      eventType: 'EVENT_TYPE_MARKER_RECORDED',
      markerRecordedEventAttributes: {
        markerName: 'core_patch',
        details: { 'patch-data': { payloads: [payload({ id: 'continue-as-new', deprecated: false })] } },
        workflowTaskCompletedEventId,
      },
    },
    {
      eventType: 'EVENT_TYPE_UPSERT_WORKFLOW_SEARCH_ATTRIBUTES',
      upsertWorkflowSearchAttributesEventAttributes: {
        workflowTaskCompletedEventId,
        searchAttributes: { indexedFields: { TemporalChangeVersion: payload(['continue-as-new']) } },
      },
    },
    {
      eventType: 'EVENT_TYPE_WORKFLOW_EXECUTION_CONTINUED_AS_NEW',
      workflowExecutionContinuedAsNewEventAttributes: {
        workflowTaskCompletedEventId,
        newExecutionRunId: '00000000-0000-4000-8000-000000000000',
        workflowType: { name: 'deliverWebhook' },
        taskQueue: { name: 'webhooks' },
        input: first?.workflowExecutionStartedEventAttributes?.input,
      },
    },
  ];
  return [
    ...begun,
    ...added.map((event, nth) => ({ ...event, eventId: `${begun.length + nth + 1}`, eventTime: last?.eventTime })),
  ];
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
  /** What each came to. One worker replays all: another one for each would take half a second. */
  const results = new Map<string, ReplayResult>();
  beforeAll(async () => {
    const recorded = histories.map((name) => ({ workflowId: name, history: read(name) }));
    for await (const result of Worker.runReplayHistories({ workflowBundle: testWorkflowBundle() }, recorded))
      results.set(result.workflowId, result);
  });

  it.each(histories)('%s', (name) => {
    expect(results.get(name)).toMatchObject({ workflowId: name });
    expect(results.get(name)?.error).toBeUndefined();
  });

  it.each(inTraces)('%s, in a trace', async (name) => {
    const { sinks } = WITHOUT_TRACING;
    await Worker.runReplayHistory({ workflowBundle: testWorkflowBundle(), sinks }, traced(name));
  });

  it('a long history of deliverWebhook from before it continued as new', async () => {
    await Worker.runReplayHistory({ workflowBundle: testWorkflowBundle() }, suggested(read('deliver-webhook.json')));
  });

  it('a history of deliverWebhook that continues as new', async () => {
    const { events } = suggested(read('deliver-webhook.json'));
    await Worker.runReplayHistory({ workflowBundle: testWorkflowBundle() }, { events: continuedAsNew(events) });
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
