import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { AnalyticsSearch } from '../../api/analytics';
import { teamsQuery } from '../../api/queries';
import { CHANNEL_CHOICES } from '../../ui/channels';
import { FIELD, Field, Select } from '../../ui/forms/fields';
import { daysOf } from './days';
import { GROUP_NAMES } from './figures';
import { lastDays, type Range } from './range';

const PRESETS = [7, 30, 90, 365];
const CHANNELS: [string, string][] = [['', 'All'], ...CHANNEL_CHOICES];

interface ControlsProps {
  search: AnalyticsSearch;
  range: Range;
  zone: string;
  by: string;
  groups: readonly string[];
  isOfSessions: boolean;
}

/** The range, the grouping and the filters of a report. All of them are in the address. */
export const Controls = ({ search, range, zone, by, groups, isOfSessions }: ControlsProps) => {
  const navigate = useNavigate();
  const teams = useQuery(teamsQuery).data ?? [];
  const go = (changes: AnalyticsSearch) =>
    void navigate({ to: '/analytics', search: { ...search, ...changes }, replace: true });
  const days = daysOf(range.first, range.last);
  const preset = PRESETS.find((one) => one === days && lastDays(one, zone).to === range.last);
  return (
    <div className="grid grid-cols-2 gap-2 min-[900px]:grid-cols-6">
      <Select
        label="Range"
        value={preset === undefined ? '' : String(preset)}
        options={[
          ...(preset === undefined ? [['', 'Other days'] as const] : []),
          ...PRESETS.map((one) => [String(one), one === 365 ? 'A year' : `${one} days`] as const),
        ]}
        onChoose={(value) => value !== '' && go(lastDays(Number(value), zone))}
      />
      <Field label="From">
        <input
          type="date"
          value={range.first}
          max={range.last}
          onChange={({ target }) => target.value !== '' && go({ from: target.value, to: range.last })}
          className={FIELD}
        />
      </Field>
      <Field label="To">
        <input
          type="date"
          value={range.last}
          min={range.first}
          onChange={({ target }) => target.value !== '' && go({ from: range.first, to: target.value })}
          className={FIELD}
        />
      </Field>
      {groups.length > 1 && (
        <Select
          label="By"
          value={by}
          options={groups.map((group): [string, string] => [group, GROUP_NAMES[group] ?? group])}
          onChoose={(value) => go({ by: value })}
        />
      )}
      {isOfSessions && (
        <>
          <Select
            label="Channel"
            value={search.channel ?? ''}
            options={CHANNELS}
            onChoose={(value) => go({ channel: value || undefined })}
          />
          <Select
            label="Team"
            value={search.team ?? ''}
            options={[['', 'All'], ...teams.map(({ id, name }): [string, string] => [id, name])]}
            onChoose={(value) => go({ team: value || undefined })}
          />
        </>
      )}
    </div>
  );
};
