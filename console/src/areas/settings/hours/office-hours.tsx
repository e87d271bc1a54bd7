import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf, type Schemas } from '../../../api/client';
import { useMay } from '../../../api/may';
import { officeHoursQuery, officeStatusQuery } from '../../../api/settings';
import { Button, Chip, Empty } from '../../../ui/parts';
import { Ago } from '../../../ui/times/ago';
import { ListPage } from '../frame/list-page';
import { HoursDialog } from './hours-dialog';
import { WeekGrid } from './week-grid';

type Hours = Schemas['OfficeHours'];

/** When people answer. */
export const OfficeHoursPage = () => {
  const [copied, copy] = useState<Hours>();
  return (
    <ListPage
      title="Office hours"
      query={useQuery(officeHoursQuery)}
      mayWrite={useMay('office-hours:write')}
      add="New office hours"
      empty={<Empty title="No office hours yet">Teams, SLA policies and the widget count by them.</Empty>}
      keyOf={({ id }) => id}
      nameOf={({ name }) => name}
      section={(hours) => <HoursBody hours={hours} />}
      more={(hours) => (
        <Button aria-label={`Copy ${hours.name}`} onClick={() => copy(hours)}>
          Copy
        </Button>
      )}
      form={(existing, onClose) => <HoursDialog existing={existing} onClose={onClose} />}
      remove={{
        what: 'the office hours',
        says: 'Clocks that count by them are computed again.',
        run: ({ id }) => dataOf(api.DELETE('/office-hours/{id}', { params: { path: { id } } })),
        stale: [officeHoursQuery.queryKey],
      }}
    >
      {copied !== undefined && <HoursDialog existing={undefined} copied={copied} onClose={() => copy(undefined)} />}
    </ListPage>
  );
};

const HoursBody = ({ hours }: { hours: Hours }) => (
  <div className="space-y-3 p-4">
    <Status hours={hours} />
    <WeekGrid shifts={hours.shifts} />
    {hours.holidays.length > 0 && (
      <p className="text-xs text-quiet">
        Closed on {hours.holidays.map(({ date, name }) => (name === undefined ? date : `${date} (${name})`)).join(', ')}
      </p>
    )}
  </div>
);

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
