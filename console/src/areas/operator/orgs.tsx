import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { limitsQuery, type OrgCounts, orgsQuery, providersQuery } from '../../api/operator';
import { ShortList } from '../../ui/lists/data-list';
import type { Column } from '../../ui/lists/data-row';
import { Chip, Empty } from '../../ui/parts';
import { Section } from '../../ui/section';
import { Part, ROW } from './part';
import { LIMITS } from './words';

const MAX_COUNT = 1_000;

/** All organizations with what they have. */
export const Orgs = () => (
  <Section title="Organizations">
    <ShortList
      label="Organizations"
      query={useInfiniteQuery(orgsQuery)}
      columns={COLUMNS}
      keyOf={({ id }) => id}
      empty={<Empty title="No organization">A partner makes the first one.</Empty>}
    />
  </Section>
);

const counted = (name: string, of: (org: OrgCounts) => number): Column<OrgCounts> => ({
  name,
  track: '6rem',
  isNumber: true,
  cell: (org) => (
    <>
      <span className="text-quiet min-[900px]:hidden">{name} </span>
      {of(org) >= MAX_COUNT ? `${MAX_COUNT}+` : of(org)}
    </>
  ),
});

const COLUMNS: Column<OrgCounts>[] = [
  {
    name: 'Name',
    track: 'minmax(0,1fr)',
    narrow: 'line',
    cell: ({ name }) => <span className="block truncate font-medium">{name}</span>,
  },
  counted('Members', ({ members }) => members),
  counted('Contacts', ({ contacts }) => contacts),
  counted('Open', ({ open_sessions }) => open_sessions),
  counted('Sequences', ({ active_sequences }) => active_sequences),
  counted('Workflows', ({ active_workflows }) => active_workflows),
  counted('Outbox', ({ outbox }) => outbox),
];

/** Who has reached a limit. */
export const Limits = () => {
  const limits = useQuery(limitsQuery);
  return (
    <Part title="Limits reached" query={limits}>
      {({ items }) =>
        items.length === 0 ? (
          <Empty title="None" />
        ) : (
          <ul aria-label="Limits reached">
            {items.map(({ kind, owner, used, limit }) => (
              <li key={`${kind} ${owner}`} className={ROW}>
                <span className="font-medium">{LIMITS[kind]?.title ?? kind}</span>
                <span className="text-quiet [overflow-wrap:anywhere]">{owner}</span>
                {used !== null && (
                  <span className="tabular-nums">
                    {used.toLocaleString()}
                    {limit !== null && ` of ${limit.toLocaleString()}`}
                  </span>
                )}
                <p className="w-full text-xs text-quiet">{LIMITS[kind]?.remedy}</p>
              </li>
            ))}
          </ul>
        )
      }
    </Part>
  );
};

/** How many connections to each provider work. */
export const Providers = () => {
  const providers = useQuery(providersQuery);
  return (
    <Part
      title="Providers"
      query={providers}
      remedy="If one fails for most organizations, the provider itself is away."
    >
      {({ items }) =>
        items.length === 0 ? (
          <Empty title="No connection" />
        ) : (
          <ul aria-label="Providers">
            {items.map(({ kind, provider, connected, failing }) => (
              <li key={`${kind} ${provider}`} className={ROW}>
                <span className="flex-1 font-medium">
                  {provider} <span className="font-normal text-quiet">{kind}</span>
                </span>
                <span>{connected} connected</span>
                {failing > 0 && <Chip tone="bad">{failing} failing</Chip>}
              </li>
            ))}
          </ul>
        )
      }
    </Part>
  );
};
