import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { failureOf, Skeleton } from '../../ui/parts';
import { Section } from '../../ui/section';

interface PartProps<Data> {
  title: string;
  /** What to do when it is not as it should be. */
  remedy?: string;
  query: UseQueryResult<Data>;
  children: (data: Data) => ReactNode;
}

/** A part of the page that is read, and fails, by itself. */
export const Part = <Data,>({ title, remedy, query, children }: PartProps<Data>) => (
  <Section title={title} className="min-w-0">
    {query.isPending && <Skeleton rows={2} />}
    {failureOf(query)}
    {query.data !== undefined && children(query.data)}
    {remedy !== undefined && <p className="border-t border-line px-4 py-2 text-xs text-quiet">{remedy}</p>}
  </Section>
);

interface NumberProps {
  name: string;
  value: string | number;
  isBad?: boolean;
}

/** Numbers under their names. A bad one says so by a word too. */
export const Numbers = ({ numbers }: { numbers: NumberProps[] }) => (
  <dl className="grid grid-cols-2 gap-3 px-4 py-3 min-[480px]:grid-cols-4">
    {numbers.map(({ name, value, isBad }) => (
      <div key={name}>
        <dt className="text-xs text-quiet">{name}</dt>
        <dd className={`text-lg font-semibold tabular-nums ${isBad === true ? 'text-bad-text' : ''}`}>
          {value}
          {isBad === true && <span className="ml-1 text-xs font-medium">look</span>}
        </dd>
      </div>
    ))}
  </dl>
);

export const ROW = 'flex flex-wrap items-baseline gap-x-3 gap-y-1 border-t border-line px-4 py-2';

/** A link to a page that is not of the console. */
export const Outside = ({ url, children }: { url: string; children: ReactNode }) => (
  <a href={url} target="_blank" rel="noopener noreferrer" className="text-link hover:underline">
    {children}
  </a>
);
