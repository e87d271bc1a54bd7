import { useQuery } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from '../../../api/client';
import { officeHoursQuery, slaQuery } from '../../../api/settings';
import type { Specs, Written } from '../../../ui/forms/spec';
import { SpecDialog } from '../frame/spec-dialog';
import { useChange } from '../frame/use-change';

interface PolicyDialogProps {
  existing: Schemas['SlaPolicy'] | undefined;
  onClose: () => void;
}

const MINUTE = 60;
const TARGETS = ['first_reply_target_seconds', 'next_reply_target_seconds', 'resolution_target_seconds'] as const;

/** The targets of a policy, in minutes. */
export const PolicyDialog = ({ existing, onClose }: PolicyDialogProps) => {
  const hours = useQuery(officeHoursQuery).data ?? [];
  const target = (label: string, hint: string, min: number) =>
    ({ kind: 'number', label, hint, min, step: 'any' }) as const;
  const specs: Specs = {
    name: { kind: 'text', label: 'Name', isRequired: true },
    office_hours_id: {
      kind: 'choice',
      label: 'Counts',
      options: [['', 'All time'], ...hours.map(({ id, name }) => [id, `Time within ${name}`] as const)],
    },
    first_reply_target_seconds: target('First reply, in minutes', 'Of a person. Empty: no target.', 1),
    next_reply_target_seconds: target('Next replies, in minutes', 'After each message of the customer.', 1),
    resolution_target_seconds: target(
      'Resolution, in minutes',
      'Without the time in which it waits on the customer.',
      5,
    ),
  };
  const save = useChange(
    async (body: Schemas['CreateSlaPolicy']) => {
      if (existing !== undefined)
        return dataOf(api.PATCH('/sla/policies/{id}', { params: { path: { id: existing.id } }, body }));
      return dataOf(api.POST('/sla/policies', { body }));
    },
    { stale: [slaQuery.queryKey], says: 'Saved' },
  );
  return (
    <SpecDialog
      title={existing?.name ?? 'New policy'}
      action="Save"
      specs={specs}
      stored={inMinutes(existing)}
      save={save}
      onSave={(values, changes) => save.mutate(policyIn(values, Object.keys(changes)), { onSuccess: onClose })}
      onClose={onClose}
    >
      {existing === undefined && (
        <p className="text-xs text-quiet">It covers no conversation until you say which, by “Covers” in the list.</p>
      )}
    </SpecDialog>
  );
};

const inMinutes = (policy: Schemas['SlaPolicy'] | undefined): object =>
  policy === undefined
    ? {}
    : {
        ...policy,
        ...Object.fromEntries(
          TARGETS.map((name) => [name, policy[name] === null ? null : (policy[name] ?? 0) / MINUTE]),
        ),
      };

/** Returns what was changed as the API takes it. */
function policyIn(values: Written, changed: string[]): Schemas['CreateSlaPolicy'] {
  const seconds = (name: (typeof TARGETS)[number]) => {
    const text = String(values[name] ?? '').trim();
    return text === '' ? null : Math.round(Number(text) * MINUTE);
  };
  const policy: Schemas['CreateSlaPolicy'] = {
    name: String(values.name ?? '').trim(),
    office_hours_id: String(values.office_hours_id ?? '') || null,
    first_reply_target_seconds: seconds('first_reply_target_seconds'),
    next_reply_target_seconds: seconds('next_reply_target_seconds'),
    resolution_target_seconds: seconds('resolution_target_seconds'),
  };
  return Object.fromEntries(Object.entries(policy).filter(([name]) => changed.includes(name))) as typeof policy;
}
