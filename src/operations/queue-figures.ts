import { Gauge, type Registry } from 'prom-client';
import type { TemporalHealth } from '../temporal/client.ts';
import { QUEUED_TASKS, type QueueState } from '../temporal/queues.ts';
import { readOnceIn } from './scraped.ts';

/** A reading is one call of Temporal for the tasks of each queue and kind. */
const MAX_AGE_MS = 10_000;

const GAUGES: [name: string, help: string, pick: (state: QueueState) => number][] = [
  ['switchboard_queue_tasks', 'Tasks of Temporal that wait for a worker, about', ({ backlog }) => backlog],
  [
    'switchboard_queue_oldest_seconds',
    'Age of the first task that waits for a worker; 0 if none waits',
    ({ backlog_age_seconds }) => backlog_age_seconds,
  ],
  [
    'switchboard_queue_dispatched_per_second',
    'Tasks that workers were given in the last half a minute, a second',
    ({ dispatched_per_second }) => dispatched_per_second,
  ],
];

/**
 * Adds what waits in the queues of Temporal, also where no worker can say so. While Temporal is away these are not
 * numbers, and the other metrics are served all the same.
 */
export function addQueueFigures(registry: Registry, temporal: Pick<TemporalHealth, 'describeQueues'>): void {
  const read = readOnceIn(MAX_AGE_MS, () => temporal.describeQueues());
  for (const [name, help, pick] of GAUGES)
    new Gauge({
      name,
      help,
      labelNames: ['queue', 'tasks'] as const,
      registers: [registry],
      async collect() {
        const states = await read();
        for (const { queue, tasks } of QUEUED_TASKS) {
          const state = states?.find((one) => one.queue === queue && one.tasks === tasks);
          this.set({ queue, tasks }, state === undefined ? Number.NaN : pick(state));
        }
      },
    });
}
