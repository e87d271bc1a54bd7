import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf, type Schemas } from '../../../api/client';
import { useMay } from '../../../api/may';
import { officeHoursQuery, officeStatusQuery } from '../../../api/settings';
import { Ago } from '../../../ui/ago';
import { ConfirmDialog } from '../../../ui/dialogs/confirm-dialog';
import { Button, Chip, Empty } from '../../../ui/parts';
import { Section } from '../../../ui/section';
import { SettingsPage } from '../frame/settings-page';
import { useChange } from '../frame/use-change';
import { HoursDialog } from './hours-dialog';
import { WeekGrid } from './week-grid';

type Hours = Schemas['OfficeHours'];
type Asked = { what: 'new' } | { what: 'change' | 'copy' | 'delete'; hours: Hours };

/** When people answer. */
export const OfficeHoursPage = () => {
  const list = useQuery(officeHoursQuery);
  const mayWrite = useMay('office-hours:write');
  const [asked, ask] = useState<Asked>();
  const close = () => ask(undefined);
  const remove = useChange((id: string) => dataOf(api.DELETE('/office-hours/{id}', { params: { path: { id } } })), {
    stale: [officeHoursQuery.queryKey],
    says: 'Deleted',
    isQuick: true,
  });
  return (
    <SettingsPage
      title="Office hours"
      query={list}
      actions={
        mayWrite && (
          <Button look="main" onClick={() => ask({ what: 'new' })}>
            New office hours
          </Button>
        )
      }
    >
      {list.data?.length === 0 && (
        <Empty title="No office hours yet">Teams, SLA policies and the widget count by them.</Empty>
      )}
      {list.data?.map((hours) => (
        <Section
          key={hours.id}
          title={hours.name}
          actions={
            mayWrite && (
              <>
                <Button aria-label={`Change ${hours.name}`} onClick={() => ask({ what: 'change', hours })}>
                  Change
                </Button>
                <Button aria-label={`Copy ${hours.name}`} onClick={() => ask({ what: 'copy', hours })}>
                  Copy
                </Button>
                <Button look="quiet" aria-label={`Delete ${hours.name}`} onClick={() => ask({ what: 'delete', hours })}>
                  Delete
                </Button>
              </>
            )
          }
        >
          <div className="space-y-3 p-4">
            <Status hours={hours} />
            <WeekGrid shifts={hours.shifts} />
            {hours.holidays.length > 0 && (
              <p className="text-xs text-quiet">
                Closed on{' '}
                {hours.holidays.map(({ date, name }) => (name === undefined ? date : `${date} (${name})`)).join(', ')}
              </p>
            )}
          </div>
        </Section>
      ))}
      {(asked?.what === 'new' || asked?.what === 'copy' || asked?.what === 'change') && (
        <HoursDialog
          existing={asked.what === 'change' ? asked.hours : undefined}
          copied={asked.what === 'copy' ? asked.hours : undefined}
          onClose={close}
        />
      )}
      {asked?.what === 'delete' && (
        <ConfirmDialog
          title={`Delete ${asked.hours.name}`}
          action="Delete"
          onConfirm={() => remove.mutate(asked.hours.id)}
          onClose={close}
        >
          Clocks that count by them are computed again.
        </ConfirmDialog>
      )}
    </SettingsPage>
  );
};

const Status = ({ hours: { id, iana_timezone } }: { hours: Hours }) => {
  const status = useQuery(officeStatusQuery(id)).data;
  return (
    <p className="flex flex-wrap items-center gap-x-2">
      {status !== undefined && (
        <Chip tone={status.open ? 'good' : 'plain'}>{status.open ? 'Open now' : 'Closed now'}</Chip>
      )}
      {status?.next_change_at != null && (
        <span className="text-quiet">
          {status.open ? 'closes' : 'opens'} <Ago at={status.next_change_at} />
        </span>
      )}
      <span className="text-xs text-quiet">{iana_timezone}</span>
    </p>
  );
};
