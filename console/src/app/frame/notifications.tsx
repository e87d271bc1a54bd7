import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { AlarmClock, AtSign, CheckCheck, CircleCheck, ShieldQuestion, UserCheck } from 'lucide-react';
import { api, dataOf, type Schemas } from '../../api/client';
import { membersQuery, notificationsQuery } from '../../api/queries';
import { Button, Empty, failureOf, Skeleton } from '../../ui/parts';
import { shownSince } from '../../ui/times/time';
import { say } from '../undo';

type Notification = Schemas['Notification'];

const KINDS: Record<Notification['kind'], { Icon: typeof AtSign; says: string }> = {
  mention: { Icon: AtSign, says: 'mentioned you in a note with' },
  assigned: { Icon: UserCheck, says: 'Assigned to you:' },
  breach: { Icon: AlarmClock, says: 'Target missed with' },
  confirmation: { Icon: ShieldQuestion, says: 'The AI waits for a confirmation with' },
  ended: { Icon: CircleCheck, says: 'Your change of many conversations has ended' },
};

/** What the member should hear of, the newest first. */
export const Notifications = ({ onOpen }: { onOpen: () => void }) => {
  const list = useQuery(notificationsQuery);
  const read = useReading();
  const newest = list.data?.items[0];
  return (
    <>
      <header className="flex h-11 shrink-0 items-center justify-between border-b border-line pr-2 pl-4">
        <h2 className="font-semibold">Notifications</h2>
        {newest !== undefined && list.data?.unread !== 0 && (
          <Button look="quiet" onClick={() => read.mutate({ before: newest.created_at })}>
            <CheckCheck size={15} aria-hidden="true" />
            Mark all read
          </Button>
        )}
      </header>
      {failureOf(list)}
      {list.isPending && <Skeleton rows={3} />}
      {list.data?.items.length === 0 && (
        <Empty title="No news">Mentions, assignments and missed targets appear here.</Empty>
      )}
      <ul className="min-h-0 overflow-y-auto">
        {list.data?.items.map((item) => (
          <li key={item.id} className="border-b border-line last:border-0">
            <News
              item={item}
              onOpen={() => {
                if (item.read_at === null) read.mutate({ ids: [item.id] });
                onOpen();
              }}
            />
          </li>
        ))}
      </ul>
    </>
  );
};

function useReading() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (which: Schemas['ReadNotifications']) => dataOf(api.POST('/me/notifications/read', { body: which })),
    onError: (error) => say(error.message, { isError: true }),
    onSettled: () => client.invalidateQueries(notificationsQuery),
  });
}

const ROW = 'flex w-full items-start gap-3 px-4 py-2.5 text-left hover:bg-hover';

function sayingOf({ kind, data }: Notification, members: Schemas['Member'][]): string {
  if (typeof data.mcp_confirmation_id === 'string') return 'An assistant waits for a confirmation with';
  if (data.of === 'deliveries') return 'Settling the unknown deliveries has ended';
  if (data.of === 'runs') return 'Your change of many runs has ended';
  const author = members.find(({ id }) => id === data.author_id)?.name ?? 'Somebody';
  return kind === 'mention' ? `${author} ${KINDS[kind].says}` : KINDS[kind].says;
}

const News = ({ item, onOpen }: { item: Notification; onOpen: () => void }) => {
  const { Icon } = KINDS[item.kind];
  const members = useQuery({ ...membersQuery, enabled: item.kind === 'mention' }).data ?? [];
  const since = shownSince(item.created_at);
  const name = item.contact_name ?? 'an unknown visitor';
  const request = item.data.mcp_confirmation_id;
  const isOfAssistant = typeof request === 'string';
  const content = (
    <>
      <Icon size={16} aria-hidden="true" className="mt-0.5 shrink-0 text-quiet" />
      <span className={`min-w-0 flex-1 ${item.read_at === null ? 'font-medium' : ''}`}>
        {sayingOf(item, members)} {item.session_id !== null && name}
        <span className="block text-xs font-normal text-quiet">
          {item.ticket_number !== null && `#${item.ticket_number} · `}
          {since === 'now' ? 'just now' : `${since} ago`}
        </span>
      </span>
      {item.read_at === null && (
        <span role="img" aria-label="Unread" className="mt-1.5 size-2 shrink-0 rounded-full bg-accent" />
      )}
    </>
  );
  if (isOfAssistant)
    return (
      <Link to="/assistants" search={{ id: request }} className={ROW} onClick={onOpen}>
        {content}
      </Link>
    );
  return item.session_id === null ? (
    <button type="button" className={ROW} onClick={onOpen}>
      {content}
    </button>
  ) : (
    <Link to="/s/$id" params={{ id: item.session_id }} search={{}} className={ROW} onClick={onOpen}>
      {content}
    </Link>
  );
};
