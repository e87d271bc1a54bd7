import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf, type Schemas } from '../../../api/client';
import { useMay } from '../../../api/may';
import { teamsQuery } from '../../../api/queries';
import { officeHoursQuery, slaQuery } from '../../../api/settings';
import { ConfirmDialog } from '../../../ui/dialogs/confirm-dialog';
import { Button, Chip, Empty } from '../../../ui/parts';
import { Rows } from '../frame/rows';
import { SettingsPage } from '../frame/settings-page';
import { useChange } from '../frame/use-change';
import { CoverageDialog } from './coverage-dialog';
import { PolicyDialog } from './policy-dialog';
import { shownSeconds } from './targets';

type Policy = Schemas['SlaPolicy'];
type Asked = { what: 'new' } | { what: 'change' | 'covers' | 'delete'; policy: Policy };

/** How soon conversations are to be answered and resolved. */
export const SlaPolicies = () => {
  const list = useQuery(slaQuery);
  const mayWrite = useMay('sla:write');
  const [asked, ask] = useState<Asked>();
  const close = () => ask(undefined);
  const remove = useChange((id: string) => dataOf(api.DELETE('/sla/policies/{id}', { params: { path: { id } } })), {
    stale: [slaQuery.queryKey],
    says: 'Deleted',
    isQuick: true,
  });
  return (
    <SettingsPage
      title="SLA policies"
      query={list}
      actions={
        mayWrite && (
          <Button look="main" onClick={() => ask({ what: 'new' })}>
            New policy
          </Button>
        )
      }
    >
      {list.data?.length === 0 && (
        <Empty title="No policy yet">A policy sets how soon people answer, and shows what is late.</Empty>
      )}
      {list.data !== undefined && list.data.length > 0 && (
        <>
          <p className="text-quiet">Where several policies cover a conversation, the first of them applies.</p>
          <Rows
            label="SLA policies"
            items={list.data}
            keyOf={({ id }) => id}
            actions={
              mayWrite &&
              ((policy) => (
                <>
                  <Button aria-label={`What ${policy.name} covers`} onClick={() => ask({ what: 'covers', policy })}>
                    Covers
                  </Button>
                  <Button aria-label={`Change ${policy.name}`} onClick={() => ask({ what: 'change', policy })}>
                    Change
                  </Button>
                  <Button
                    look="quiet"
                    aria-label={`Delete ${policy.name}`}
                    onClick={() => ask({ what: 'delete', policy })}
                  >
                    Delete
                  </Button>
                </>
              ))
            }
          >
            {(policy) => <PolicyRow policy={policy} />}
          </Rows>
        </>
      )}
      {asked?.what === 'new' && <PolicyDialog existing={undefined} onClose={close} />}
      {asked?.what === 'change' && <PolicyDialog existing={asked.policy} onClose={close} />}
      {asked?.what === 'covers' && <CoverageDialog policy={asked.policy} onClose={close} />}
      {asked?.what === 'delete' && (
        <ConfirmDialog
          title={`Delete ${asked.policy.name}`}
          action="Delete the policy"
          onConfirm={() => remove.mutate(asked.policy.id)}
          onClose={close}
        >
          Its open conversations come under the first other policy that covers them.
        </ConfirmDialog>
      )}
    </SettingsPage>
  );
};

const PolicyRow = ({ policy }: { policy: Policy }) => {
  const hours = useQuery(officeHoursQuery).data?.find(({ id }) => id === policy.office_hours_id);
  const teams = useQuery(teamsQuery).data ?? [];
  const targets = [
    ['first reply', policy.first_reply_target_seconds],
    ['next reply', policy.next_reply_target_seconds],
    ['resolution', policy.resolution_target_seconds],
  ] as const;
  const shown = targets.flatMap(([name, seconds]) =>
    seconds === null ? [] : [`${name} within ${shownSeconds(seconds)}`],
  );
  return (
    <>
      <p className="flex flex-wrap items-center gap-2 font-medium">
        <span className="min-w-0 break-words">{policy.name}</span>
        {policy.assignment === null && <Chip tone="warn">Covers nothing yet</Chip>}
      </p>
      <p className="text-quiet">
        {shown.join(', ') || 'no target'}
        {hours !== undefined && ` · counts ${hours.name}`}
      </p>
      {policy.assignment !== null && (
        <p className="text-xs break-words text-quiet">Covers {coverageOf(policy.assignment, teams)}</p>
      )}
    </>
  );
};

function coverageOf({ teams, channels, tags, filter }: Schemas['SlaAssignment'], known: Schemas['Team'][]): string {
  const names = (teams ?? []).map((id) => known.find((team) => team.id === id)?.name ?? id);
  const parts = [
    names.length > 0 && `of ${names.join(' or ')}`,
    (channels ?? []).length > 0 && `on ${channels?.join(' or ')}`,
    (tags ?? []).length > 0 && `with ${tags?.join(' or ')}`,
    filter != null && 'of contacts by a filter',
  ].filter((part) => part !== false);
  return parts.length === 0 ? 'all conversations' : `conversations ${parts.join(', ')}`;
}
