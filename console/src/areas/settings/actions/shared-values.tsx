import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf, type Schemas } from '../../../api/client';
import { useMay } from '../../../api/may';
import { orgSettingsQuery } from '../../../api/settings';
import { ConfirmDialog } from '../../../ui/dialogs/confirm-dialog';
import { linesOf, type Specs, type Written } from '../../../ui/forms/spec';
import { Button, failureOf } from '../../../ui/parts';
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
  const failure = failureOf(settings);
  if (settings.data === undefined) return failure || null;
  const values = settings.data.http_action_overrides;
  return (
    <>
      {failure}
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
    </>
  );
};

const linesFor = (group: Record<string, string> | undefined): string[] =>
  Object.entries(group ?? {}).map(([name, value]) => `${name}: ${value}`);

/** Returns the values in lines, one a line. A stored line is split behind its name, which may have colons. */
const valuesOf = (text: string, stored: Record<string, string>): Record<string, string> => {
  const names = Object.keys(stored).sort((one, other) => other.length - one.length);
  return Object.fromEntries(
    linesOf(text).map((line) => {
      const known = names.find((name) => line.startsWith(`${name}:`));
      const [first = ''] = line.split(':');
      const name = known ?? first;
      return [name.trim(), line.slice(name.length + 1).trim()];
    }),
  );
};

/** Returns the values stored now with the changes written here: added, changed and removed lines. Null if none is left. */
function mergeOf(written: Written, begun: Values, now: Values): Values | null {
  const groups = GROUPS.map((group) => {
    const before = begun[group] ?? {};
    const lines = valuesOf(String(written[group] ?? ''), before);
    const kept = Object.entries(now[group] ?? {}).filter(([name]) => name in lines || !(name in before));
    const changed = Object.entries(lines).filter(([name, value]) => value !== before[name]);
    return [group, Object.fromEntries([...kept, ...changed])] as const;
  }).filter(([, values]) => Object.keys(values).length > 0);
  if (groups.length === 0) return null;
  const lines = linesOf(String(written.hosts ?? ''));
  const before = begun.hosts ?? [];
  const kept = (now.hosts ?? []).filter((host) => lines.includes(host) || !before.includes(host));
  const added = lines.filter((host) => !before.includes(host) && !kept.includes(host));
  return { hosts: [...kept, ...added], ...Object.fromEntries(groups) };
}

const ValuesDialog = ({ values, onClose }: { values: Values; onClose: () => void }) => {
  const [begun] = useState(values);
  const [emptied, ask] = useState<Written>();
  const save = useChange(
    async (written: Written) => {
      // They are stored as a whole: what others have saved meanwhile stays.
      const now = await dataOf(api.GET('/org/settings'));
      const http_action_overrides = mergeOf(written, begun, now.http_action_overrides ?? {});
      return dataOf(api.PATCH('/org/settings', { body: { http_action_overrides } }));
    },
    { stale: [orgSettingsQuery.queryKey], says: 'Saved' },
  );
  const stored = {
    hosts: begun.hosts ?? [],
    ...Object.fromEntries(GROUPS.map((group) => [group, linesFor(begun[group])])),
  };
  const store = (written: Written) => save.mutate(written, { onSuccess: onClose });
  return (
    <>
      <SpecDialog
        title="Keys and other shared values"
        action="Save"
        specs={SPECS}
        stored={stored}
        save={save}
        onSave={(written) => (mergeOf(written, begun, begun) === null ? ask(written) : store(written))}
        onClose={onClose}
      />
      {emptied !== undefined && (
        <ConfirmDialog
          title="Remove all shared values?"
          action="Remove"
          onConfirm={() => store(emptied)}
          onClose={() => ask(undefined)}
        >
          Actions send none of them any more. Their values cannot be read again.
        </ConfirmDialog>
      )}
    </>
  );
};
