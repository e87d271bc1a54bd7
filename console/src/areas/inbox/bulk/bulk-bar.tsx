import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { useState } from 'react';
import { api, dataOf, type Schemas } from '../../../api/client';
import type { InboxFilters } from '../../../api/inbox-filters';
import { countsQuery, membersQuery, tagsQuery } from '../../../api/queries';
import { say } from '../../../app/undo';
import { Dialog } from '../../../ui/dialog';
import { Button, ICON_BUTTON } from '../../../ui/parts';
import type { Selection } from '../../../ui/selection';
import { HOUR_MS, morningIn } from '../head/snooze-times';
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
        <button
          type="button"
          aria-label="Clear the selection"
          className={`${ICON_BUTTON} size-8`}
          onClick={selection.clear}
        >
          <X size={16} aria-hidden="true" />
        </button>
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

const FIELD = 'h-8 min-w-0 rounded-md border border-line bg-surface px-1.5 hover:bg-hover';

interface ActionsProps {
  me: Schemas['Me'];
  isBusy: boolean;
  onChange: (change: Change) => void;
}

const BulkActions = ({ me, isBusy, onChange }: ActionsProps) => {
  const members = useQuery(membersQuery).data ?? [];
  const assign = (value: string) => {
    const member = members.find(({ id }) => `${id}` === value);
    onChange({
      does: `Assign to ${member?.name ?? 'nobody'}`,
      action: { type: 'assign', assignee_id: member?.id ?? null },
    });
  };
  const snooze = (value: string) => {
    const until =
      value === 'hour' ? new Date(Date.now() + HOUR_MS) : value === 'tomorrow' ? morningIn(new Date(), 1) : null;
    onChange({
      does: 'Snooze',
      action: { type: 'snooze', until: until?.toISOString() ?? null, until_reply: true },
    });
  };
  return (
    <fieldset aria-label="Change them" disabled={isBusy} className="grid grid-cols-2 gap-1.5">
      <select aria-label="Assign them" value="" className={FIELD} onChange={({ target }) => assign(target.value)}>
        <option value="" disabled>
          Assign
        </option>
        <option value="nobody">Nobody</option>
        {members.map(({ id, name }) => (
          <option key={id} value={id}>
            {id === me.member?.id ? `${name} (me)` : name}
          </option>
        ))}
      </select>
      <select aria-label="Snooze them" value="" className={FIELD} onChange={({ target }) => snooze(target.value)}>
        <option value="" disabled>
          Snooze
        </option>
        <option value="reply">Until a reply</option>
        <option value="hour">For an hour</option>
        <option value="tomorrow">Until tomorrow, 9:00</option>
      </select>
      <TagField onChange={onChange} />
      <select
        aria-label="Set their status"
        value=""
        className={FIELD}
        onChange={({ target }) => {
          const [status, does = ''] = STATUSES.find(([value]) => value === target.value) ?? [];
          if (status !== undefined) onChange({ does, action: { type: 'set_status', status } });
        }}
      >
        <option value="" disabled>
          Close
        </option>
        {STATUSES.map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
    </fieldset>
  );
};

const STATUSES = [
  ['closed_resolved', 'Close as resolved'],
  ['closed_unresolved', 'Close as unresolved'],
  ['open', 'Open again'],
] as const;

const TagField = ({ onChange }: Pick<ActionsProps, 'onChange'>) => {
  const tags = useQuery(tagsQuery).data ?? [];
  return (
    <select
      aria-label="Tag them"
      value=""
      className={FIELD}
      onChange={({ target: { value } }) =>
        onChange({ does: `Tag ${value}`, action: { type: 'add_tags', tags: [value] } })
      }
    >
      <option value="" disabled>
        {tags.length === 0 ? 'No tag exists' : 'Tag'}
      </option>
      {tags.map(({ tag_name }) => (
        <option key={tag_name} value={tag_name}>
          {tag_name}
        </option>
      ))}
    </select>
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
