import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { operatorCall, outboxQuery, type ParkedEvent, parkedQuery } from '../../api/operator';
import { Button, Chip, Empty } from '../../ui/parts';
import { ShortId } from '../../ui/short-id';
import { Ago } from '../../ui/times/ago';
import { Numbers, Part, ROW } from './part';

/** A relay sends what waits within a second. */
const LATE_SECONDS = 60;
/** Rows are counted up to here. */
const MAX_COUNT = 10_000;
const counted = (count: number) => (count >= MAX_COUNT ? `${MAX_COUNT.toLocaleString()}+` : count);

/** What waits for the relay. */
export const Outbox = () => {
  const outbox = useQuery(outboxQuery);
  return (
    <Part
      title="Outbox"
      query={outbox}
      remedy="It grows while no worker of the queue interactive runs, or while Temporal is away: look at the queues. What waits is sent by itself afterwards."
    >
      {({ waiting, oldest_seconds, failing, parked, items }) => (
        <>
          <Numbers
            numbers={[
              { name: 'Waiting', value: counted(waiting) },
              {
                name: 'Oldest',
                value: oldest_seconds === null ? '–' : `${Math.round(oldest_seconds)} s`,
                isBad: (oldest_seconds ?? 0) > LATE_SECONDS,
              },
              { name: 'Failing', value: counted(failing), isBad: failing > 0 },
              { name: 'Parked', value: counted(parked), isBad: parked > 0 },
            ]}
          />
          <ul aria-label="Failing rows">
            {items.map(({ id, kind, type, attempts, reason, next_try_at, org_id }) => (
              <li key={id} className={ROW}>
                <span className="font-medium">{type}</span>
                <Chip>{kind}</Chip>
                <span className="text-quiet">
                  {attempts} attempts, next <Ago at={next_try_at} /> · org <ShortId id={org_id} />
                </span>
                {reason !== null && <p className="w-full [overflow-wrap:anywhere]">{reason}</p>}
              </li>
            ))}
          </ul>
        </>
      )}
    </Part>
  );
};

/** Events that ended the worker, and wait for the operator. */
export const Parked = () => {
  const parked = useQuery(parkedQuery);
  return (
    <Part
      title="Parked events"
      query={parked}
      remedy="Each try ended the worker. Find out why in the log of its end, mend it, then release the event."
    >
      {({ items, next }) =>
        items.length === 0 ? (
          <Empty title="No event is parked" />
        ) : (
          <ul aria-label="Parked events">
            {items.map((event) => (
              <ParkedRow key={event.id} event={event} />
            ))}
            {next !== null && <li className={ROW}>There are more: release these first.</li>}
          </ul>
        )
      }
    </Part>
  );
};

const ParkedRow = ({ event: { id, type, org_id, subject_id, created_at, reason } }: { event: ParkedEvent }) => {
  const client = useQueryClient();
  const release = useMutation({
    mutationFn: () => operatorCall('POST', `parked/${id}/release`),
    onSettled: () => client.invalidateQueries({ queryKey: ['operator'] }),
  });
  return (
    <li className={ROW}>
      <span className="font-medium">{type}</span>
      <span className="flex-1 text-quiet">
        of <ShortId id={subject_id} what="the id of the subject" /> · org <ShortId id={org_id} /> ·{' '}
        <Ago at={created_at} />
      </span>
      <Button disabled={release.isPending} aria-label={`Release event ${id}`} onClick={() => release.mutate()}>
        Release
      </Button>
      {reason !== null && <p className="w-full [overflow-wrap:anywhere]">{reason}</p>}
      {release.error !== null && (
        <p role="alert" className="w-full text-bad-text">
          {release.error.message}
        </p>
      )}
    </li>
  );
};
