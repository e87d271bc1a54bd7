import { useMutation, useQuery } from '@tanstack/react-query';
import { type Mismatch, type OperatorState, operatorCall, type QueueState, queuesQuery } from '../../api/operator';
import { Button, Chip, Empty } from '../../ui/parts';
import { Section } from '../../ui/section';
import { ShortId } from '../../ui/short-id';
import { Outside, Part, ROW } from './part';

/** The pollers of each queue, and its waiting tasks. */
export const Queues = () => {
  const queues = useQuery(queuesQuery);
  return (
    <Part
      title="Workers and queues"
      query={queues}
      remedy="A queue without a worker does nothing: start one with WORKER_QUEUES. A backlog that grows wants more workers."
    >
      {({ state, items }) =>
        state === 'away' ? (
          <Empty title="Temporal is away">What is accepted waits in the outbox until it is back.</Empty>
        ) : (
          <ul aria-label="Queues">
            {items.map((queue) => (
              <Queue key={`${queue.queue} ${queue.tasks}`} queue={queue} />
            ))}
          </ul>
        )
      }
    </Part>
  );
};

const Queue = ({ queue: { queue, tasks, pollers, backlog, backlog_age_seconds, url } }: { queue: QueueState }) => (
  <li className={ROW}>
    <span className="font-medium">{url === null ? queue : <Outside url={url}>{queue}</Outside>}</span>
    <span className="flex-1 text-quiet">{tasks} tasks</span>
    {pollers.length === 0 ? (
      <Chip tone="bad">no worker</Chip>
    ) : (
      <span title={pollers.map(({ identity }) => identity).join('\n')}>
        {pollers.length} {pollers.length === 1 ? 'worker' : 'workers'}
      </span>
    )}
    <span className="tabular-nums">
      {backlog} waiting{backlog > 0 && `, ${Math.round(backlog_age_seconds)} s`}
    </span>
  </li>
);

/** Compares the rows that wait for a workflow with Temporal, and mends nothing. */
export const Reconcile = () => {
  const compare = useMutation({
    mutationFn: () => operatorCall<{ items: Mismatch[]; left_out: number }>('POST', 'reconcile', { dry_run: true }),
  });
  return (
    <Section
      title="Lost workflows"
      actions={
        <Button disabled={compare.isPending} onClick={() => compare.mutate()}>
          {compare.isPending ? 'Comparing' : 'Compare with Temporal'}
        </Button>
      }
    >
      <div role="status">
        {compare.error !== null && <p className="px-4 py-2 text-bad-text">{compare.error.message}</p>}
        {compare.data?.items.length === 0 && <p className="px-4 py-2">Every row that waits has its workflow.</p>}
      </div>
      <ul aria-label="Lost workflows">
        {compare.data?.items.map(({ kind, id, org_id, temporal, url }) => (
          <li key={`${kind} ${id}`} className={ROW}>
            <span className="font-medium">{url === null ? kind : <Outside url={url}>{kind}</Outside>}</span>
            <span className="text-quiet">
              <ShortId id={id} /> · org <ShortId id={org_id} /> · {temporal} in Temporal
            </span>
          </li>
        ))}
      </ul>
      <p className="border-t border-line px-4 py-2 text-xs text-quiet">
        It changes nothing. <code className="font-mono">npm run cli -- repair</code> starts what is lost again; every
        worker does so by itself too.
      </p>
    </Section>
  );
};

/** The running workflows of each kind. */
export const TemporalLinks = ({ links }: { links: OperatorState['links'] }) => (
  <Section title="Temporal UI">
    {links.length === 0 ? (
      <p className="px-4 py-3 text-quiet">
        Set TEMPORAL_UI_URL to its address, and links to running workflows appear here.
      </p>
    ) : (
      <ul className="flex flex-wrap gap-x-3 gap-y-2 px-4 py-3">
        {links.map(({ kind, url }) => (
          <li key={kind}>
            <Outside url={url}>{kind}</Outside>
          </li>
        ))}
      </ul>
    )}
  </Section>
);
