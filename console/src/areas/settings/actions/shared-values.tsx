import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf, type Schemas } from '../../../api/client';
import { useMay } from '../../../api/may';
import { orgSettingsQuery } from '../../../api/settings';
import { headersIn, linesOf, type Specs, type Written } from '../../../ui/forms/spec';
import { Button, Failure } from '../../../ui/parts';
import { Section } from '../../../ui/section';
import { SpecDialog } from '../frame/spec-dialog';
import { useChange } from '../frame/use-change';

type Values = NonNullable<Schemas['OrganizationSettingsAnswer']['http_action_overrides']>;
const GROUPS = ['headers', 'query_params', 'path_params', 'body_params'] as const;
type Group = (typeof GROUPS)[number];

const NAMES: Record<Group, string> = {
  headers: 'Headers',
  query_params: 'Values of the query',
  path_params: 'Values of the path',
  body_params: 'Values of the body',
};

const SPECS: Specs = {
  hosts: {
    kind: 'lines',
    label: 'Sent to these hosts alone, one a line',
    rows: 2,
    hint: 'Such as https://api.example.com',
  },
  headers: { kind: 'lines', label: 'Headers, one a line: Authorization: Bearer …', rows: 2 },
  query_params: { kind: 'lines', label: 'Values of the query, one a line: key: …', rows: 2 },
  path_params: { kind: 'lines', label: 'Values of the path, one a line: shop: …', rows: 1 },
  body_params: {
    kind: 'lines',
    label: 'Values of the body, one a line: key: …',
    rows: 1,
    hint: 'Stored values are shown as ***. A line that stays as it is keeps its value.',
  },
};

/** Keys and other values that actions send with each call, hidden from the AI and from everybody else. */
export const SharedValues = () => {
  const maySee = useMay('org:read');
  return maySee ? <Shown /> : null;
};

const Shown = () => {
  const settings = useQuery(orgSettingsQuery);
  const mayWrite = useMay('org:write');
  const [isChanged, change] = useState(false);
  if (settings.error !== null) return <Failure error={settings.error} onRetry={() => void settings.refetch()} />;
  if (settings.data === undefined) return null;
  const values = settings.data.http_action_overrides;
  return (
    <Section
      title="Keys and other shared values"
      actions={mayWrite && <Button onClick={() => change(true)}>Change the values</Button>}
    >
      <div className="space-y-1 p-4">
        {values === null ? (
          <p className="text-quiet">None. Keys that actions need are set here, not in an action.</p>
        ) : (
          <>
            <p className="break-words">Sent to {(values.hosts ?? []).join(', ')}</p>
            {GROUPS.map((group) => {
              const names = Object.keys(values[group] ?? {});
              return (
                names.length > 0 && (
                  <p key={group} className="break-words text-quiet">
                    {NAMES[group]}: {names.join(', ')}
                  </p>
                )
              );
            })}
          </>
        )}
      </div>
      {isChanged && <ValuesDialog values={values ?? {}} onClose={() => change(false)} />}
    </Section>
  );
};

const linesFor = (group: Record<string, string> | undefined): string[] =>
  Object.entries(group ?? {}).map(([name, value]) => `${name}: ${value}`);

/** Returns what is sent, or null where nothing is left. */
function valuesIn(written: Written): Values | null {
  const groups = GROUPS.map((group) => [group, headersIn(String(written[group] ?? ''))] as const).filter(
    ([, values]) => Object.keys(values).length > 0,
  );
  return groups.length === 0 ? null : { hosts: linesOf(String(written.hosts ?? '')), ...Object.fromEntries(groups) };
}

const ValuesDialog = ({ values, onClose }: { values: Values; onClose: () => void }) => {
  const save = useChange(
    (http_action_overrides: Values | null) => dataOf(api.PATCH('/org/settings', { body: { http_action_overrides } })),
    { stale: [orgSettingsQuery.queryKey], says: 'Saved' },
  );
  const stored = {
    hosts: values.hosts ?? [],
    ...Object.fromEntries(GROUPS.map((group) => [group, linesFor(values[group])])),
  };
  return (
    <SpecDialog
      title="Keys and other shared values"
      action="Save"
      specs={SPECS}
      stored={stored}
      save={save}
      onSave={(written) => save.mutate(valuesIn(written), { onSuccess: onClose })}
      onClose={onClose}
    />
  );
};
