import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf, type Schemas } from '../../../api/client';
import type { InboxFilters } from '../../../api/inbox-filters';
import { countsQuery, membersQuery, tagsQuery } from '../../../api/queries';
import { say } from '../../../app/undo';
import { Dialog } from '../../../ui/dialogs/dialog';
import { type Choice, hasText, Picker } from '../../../ui/forms/choices';
import { ClearSelection } from '../../../ui/lists/clear-selection';
import type { Selection } from '../../../ui/lists/selection';
import { Menu } from '../../../ui/menu';
import { Button } from '../../../ui/parts';
import { Popover } from '../../../ui/popover';
import { snoozeTimes } from '../head/snooze-times';
import { addJob } from './jobs';

interface BulkProps {
  me: Schemas['Me'];
  filters: InboxFilters;
  selection: Selection;
  /** Whether the view has conversations that are not selected. */
  hasMore: boolean;
}

/** A change of all that is selected. */
interface Change {
  does: string;
  action: Schemas['BulkAction'];
}

/** What can be done with the selected conversations. */
export const BulkBar = ({ me, filters, selection, hasMore }: BulkProps) => {
  const [asked, ask] = useState<Change>();
  const apply = useBulk({ orgId: me.org.id, filters, selection });
  const onChange = (change: Change) => (selection.isAll ? ask(change) : apply.mutate(change));
  return (
    <section aria-label="Selected conversations" className="flex flex-col gap-2 border-b border-line bg-selected p-2">
      <div className="flex h-8 items-center gap-2">
        <ClearSelection onClear={selection.clear} />
        <p role="status" className="flex-1 truncate font-medium">
          {selection.isAll ? 'All of the view' : `${selection.size} selected`}
        </p>
        {!selection.isAll && hasMore && (
          <Button look="quiet" aria-keyshortcuts="Control+a" onClick={selection.addAll}>
            All of the view
          </Button>
        )}
      </div>
      <BulkActions me={me} isBusy={apply.isPending} onChange={onChange} />
      {asked !== undefined && (
        <Ask change={asked} filters={filters} onClose={() => ask(undefined)} onConfirm={() => apply.mutate(asked)} />
      )}
    </section>
  );
};

const MAX_IDS = 200;

/** Changes up to 200 at once, and all of a view by a job on the server, which outlives the page. */
function useBulk({ orgId, filters, selection }: Pick<BulkProps, 'filters' | 'selection'> & { orgId: string }) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ action }: Change) => {
      const ids = [...selection.ids];
      if (!selection.isAll && ids.length > MAX_IDS)
        throw new Error(`Select up to ${MAX_IDS} conversations, or all of the view.`);
      const which = selection.isAll ? { inbox: filters } : { ids };
      const params = { header: { 'idempotency-key': crypto.randomUUID() } };
      return dataOf(api.POST('/chat/sessions/bulk', { params, body: { ...which, action } }));
    },
    onSuccess: (answer, { does }) => {
      if ('job_id' in answer) addJob(orgId, { id: answer.job_id, does });
      else addJob(orgId, { id: crypto.randomUUID(), does, outcome: outcomeOf(answer.results) });
      selection.clear();
      void client.invalidateQueries({ queryKey: ['countInbox'] });
    },
    onError: (error) => say(error.message, { isError: true }),
  });
}

function outcomeOf(results: Schemas['BulkResults']['results']) {
  const errors = results.filter(({ error }) => error !== undefined);
  return { state: 'done' as const, total: results.length, done: results.length, failed: errors.length, errors };
}

interface ActionsProps {
  me: Schemas['Me'];
  isBusy: boolean;
  onChange: (change: Change) => void;
}

/** Menus and not lists of a form, as a keyboard would choose from these on its way to a choice. */
const BulkActions = ({ me, isBusy, onChange }: ActionsProps) => (
  <fieldset
    aria-label="Change them"
    disabled={isBusy}
    className="grid grid-cols-4 gap-1.5 *:justify-center disabled:opacity-50"
  >
    <Popover name="Assign them" label="Assign">
      {(close) => <AssignPicker me={me} onPick={chosen(close, onChange)} />}
    </Popover>
    <Popover name="Snooze them" label="Snooze">
      {(close) => (
        <Menu
          label="Snooze them"
          close={close}
          items={snoozes(new Date()).map(({ until, ...shown }) => ({
            ...shown,
            onSelect: () => onChange({ does: 'Snooze', action: { type: 'snooze', until, until_reply: true } }),
          }))}
        />
      )}
    </Popover>
    <Popover name="Tag them" label="Tag">
      {(close) => <TagPicker onPick={chosen(close, onChange)} />}
    </Popover>
    <Popover name="Close them" label="Close">
      {(close) => (
        <Menu
          label="Close them"
          close={close}
          items={STATUSES.map(([status, does]) => ({
            label: does,
            onSelect: () => onChange({ does, action: { type: 'set_status', status } }),
          }))}
        />
      )}
    </Popover>
  </fieldset>
);

const chosen = (close: () => void, onChange: (change: Change) => void) => (change: Change) => {
  close();
  onChange(change);
};

const snoozes = (now: Date): { label: string; hint?: string; until: string | null }[] => [
  { label: 'Until a reply', until: null },
  ...snoozeTimes(now).map(({ at, ...shown }) => ({ ...shown, until: at.toISOString() })),
];

const STATUSES = [
  ['closed_resolved', 'Close as resolved'],
  ['closed_unresolved', 'Close as unresolved'],
  ['open', 'Open again'],
] as const;

interface PickProps {
  onPick: (change: Change) => void;
}

const AssignPicker = ({ me, onPick }: PickProps & { me: Schemas['Me'] }) => {
  const members = (useQuery(membersQuery).data ?? []).filter(({ role }) => role !== 'viewer');
  const choices: Choice[] = [
    { id: 'nobody', label: 'Nobody' },
    ...members.map(({ id, name }) => ({ id: `${id}`, label: id === me.member?.id ? `${name} (me)` : name })),
  ];
  const pick = ({ id }: Choice) => {
    const member = members.find((one) => `${one.id}` === id);
    onPick({
      does: `Assign to ${member?.name ?? 'nobody'}`,
      action: { type: 'assign', assignee_id: member?.id ?? null },
    });
  };
  return (
    <Picker
      label="Assign them to"
      choicesFor={(text) => choices.filter(({ label }) => hasText(label, text))}
      onPick={pick}
    />
  );
};

const TagPicker = ({ onPick }: PickProps) => {
  const tags = useQuery(tagsQuery).data ?? [];
  if (tags.length === 0) return <p className="px-2 py-1 text-quiet">No tag exists</p>;
  return (
    <Picker
      label="Find a tag"
      choicesFor={(text) =>
        tags.filter(({ tag_name }) => hasText(tag_name, text)).map(({ tag_name: id }) => ({ id, label: id }))
      }
      onPick={({ id }) => onPick({ does: `Tag ${id}`, action: { type: 'add_tags', tags: [id] } })}
    />
  );
};

interface AskProps {
  change: Change;
  filters: InboxFilters;
  onConfirm: () => void;
  onClose: () => void;
}

const MOST_COUNTED = 1_000;

/** A change of a whole view cannot be undone at once, and may be of more than is seen. */
const Ask = ({ change, filters, onConfirm, onClose }: AskProps) => {
  const { view, ...given } = filters;
  const counts = useQuery(countsQuery([view])).data?.counts[view];
  const isFiltered = Object.values(given).some((value) => value !== undefined);
  const total = counts?.total ?? 0;
  const number = total >= MOST_COUNTED ? '1,000 or more' : `${total}`;
  return (
    <Dialog title={change.does} onClose={onClose}>
      <p>
        {isFiltered
          ? 'This changes every conversation of the view that meets the filters.'
          : `This changes every conversation of the view: ${number}.`}
      </p>
      <div className="mt-5 flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button
          look="main"
          onClick={() => {
            onConfirm();
            onClose();
          }}
        >
          {change.does}
        </Button>
      </div>
    </Dialog>
  );
};
