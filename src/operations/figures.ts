import { Gauge, type Registry } from 'prom-client';
import type { Db } from '../db/connect.ts';
import { ChannelName } from '../deliveries/ledger/schema.ts';
import { type Figures, readFigures } from './figures.queries.ts';
import { readOnceIn } from './scraped.ts';

/** The database is asked once in this time. */
const MAX_AGE_MS = 10_000;

/** The gauges with one number. */
const NUMBERS: [name: string, help: string, pick: (figures: Figures) => number][] = [
  [
    'switchboard_outbox_rows',
    'Events and workflow starts that wait for a relay, at most 1,000,000 counted',
    (figures) => figures.outbox_rows,
  ],
  [
    'switchboard_outbox_oldest_seconds',
    'Age of the first event or workflow start that waits for a relay; 0 if none waits',
    (figures) => figures.outbox_oldest_seconds ?? 0,
  ],
  [
    'switchboard_parked_events',
    'Events that ended processes and wait for an operator',
    (figures) => figures.parked_events,
  ],
];

type NamedFigures = {
  [Name in keyof Figures]: Figures[Name] extends unknown[] ? Name : never;
}[keyof Figures];

interface NamedGauge {
  name: string;
  help: string;
  label: string;
  /** The values of the label. Each has a number, even if it is 0. */
  values: string[];
  figure: NamedFigures;
}

const NAMED: NamedGauge[] = [
  {
    name: 'switchboard_sequences_paused',
    help: 'Sequences paused by a person, or by a problem that paused_reason names',
    label: 'by',
    values: ['person', 'problem'],
    figure: 'paused_sequences',
  },
  {
    name: 'switchboard_deliveries_unknown',
    help: 'Messages whose send had no answer: they may have gone out or not',
    label: 'channel',
    values: ChannelName.options,
    figure: 'unknown_deliveries',
  },
  {
    name: 'switchboard_runs_failed_recently',
    help: 'Runs that failed in the last 10 minutes',
    label: 'kind',
    values: ['workflow', 'crawl'],
    figure: 'failed_runs',
  },
  {
    name: 'switchboard_sla_breaches_recently',
    help: 'SLA clocks that ended in a breach in the last 10 minutes',
    label: 'metric',
    values: ['first_reply', 'next_reply', 'resolution'],
    figure: 'sla_breaches',
  },
  {
    name: 'switchboard_due_work',
    help: 'Subjects whose SLA clock, assignment, embedding or insights are to be computed',
    label: 'kind',
    values: ['sla', 'assignment', 'embedding', 'insight-extraction'],
    figure: 'due_work',
  },
  {
    name: 'switchboard_ai_turns',
    help: 'Answers of the AI that have not ended',
    label: 'state',
    values: ['waiting', 'running'],
    figure: 'waiting_turns',
  },
  {
    name: 'switchboard_inbound_oldest_seconds',
    help: 'Age of the first received mail or event of the CRM that is not processed; 0 if none waits',
    label: 'source',
    values: ['crm', 'email'],
    figure: 'inbound_oldest_seconds',
  },
];

/**
 * Adds the figures of the whole installation to the metrics. While they cannot be read they are not numbers, and the
 * metrics of the process are served all the same.
 */
export function addFigures(registry: Registry, db: Db): void {
  const read = readOnceIn(MAX_AGE_MS, () => readFigures(db));
  for (const [name, help, pick] of NUMBERS)
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        const figures = await read();
        this.set(figures === undefined ? Number.NaN : pick(figures));
      },
    });
  for (const { name, help, label, values, figure } of NAMED)
    new Gauge({
      name,
      help,
      labelNames: [label],
      registers: [registry],
      async collect() {
        const figures = await read();
        for (const value of values) {
          const count = figures?.[figure].find((one) => one.name === value)?.count ?? 0;
          this.set({ [label]: value }, figures === undefined ? Number.NaN : count);
        }
      },
    });
}
