import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { seriesQuery } from '../../../api/outbound';
import { Chart } from '../../../ui/charts/chart';
import { Button, failureOf, Skeleton } from '../../../ui/parts';
import { Section } from '../../../ui/section';
import { useStoredFlag } from '../../../ui/stored-flag';
import { shownShortDay } from '../../../ui/times/moments';
import { shownMoment } from '../../../ui/times/time';
import { bucketsBetween, earlier, leastMs } from './buckets';

const SPANS = { hour: 'By the hour', day: 'By the day' } as const;
type Bucket = keyof typeof SPANS;
/** Days of the org may begin an hour off those of the browser where the one has changed its clocks. */
const HALF_MS: Record<Bucket, number> = { hour: 1_800_000, day: 43_200_000 };

/** What has become of the messages over time. */
export const Course = ({ id }: { id: string }) => {
  const [bucket, setBucket] = useState<Bucket>('day');
  const [isShown, toggle] = useStoredFlag('switchboard-course-shown');
  const series = useQuery({ ...seriesQuery(id, bucket), enabled: isShown });
  return (
    <Section
      title="Messages over time"
      actions={
        <>
          {isShown && (
            <select
              aria-label="Length of a bar"
              value={bucket}
              onChange={({ target }) => setBucket(target.value as Bucket)}
              className="h-8 rounded-md border border-line bg-surface px-1.5 hover:bg-hover"
            >
              {Object.entries(SPANS).map(([value, name]) => (
                <option key={value} value={value}>
                  {name}
                </option>
              ))}
            </select>
          )}
          <Button aria-expanded={isShown} onClick={toggle}>
            {isShown ? 'Hide' : 'Show'}
          </Button>
        </>
      }
    >
      {isShown && (
        <div className="p-4">
          {failureOf(series)}
          {series.isPending && <Skeleton rows={2} />}
          {series.data?.items.length === 0 && (
            <p className="text-quiet">Nothing was due in the last {bucket === 'day' ? '30' : '7'} days.</p>
          )}
          {series.data !== undefined && series.data.items.length > 0 && <Bars bucket={bucket} {...series.data} />}
        </div>
      )}
    </Section>
  );
};

interface BarsProps {
  bucket: Bucket;
  to: string;
  items: {
    at: string;
    waiting: number;
    sent: number;
    delivered: number;
    failed: number;
    skipped: number;
    unknown: number;
  }[];
}

const Bars = ({ bucket, to, items }: BarsProps) => {
  const first = items[0];
  if (first === undefined) return null;
  const begin = earlier(first.at, new Date(Date.parse(to) - leastMs(bucket)), bucket);
  const times = bucketsBetween(begin, to, bucket);
  const valuesOf = (count: (item: BarsProps['items'][number]) => number) =>
    times.map((time) => {
      const item = items.find(({ at }) => Math.abs(Date.parse(at) - Date.parse(time)) < HALF_MS[bucket]);
      return item === undefined ? 0 : count(item);
    });
  return (
    <Chart
      label="Messages over time, by what has become of them"
      times={times}
      shownTime={bucket === 'day' ? shownShortDay : shownMoment}
      series={[
        { name: 'delivered', tone: 'good', values: valuesOf(({ delivered }) => delivered) },
        { name: 'sent', tone: 'accent', values: valuesOf(({ sent, delivered }) => sent - delivered) },
        { name: 'failed', tone: 'bad', values: valuesOf(({ failed }) => failed) },
        { name: 'unknown', tone: 'warn', values: valuesOf(({ unknown }) => unknown) },
        { name: 'skipped', tone: 'quiet', values: valuesOf(({ skipped }) => skipped) },
        { name: 'waiting', tone: 'plain', values: valuesOf(({ waiting }) => waiting) },
      ]}
    />
  );
};
