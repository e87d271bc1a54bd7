import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { settingsQuery, type UsageGroup, usageQuery } from '../../../api/ai';
import type { Schemas } from '../../../api/client';
import { Chart } from '../../../ui/charts/chart';
import { Select } from '../../../ui/forms/fields';
import { Page, PageBody } from '../../../ui/page';
import { Empty, Failure, failureOf, Skeleton } from '../../../ui/parts';
import { Section } from '../../../ui/section';
import { shownShortDay } from '../../../ui/times/moments';
import { AiTabs } from '../tabs';
import { shownCode } from '../words';

type Item = Schemas['AutopilotUsageItem'];

/** Purposes that have another name on the pages. */
const PURPOSES: Record<string, string> = { eval: 'Test questions', plan: 'What to do next' };

const GROUPS = [
  ['model', 'Model'],
  ['purpose', 'Purpose'],
] as const;
const RANGES = [
  ['7', '7 days'],
  ['30', '30 days'],
  ['90', '90 days'],
] as const;
const DEFAULT_DAYS = '30';

/** Requests to models with their cost, and the used part of the budgets. */
export const Usage = () => {
  const search = useSearch({ from: '/ai/usage' });
  const navigate = useNavigate();
  const days = RANGES.find(([value]) => value === search.days)?.[0] ?? DEFAULT_DAYS;
  const group = GROUPS.find(([value]) => value === search.group)?.[0] ?? 'model';
  const byDay = useQuery(usageQuery('day', Number(days)));
  const go = (changes: typeof search) =>
    void navigate({ to: '/ai/usage', search: { ...search, ...changes }, replace: true });
  return (
    <Page title="AI" tabs={<AiTabs />}>
      <PageBody label="Usage">
        <div className="mx-auto max-w-220 space-y-3">
          <Budgets />
          <Section title="Tokens by day">
            <div className="p-4">
              <div className="mb-3 w-40">
                <Select label="Of the last" value={days} options={RANGES} onChoose={(value) => go({ days: value })} />
              </div>
              {byDay.isPending && <Skeleton rows={4} />}
              {failureOf(byDay)}
              {byDay.data !== undefined && <Days items={byDay.data.items} />}
            </div>
          </Section>
          <Section title="What was asked">
            <div className="p-4">
              <div className="mb-3 w-40">
                <Select label="By" value={group} options={GROUPS} onChoose={(value) => go({ group: value })} />
              </div>
              <Groups group={group} days={Number(days)} />
            </div>
          </Section>
        </div>
      </PageBody>
    </Page>
  );
};

const Days = ({ items }: { items: Item[] }) =>
  items.length === 0 ? (
    <Empty title="No model was asked">In these days the AI asked none.</Empty>
  ) : (
    <Chart
      label="Tokens by day"
      times={items.map(({ group }) => `${group}T00:00:00.000Z`)}
      series={[
        { name: 'read', tone: 'accent', values: items.map(({ input, cached }) => input - cached) },
        { name: 'read from the cache', tone: 'plain', values: items.map(({ cached }) => cached) },
        { name: 'written', tone: 'good', values: items.map(({ output }) => output) },
      ]}
      shownTime={shownShortDay}
    />
  );

const Groups = ({ group, days }: { group: UsageGroup; days: number }) => {
  const usage = useQuery(usageQuery(group, days));
  const failure = failureOf(usage);
  if (usage.data === undefined) return failure || <Skeleton rows={3} />;
  if (usage.data.items.length === 0) return <Empty title="Nothing">No model was asked.</Empty>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard scrolls it only where it has the focus
    <section tabIndex={0} aria-label="Usage by group" className="overflow-x-auto">
      {failure}
      <table className="w-full tabular-nums">
        <thead className="text-xs text-quiet">
          <tr>
            {['', 'Questions', 'Failed', 'Tokens read', 'Tokens written', 'Cost'].map((name) => (
              <th key={name} className="px-2 py-1 text-right font-normal first:text-left">
                {name || <span className="sr-only">Group</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {usage.data.items.map((item) => (
            <tr key={item.group} className="border-t border-line">
              <th scope="row" className="px-2 py-1 text-left font-normal">
                {group === 'purpose' ? (PURPOSES[item.group] ?? shownCode(item.group)) : item.group}
              </th>
              {[item.calls, item.failed_calls, item.input, item.output].map((count, n) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: columns keep their places
                <td key={n} className="px-2 py-1 text-right">
                  {count.toLocaleString()}
                </td>
              ))}
              <td className="px-2 py-1 text-right">{item.cost.toFixed(2)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
};

const sumOf = (items: Item[]) => ({
  tokens: items.reduce((sum, { input, output }) => sum + input + output, 0),
  cost: items.reduce((sum, { cost }) => sum + cost, 0),
});

/** What is used of the budgets of the day and the month, in UTC as the API counts them. */
const Budgets = () => {
  const settings = useQuery(settingsQuery);
  const today = new Date();
  const used = { day: useQuery(usageQuery('day', 1)), month: useQuery(usageQuery('day', today.getUTCDate())) };
  const unread = [used.day, used.month].find(({ error }) => error !== null);
  const budgets = settings.data?.published.budgets;
  const rows = (['day', 'month'] as const).flatMap((period) =>
    (['tokens', 'cost'] as const).flatMap((unit) => {
      const limit = budgets?.[period]?.[unit];
      return limit === undefined ? [] : [{ period, unit, limit }];
    }),
  );
  return (
    <Section title="Budgets">
      <div className="space-y-3 p-4">
        {settings.isPending && <Skeleton rows={2} />}
        {failureOf(settings)}
        {settings.data !== undefined && rows.length === 0 && (
          <p className="text-quiet">
            No budget of a day or a month is set.{' '}
            <Link to="/ai/settings" className="text-link underline">
              Settings
            </Link>
          </p>
        )}
        {rows.length > 0 && unread?.error != null && (
          <Failure error={unread.error} onRetry={() => void Promise.all([used.day.refetch(), used.month.refetch()])} />
        )}
        {rows.map(({ period, unit, limit }) => {
          const { data, error } = used[period];
          const missing = error === null ? '…' : 'unknown';
          const amount = data === undefined ? undefined : sumOf(data.items)[unit];
          return (
            <div key={`${period} ${unit}`}>
              <p className={amount !== undefined && amount >= limit ? 'text-bad-text' : ''}>
                {period === 'day' ? 'Today' : 'This month'}: {amount === undefined ? missing : shown(amount, unit)} of{' '}
                {shown(limit, unit)} {unit === 'tokens' ? 'tokens' : 'cost'}
                {amount !== undefined && amount >= limit && ', used up'}
              </p>
              <meter
                aria-label={`${period} ${unit}`}
                min={0}
                max={limit}
                value={Math.min(amount ?? 0, limit)}
                className="block h-3 w-full"
              />
            </div>
          );
        })}
      </div>
    </Section>
  );
};

const shown = (amount: number, unit: 'tokens' | 'cost'): string =>
  unit === 'tokens' ? amount.toLocaleString() : amount.toFixed(2);
