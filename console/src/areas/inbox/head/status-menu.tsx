import { useQuery } from '@tanstack/react-query';
import { statusesQuery } from '../../../api/queries';
import { Menu } from '../../../ui/menu';
import type { Actions } from '../actions';

/** The ways to close, and the org's own statuses. */
export const StatusMenu = ({
  current,
  actions,
  close,
}: {
  current: number | null;
  actions: Actions;
  close: () => void;
}) => {
  const own = useQuery(statusesQuery).data?.items;
  if (own === undefined) return null;
  return (
    <Menu
      label="Close with a status"
      close={close}
      items={[
        { label: 'Resolved', hint: 'E', onSelect: () => actions.setStatus('closed_resolved') },
        { label: 'Unresolved', onSelect: () => actions.setStatus('closed_unresolved') },
        ...own.map((status) => ({
          label: status.name,
          hint: status.id === current ? 'now' : 'stays open',
          onSelect: () => actions.setOwnStatus(status),
        })),
        ...(current === null ? [] : [{ label: 'No own status', onSelect: () => actions.setOwnStatus(null) }]),
      ]}
    />
  );
};
