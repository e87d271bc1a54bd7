import { useQuery } from '@tanstack/react-query';
import { actionsQuery } from '../../api/operator';
import { Empty } from '../../ui/parts';
import { Ago } from '../../ui/times/ago';
import { Part, ROW } from './part';
import { ACTIONS } from './words';

/** The actions of operators, with their names. */
export const Actions = () => {
  const actions = useQuery(actionsQuery);
  return (
    <Part
      title="What operators did"
      query={actions}
      remedy="The last 20. Programs read all of them at /operator/v1/actions."
    >
      {({ items }) =>
        items.length === 0 ? (
          <Empty title="Nothing yet" />
        ) : (
          <ul aria-label="What operators did">
            {items.map(({ id, at, operator, action, ref, detail }) => (
              <li key={id} className={ROW}>
                <span className="font-medium">{ACTIONS[action] ?? action}</span>
                <span className="min-w-0 text-quiet [overflow-wrap:anywhere]">
                  {[ref, detail].filter((part) => part !== null).join(' · ')}
                </span>
                <span className="ml-auto text-quiet">
                  {operator.name ?? 'command line'} · <Ago at={at} />
                </span>
              </li>
            ))}
          </ul>
        )
      }
    </Part>
  );
};
