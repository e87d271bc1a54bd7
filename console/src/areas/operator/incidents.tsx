import { useQuery } from '@tanstack/react-query';
import { incidentsQuery } from '../../api/operator';
import { Chip, Empty } from '../../ui/parts';
import { ShortId } from '../../ui/short-id';
import { Ago } from '../../ui/times/ago';
import { Part, ROW } from './part';
import { INCIDENTS } from './words';

const UUID_LENGTH = 36;

/** The open incidents, with their remedies. */
export const Incidents = () => {
  const incidents = useQuery(incidentsQuery);
  return (
    <Part title="What needs a person" query={incidents}>
      {({ items }) =>
        items.length === 0 ? (
          <Empty title="Nothing">
            No connection, webhook, sequence, domain or crawl of any organization needs a person.
          </Empty>
        ) : (
          <ul aria-label="Incidents">
            {items.map(({ kind, org_id, ref, since, count, reason }) => (
              <li key={`${kind} ${org_id} ${ref}`} className={ROW}>
                <span className="font-medium">{INCIDENTS[kind]?.title ?? kind}</span>
                {count > 1 && <Chip tone="warn">{count}</Chip>}
                <span className="min-w-0 text-quiet [overflow-wrap:anywhere]">
                  {ref.length === UUID_LENGTH ? <ShortId id={ref} what="the id of the object" /> : ref} · org{' '}
                  <ShortId id={org_id} what="the id of the organization" />
                </span>
                {since !== null && <Ago at={since} className="text-quiet" />}
                {reason !== null && <p className="w-full [overflow-wrap:anywhere]">{reason}</p>}
                <p className="w-full text-xs text-quiet">{INCIDENTS[kind]?.remedy}</p>
              </li>
            ))}
          </ul>
        )
      }
    </Part>
  );
};
