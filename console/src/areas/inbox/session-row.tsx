import { Link } from '@tanstack/react-router';
import { Bot, Clock, Globe, Mail, MessageCircle, Phone, Unlink } from 'lucide-react';
import type { InboxRow } from '../../api/caches';
import { type InboxFilters, slaStateOf } from '../../api/inbox-filters';
import { type PresenceEvent, usePresent } from '../../api/presence';
import { CHANNELS } from '../../ui/channels';
import type { Selection } from '../../ui/lists/selection';
import { Avatar, Chip } from '../../ui/parts';
import { shownDuration, shownSince } from '../../ui/times/time';
import { withoutMarkup } from './markup';
import { visitorNameOf } from './visitor-name';

const ICONS: Record<string, typeof Mail> = {
  email: Mail,
  web: Globe,
  sms: MessageCircle,
  whatsapp: MessageCircle,
  messenger: MessageCircle,
  instagram: MessageCircle,
  phone_voice: Phone,
};
const SENDERS: Record<string, string> = { ai: 'AI: ', human_agent: 'Team: ', system: '', workflow: 'Workflow: ' };

function lastWordsOf({ sender, text }: NonNullable<InboxRow['last_message']>, channel: InboxRow['channel']): string {
  const isMarkdown = sender === 'ai' || (channel === 'web' && sender !== 'contact');
  const words = isMarkdown ? text && withoutMarkup(text) : text;
  return `${SENDERS[sender] ?? ''}${words ?? 'Redacted'}`;
}

interface RowProps {
  row: InboxRow;
  search: InboxFilters;
  isOpen: boolean;
  /** One row of a list is reached by Tab, the others by arrows. */
  isFocusable: boolean;
  memberId: number | undefined;
  selection: Selection | undefined;
}

/** A conversation in a list: the contact, the waiting time, the last words, and the SLA. */
export const SessionRow = ({ row, search, isOpen, isFocusable, memberId, selection }: RowProps) => {
  const isSelected = selection?.ids.has(row.id) === true;
  return (
    <>
      <Link
        to="/s/$id"
        params={{ id: row.id }}
        search={search}
        tabIndex={isFocusable ? 0 : -1}
        aria-current={isOpen ? 'page' : undefined}
        data-selected={isSelected ? '' : undefined}
        className="block h-full overflow-hidden border-b border-line py-2.5 pr-3 pl-13 hover:bg-hover aria-[current=page]:bg-selected data-selected:bg-selected"
      >
        <FirstLine row={row} />
        <span dir="auto" className={`block truncate ${row.unread ? '' : 'text-quiet'}`}>
          {row.last_message === null ? 'No message yet' : lastWordsOf(row.last_message, row.channel)}
        </span>
        <RowChips row={row} memberId={memberId} />
      </Link>
      <Selector row={row} isSelected={isSelected} selection={selection} />
    </>
  );
};

const FirstLine = ({ row }: { row: InboxRow }) => {
  const Icon = ICONS[row.channel] ?? Globe;
  const since = row.waiting_since ?? row.last_message?.at;
  return (
    <span className="flex items-center gap-1.5">
      <span className={`truncate ${row.unread ? 'font-semibold' : 'font-medium'}`}>{visitorNameOf(row)}</span>
      <Icon size={13} aria-label={CHANNELS[row.channel]} className="shrink-0 text-quiet" />
      <span
        className={`ml-auto shrink-0 text-xs ${row.waiting_since === null ? 'text-quiet' : 'font-medium'}`}
        title={row.waiting_since === null ? 'since the last message' : 'the customer waits'}
      >
        {since ? shownSince(since) : ''}
      </span>
      {row.unread && <span role="img" aria-label="Unread" className="size-2 shrink-0 rounded-full bg-accent" />}
    </span>
  );
};

/** The contact's picture, in whose place the box to select it appears. */
const Selector = ({ row, isSelected, selection }: Pick<RowProps, 'row' | 'selection'> & { isSelected: boolean }) => (
  // biome-ignore lint/a11y/noLabelWithoutControl: whoever may change nothing has no box
  <label className="absolute top-2.5 left-2.5 grid size-8 place-items-center">
    {selection !== undefined && (
      <input
        type="checkbox"
        tabIndex={-1}
        aria-label={`Select ${visitorNameOf(row)}`}
        checked={isSelected}
        onChange={({ nativeEvent }) =>
          'shiftKey' in nativeEvent && nativeEvent.shiftKey === true
            ? selection.extendTo(row.id)
            : selection.toggle(row.id)
        }
        className="peer absolute size-4 accent-(--accent) opacity-0 checked:opacity-100 focus-visible:opacity-100 group-hover/row:opacity-100 group-data-selecting/list:opacity-100"
      />
    )}
    <span
      className={
        selection === undefined
          ? ''
          : 'pointer-events-none group-hover/row:invisible group-data-selecting/list:invisible peer-checked:invisible peer-focus-visible:invisible'
      }
    >
      <Avatar name={visitorNameOf(row)} />
    </span>
  </label>
);

const RowChips = ({ row, memberId }: Pick<RowProps, 'row' | 'memberId'>) => (
  <span className="mt-1 flex items-center gap-1 overflow-hidden">
    <span className="mr-0.5 text-xs text-quiet">#{row.ticket_number}</span>
    <SlaChip row={row} />
    {row.snoozed_at !== null && (
      <Chip>
        <Clock size={11} aria-hidden="true" className="mr-1" />
        {row.snoozed_until === null ? 'snoozed' : `${shownDuration(Date.parse(row.snoozed_until) - Date.now())} more`}
      </Chip>
    )}
    {row.confirmations > 0 && <Chip tone="warn">confirm</Chip>}
    {row.handoff_state === 'partial' && (
      <Chip tone="bad">
        <Unlink size={11} aria-hidden="true" className="mr-1" />
        handoff
      </Chip>
    )}
    {row.status !== 'open' && <Chip tone="good">closed</Chip>}
    {row.tags.slice(0, 2).map((tag) => (
      <Chip key={tag}>{tag}</Chip>
    ))}
    <span className="ml-auto flex min-w-0 items-center gap-1 text-xs text-quiet">
      <Others id={row.id} memberId={memberId} />
      {row.answered_by === 'ai' && <Bot size={14} aria-label="The AI answers" className="shrink-0" />}
      <span className="truncate">
        {row.assignee?.id === memberId && row.assignee !== null ? 'You' : row.assignee?.name}
      </span>
    </span>
  </span>
);

const Others = ({ id, memberId }: { id: string; memberId: number | undefined }) =>
  usePresent(id, memberId).map((present) => <Other key={present.member.id} {...present} />);

const Other = ({ member: { name }, state }: PresenceEvent) => {
  const isTyping = state === 'typing';
  const says = isTyping ? `${name} is writing` : `${name} views it`;
  return (
    <span role="img" aria-label={says} title={says} className={isTyping ? 'motion-safe:animate-pulse' : ''}>
      <Avatar name={name} size="small" />
    </span>
  );
};

const SlaChip = ({ row }: { row: InboxRow }) => {
  if (row.sla === null) return null;
  const state = slaStateOf(row);
  const left = shownDuration(Date.parse(row.sla.due_at) - Date.now());
  if (state === 'breached') return <Chip tone="bad">{left === 'now' ? 'breached' : `breached ${left}`}</Chip>;
  return <Chip tone={state === 'warning' ? 'warn' : 'plain'}>{left} left</Chip>;
};
