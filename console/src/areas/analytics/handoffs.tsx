import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { LinkProps } from '@tanstack/react-router';
import { type AnalyticsSearch, handoffEventsQuery, handoffsQuery } from '../../api/analytics';
import type { Schemas } from '../../api/client';
import { ShortList } from '../../ui/lists/data-list';
import type { Column } from '../../ui/lists/data-row';
import { Chip, Empty, failureOf, Skeleton } from '../../ui/parts';
import { Section } from '../../ui/section';
import { Ago } from '../../ui/times/ago';
import { periodsOf, shownDate } from './days';
import { CopyCsv, FigureTable, type TableRow } from './figure-table';
import type { Figure } from './figures';
import { Plotted } from './plotted';
import { type Range, rangeBefore } from './range';
import { Tiles } from './tiles';

type Handoff = Schemas['HandoffEventPage']['items'][number];

const TOTALS: Figure[] = [
  { key: 'total_handoffs', name: 'Handoffs', kind: 'count', more: 'worse' },
  { key: 'total_sessions', name: 'Conversations', kind: 'count', more: 'worse' },
];
const COUNTED: Figure[] = [
  { key: 'count', name: 'Handoffs', kind: 'count' },
  { key: 'share', name: 'Share', kind: 'share' },
];

interface HandoffsProps {
  range: Range;
  zone: string;
  search: AnalyticsSearch;
}

/** Handoffs by reason, channel and sentiment, over time, and one by one. */
export const Handoffs = ({ range, zone, search }: HandoffsProps) => {
  const { channel, team: team_id, reason } = search;
  const filters = { from: range.from, to: range.to, channel, team_id };
  const earlier = rangeBefore(range, zone);
  const report = useQuery(handoffsQuery(filters));
  const before = useQuery(handoffsQuery({ ...filters, from: earlier.from, to: earlier.to }));
  const events = useInfiniteQuery(handoffEventsQuery(filters, reason));
  const failure = failureOf(report);
  if (report.data === undefined) return failure || <Skeleton rows={8} />;
  const { total_handoffs, total_sessions, reasons, channels, sentiments, trends } = report.data;
  const listOf = (chosen?: string): LinkProps => ({
    to: '/analytics',
    search: { ...search, reason: chosen },
    hash: 'list',
  });
  const items = new Map(trends.map(({ date, count }) => [date, { key: date, name: null, count }]));
  const tables: [title: string, rows: TableRow[]][] = [
    ['Reason', reasons.map((one) => rowOf(one.reason, one, listOf(one.reason)))],
    ['Channel', channels.map((one) => rowOf(one.channel, one))],
    ['Sentiment', sentiments.map((one) => rowOf(one.sentiment, one))],
  ];
  return (
    <>
      <Section title="Handoffs">
        {failure}
        <Tiles
          figures={TOTALS}
          totals={{ total_handoffs, total_sessions }}
          before={
            before.data && {
              total_handoffs: before.data.total_handoffs,
              total_sessions: before.data.total_sessions,
            }
          }
          linkOf={(figure) => (figure === 'total_handoffs' ? listOf() : undefined)}
        />
        <p className="px-4 pt-2 text-xs text-quiet">
          {shownDate(range.first)} to {shownDate(range.last)}, in the time zone {zone}. Compared with{' '}
          {shownDate(earlier.first)} to {shownDate(earlier.last)}.
        </p>
        {total_handoffs === 0 ? (
          <Empty title="No handoff in these days">The AI and people who asked for another one had none.</Empty>
        ) : (
          <Plotted
            label="Handoffs by day"
            days={periodsOf('day', range.first, range.last)}
            items={items}
            series={[{ key: 'count', name: 'handoffs', tone: 'accent' }]}
            isSpread={false}
            onPoint={() => {}}
          />
        )}
      </Section>
      {total_handoffs > 0 &&
        tables.map(([title, rows]) => (
          <Section
            key={title}
            title={`By ${title.toLowerCase()}`}
            actions={<CopyCsv group={title} figures={COUNTED} rows={rows} />}
          >
            <FigureTable label={`Handoffs by ${title.toLowerCase()}`} group={title} figures={COUNTED} rows={rows} />
          </Section>
        ))}
      <div id="list">
        <Section title={reason === undefined ? 'The handoffs' : `The handoffs: ${wordsOf(reason)}`}>
          <ShortList
            label="Handoffs"
            query={events}
            columns={COLUMNS}
            keyOf={({ id }) => id}
            linkOf={({ session_id }) => ({ to: '/s/$id', params: { id: session_id } })}
            empty={<Empty title="No handoff">None has the reason in these days.</Empty>}
          />
        </Section>
      </div>
    </>
  );
};

const rowOf = (
  code: string,
  { count, percentage }: { count: number; percentage: number },
  link?: LinkProps,
): TableRow => ({
  key: code,
  name: wordsOf(code),
  values: { count, share: percentage / 100 },
  linkOf: (figure) => (figure === 'count' ? link : undefined),
});

const wordsOf = (code: string): string => {
  const words = code.replaceAll('_', ' ');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
};

const COLUMNS: Column<Handoff>[] = [
  { name: 'Reason', track: 'minmax(0,1fr)', cell: ({ reasons }) => reasons.map(wordsOf).join(', ') },
  {
    name: 'Why',
    track: 'minmax(0,2fr)',
    narrow: 'line',
    cell: ({ summary, explanation }) => (
      <span className="block truncate text-quiet">{summary ?? explanation ?? '–'}</span>
    ),
  },
  { name: 'Sentiment', track: '6rem', cell: ({ sentiment }) => <Chip>{wordsOf(sentiment)}</Chip> },
  { name: 'Channel', track: '6rem', narrow: 'hidden', cell: ({ channel }) => wordsOf(channel) },
  { name: 'When', track: '6rem', isNumber: true, cell: ({ created_at }) => <Ago at={created_at} /> },
];
