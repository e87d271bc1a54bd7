import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { useMay } from '../../api/may';
import { meQuery } from '../../api/queries';
import { Page, PageBody, TAB, Tabs } from '../../ui/page';
import { Controls } from './controls';
import { SHOWN, type Shown } from './figures';
import { Handoffs } from './handoffs';
import { rangeIn } from './range';
import { Report } from './report';
import { Scores } from './scores';

const HANDOFFS = 'handoffs';
const PAGES: [id: string, title: string][] = [
  ...SHOWN.map(({ id, title }): [string, string] => [id, title]),
  [HANDOFFS, 'Handoffs'],
];
const BY_DAY = ['day'];

/** Numbers of the org over days of its time zone, each beside the one of the period before. */
export const Analytics = () => {
  const search = useSearch({ from: '/analytics' });
  const me = useQuery(meQuery).data;
  const mayReadScores = useMay('csat:read');
  const zone = me?.org.timezone ?? 'UTC';
  const range = rangeIn(search, zone);
  const shown: Shown | undefined = SHOWN.find(({ id }) => id === search.show);
  const report = shown ?? (search.show === HANDOFFS ? undefined : SHOWN[0]);
  const groups = report?.groups ?? BY_DAY;
  const by = groups.find((group) => group === search.by) ?? 'day';
  const { reason: _, ...kept } = search;
  const current = report?.id ?? HANDOFFS;
  const scored = { from: range.from, to: range.to, channel: search.channel, team_id: search.team };
  return (
    <Page
      title="Analytics"
      tabs={
        <Tabs label="Analytics">
          {PAGES.map(([id, title]) => (
            <Link
              key={id}
              to="/analytics"
              search={{ ...kept, show: id }}
              aria-current={id === current ? 'page' : false}
              activeProps={{ 'aria-current': id === current ? 'page' : undefined }}
              className={TAB}
            >
              {title}
            </Link>
          ))}
        </Tabs>
      }
    >
      <PageBody label="Report">
        <div className="mx-auto max-w-280 space-y-3">
          <Controls
            search={search}
            range={range}
            zone={zone}
            by={by}
            groups={groups}
            isOfSessions={report?.isOfSessions ?? true}
          />
          {me !== undefined && report !== undefined && (
            <Report key={report.id} shown={report} by={by} range={range} zone={zone} search={search} />
          )}
          {me !== undefined && report === undefined && <Handoffs range={range} zone={zone} search={search} />}
          {me !== undefined && report?.id === 'csat' && mayReadScores && <Scores {...scored} />}
        </div>
      </PageBody>
    </Page>
  );
};
