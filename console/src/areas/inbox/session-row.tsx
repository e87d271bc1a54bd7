import { Link } from '@tanstack/react-router';
import { Bot, Clock, Globe, Mail, MessageCircle, Phone } from 'lucide-react';
import type { InboxRow } from '../../api/caches';
import type { InboxFilters } from '../../api/queries';
import { Chip } from '../../ui/parts';
import { shownDuration, shownSince } from '../../ui/time';

const ICONS: Record<string, typeof Mail> = { email: Mail, web: Globe, whatsapp: MessageCircle, phone_voice: Phone };
const SENDERS: Record<string, string> = { ai: 'AI: ', human_agent: 'Team: ', system: '', workflow: 'Workflow: ' };

export const contactNameOf = ({ contact }: Pick<InboxRow, 'contact'>) =>
  contact?.name || contact?.email || 'Unknown visitor';

interface RowProps {
  row: InboxRow;
  search: InboxFilters;
  isOpen: boolean;
}

/** A conversation in a list: who, how long, the last words, and what is due. */
export const SessionRow = ({ row, search, isOpen }: RowProps) => {
  const Icon = ICONS[row.channel] ?? Globe;
  const since = row.waiting_since ?? row.last_message?.at;
  return (
    <Link
      to="/s/$id"
      params={{ id: row.id }}
      search={search}
      aria-current={isOpen ? 'true' : undefined}
      className="block h-full overflow-hidden border-b border-line px-3 py-2 hover:bg-hover aria-[current=true]:bg-selected"
    >
      <span className="flex items-center gap-1.5">
        {row.unread && <span role="img" aria-label="Unread" className="size-2 shrink-0 rounded-full bg-accent" />}
        <span className={`truncate ${row.unread ? 'font-semibold' : 'font-medium'}`}>{contactNameOf(row)}</span>
        <Icon size={13} aria-label={row.channel} className="shrink-0 text-quiet" />
        <span className="ml-auto shrink-0 text-xs text-quiet">{since ? shownSince(since) : ''}</span>
      </span>
      <span className="block truncate text-quiet">
        {row.last_message === null
          ? 'No message yet'
          : `${SENDERS[row.last_message.sender] ?? ''}${row.last_message.text ?? 'Redacted'}`}
      </span>
      <RowChips row={row} />
    </Link>
  );
};

const RowChips = ({ row }: { row: InboxRow }) => (
  <span className="mt-1 flex items-center gap-1">
    {row.sla !== null && <SlaChip {...row.sla} />}
    {row.snoozed_at !== null && (
      <Chip>
        <Clock size={11} className="mr-1" />
        snoozed
      </Chip>
    )}
    {row.confirmations > 0 && <Chip tone="warn">confirm</Chip>}
    {row.status !== 'open' && <Chip tone="good">closed</Chip>}
    {row.tags.slice(0, 2).map((tag) => (
      <Chip key={tag}>{tag}</Chip>
    ))}
    <span className="ml-auto flex min-w-0 items-center gap-1 truncate text-xs text-quiet">
      {row.answered_by === 'ai' && <Bot size={13} aria-label="The AI answers" />}
      {row.assignee?.name}
    </span>
  </span>
);

const SlaChip = ({ due_at, state }: NonNullable<InboxRow['sla']>) => {
  const left = Date.parse(due_at) - Date.now();
  if (state === 'breached') return <Chip tone="bad">breached {shownDuration(left)}</Chip>;
  return <Chip tone={state === 'warning' ? 'warn' : 'plain'}>{shownDuration(left)} left</Chip>;
};
