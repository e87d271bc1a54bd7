import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useMay } from '../../api/may';
import { dayReportQuery, longestWaitingQuery } from '../../api/overview';
import { countsQuery } from '../../api/queries';
import { takeDestination } from '../../app/sign-in-elsewhere';
import { Page, PageBody } from '../../ui/page';
import { Empty, failureOf, Skeleton } from '../../ui/parts';
import { Section } from '../../ui/section';
import { shownSince, useTick } from '../../ui/times/time';
import { AttentionList } from './attention';

const TICK_MS = 30_000;
const VIEWS = [
  ['mine', 'Mine'],
  ['waiting', 'Waiting for a person'],
  ['breaching', 'Close to a breach of the SLA, or beyond'],
  ['unassigned', 'Unassigned'],
] as const;

/** The work of all areas that waits for a person. A sign-in leads here, or to the page asked for before. */
export const Home = () => {
  const mayReadReports = useMay('insights:read');
  const navigate = useNavigate();
  useTick(TICK_MS);
  useEffect(() => {
    const destination = takeDestination();
    if (destination !== undefined) void navigate({ href: destination, replace: true });
  }, [navigate]);
  return (
    <Page title="Home">
      <PageBody label="Home">
        <div className="grid items-start gap-3 min-[1100px]:grid-cols-[minmax(0,1fr)_22rem]">
          <AttentionList />
          <div className="grid min-w-0 gap-3">
            <Counts />
            <LongestWaiting />
            {mayReadReports && <LastDay />}
          </div>
        </div>
      </PageBody>
    </Page>
  );
};

const ROW = 'flex items-baseline gap-3 px-4 py-2 hover:bg-hover';

const Counts = () => {
  const query = useQuery(countsQuery(VIEWS.map(([id]) => id)));
  return (
    <Section title="Open conversations">
      {failureOf(query)}
      {query.isPending && <Skeleton rows={2} />}
      <ul>
        {query.data !== undefined &&
          VIEWS.map(([view, name]) => (
            <li key={view}>
              <Link to="/inbox" search={{ view }} className={ROW}>
                <span className="min-w-0 flex-1">{name}</span>
                <span className="tabular-nums">{shownCount(query.data.counts[view]?.total ?? 0)}</span>
              </Link>
            </li>
          ))}
      </ul>
    </Section>
  );
};

const shownCount = (count: number) => (count === 1_000 ? '1,000+' : count.toLocaleString());

const LongestWaiting = () => {
  const query = useQuery(longestWaitingQuery);
  return (
    <Section title="Waiting longest">
      {failureOf(query)}
      {query.isPending && <Skeleton rows={2} />}
      {query.data?.items.length === 0 && <Empty title="Nobody waits" />}
      <ul aria-label="Waiting longest">
        {query.data?.items.map(({ id, contact, ticket_number, waiting_since }) => (
          <li key={id}>
            <Link to="/s/$id" params={{ id }} search={{ view: 'waiting' }} className={ROW}>
              <span className="min-w-0 flex-1 truncate">{contact?.name || contact?.email || `#${ticket_number}`}</span>
              {waiting_since !== null && <span className="text-quiet">{shownSince(waiting_since)}</span>}
            </Link>
          </li>
        ))}
      </ul>
    </Section>
  );
};

const LastDay = () => {
  const query = useQuery(dayReportQuery);
  const totals = query.data;
  return (
    <Section title="Opened in the last 24 hours">
      {failureOf(query)}
      {query.isPending && <Skeleton rows={2} />}
      {totals != null && (
        <dl className="divide-y divide-line">
          {FIGURES.map(([name, label]) => (
            <div key={name} className="flex items-baseline gap-3 px-4 py-2">
              <dt className="flex-1">{label}</dt>
              <dd className="tabular-nums">{totals[name]?.toLocaleString() ?? '–'}</dd>
            </div>
          ))}
        </dl>
      )}
    </Section>
  );
};

const FIGURES = [
  ['sessions', 'Conversations'],
  ['resolved', 'Resolved'],
  ['handed_off', 'Handed off'],
] as const;
