import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf, type Schemas } from '../../../api/client';
import { useMay } from '../../../api/may';
import { teamsQuery } from '../../../api/queries';
import { officeHoursQuery, slaQuery } from '../../../api/settings';
import { Button, Chip, Empty } from '../../../ui/parts';
import { ListPage } from '../frame/list-page';
import { CoverageDialog } from './coverage-dialog';
import { PolicyDialog } from './policy-dialog';
import { shownSeconds } from './targets';

type Policy = Schemas['SlaPolicy'];

/** How soon conversations are to be answered and resolved. */
export const SlaPolicies = () => {
  const [covering, cover] = useState<Policy>();
  const list = useQuery(slaQuery);
  return (
    <ListPage
      title="SLA policies"
      query={list}
      mayWrite={useMay('sla:write')}
      add="New policy"
      empty={<Empty title="No policy yet">A policy sets how soon people answer, and shows what is late.</Empty>}
      keyOf={({ id }) => id}
      nameOf={({ name }) => name}
      row={(policy) => <PolicyRow policy={policy} />}
      more={(policy) => (
        <Button aria-label={`What ${policy.name} covers`} onClick={() => cover(policy)}>
          Covers
        </Button>
      )}
      form={(existing, onClose) => <PolicyDialog existing={existing} onClose={onClose} />}
      remove={{
        what: 'the policy',
        says: 'Its open conversations come under the first other policy that covers them.',
        run: ({ id }) => dataOf(api.DELETE('/sla/policies/{id}', { params: { path: { id } } })),
        stale: [slaQuery.queryKey],
      }}
    >
      {(list.data ?? []).length > 1 && (
        <p className="text-quiet">Where several policies cover a conversation, the first of them applies.</p>
      )}
      {covering !== undefined && <CoverageDialog policy={covering} onClose={() => cover(undefined)} />}
    </ListPage>
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
