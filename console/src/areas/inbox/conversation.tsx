import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { ArrowLeft } from 'lucide-react';
import { useRef } from 'react';
import { ApiError, type Schemas } from '../../api/client';
import { membersQuery, meQuery, sessionQuery } from '../../api/queries';
import { useKeys } from '../../ui/keys';
import { Button, Empty, Failure, Skeleton } from '../../ui/parts';
import { type Actions, useActions } from './actions';
import { Composer } from './composer/composer';
import { ContactCard } from './contact-card';
import { contactNameOf } from './session-row';
import { Confirmations } from './thread/confirmations';
import { Thread } from './thread/thread';

const HOUR_MS = 3_600_000;

/** A session with its history: what was said, what can be done, and who it is with. */
export const Conversation = ({ id }: { id: string }) => {
  const session = useQuery(sessionQuery(id));
  const me = useQuery(meQuery);
  if (session.error instanceof ApiError && session.error.status === 404)
    return <Empty title="There is no such conversation">It may have been deleted.</Empty>;
  if (session.error !== null) return <Failure error={session.error} onRetry={() => void session.refetch()} />;
  if (session.data === undefined || me.data === undefined) return <Skeleton rows={6} />;
  return <Opened session={session.data} me={me.data} />;
};

const Opened = ({ session, me }: { session: Schemas['ChatSession']; me: Schemas['Me'] }) => {
  const actions = useActions(session, me);
  const seen = useRef<string>(undefined);
  const canWrite = me.scopes.includes('chat-sessions:write');
  const isOpen = session.status === 'open';
  useKeys(
    canWrite
      ? {
          i: actions.takeOver,
          t: actions.takeOver,
          'Shift+t': actions.returnToAi,
          e: () => actions.setStatus(isOpen ? 'closed_resolved' : 'open'),
          h: () => actions.snooze(null),
          u: actions.markUnread,
        }
      : {},
  );
  return (
    <>
      <div className="flex min-w-0 flex-1 flex-col">
        <Head session={session} me={me} actions={actions} canWrite={canWrite} />
        <Thread session={session} me={me} seen={seen} />
        <Confirmations sessionId={session.id} actions={actions} canDecide={canWrite} />
        {canWrite && <Composer session={session} me={me} actions={actions} seen={seen} />}
      </div>
      <ContactCard session={session} actions={actions} canWrite={canWrite} />
    </>
  );
};

interface HeadProps {
  session: Schemas['ChatSession'];
  me: Schemas['Me'];
  actions: Actions;
  canWrite: boolean;
}

const Head = ({ session, me, actions, canWrite }: HeadProps) => {
  const navigate = useNavigate();
  const search = useSearch({ strict: false });
  return (
    <header className="border-b border-line bg-surface px-3 py-2">
      <div className="flex items-center gap-2">
        <Button
          look="quiet"
          aria-label="Back to the list"
          className="px-1.5 min-[900px]:hidden"
          onClick={() => void navigate({ to: '/inbox', search })}
        >
          <ArrowLeft size={18} />
        </Button>
        <h2 className="truncate text-base font-semibold">{contactNameOf(session)}</h2>
        <span className="shrink-0 text-quiet">
          #{session.ticket_number} · {session.channel.type}
        </span>
        <span className="ml-auto truncate text-quiet">{whoAnswers(session)}</span>
      </div>
      {canWrite && <Controls session={session} me={me} actions={actions} />}
    </header>
  );
};

const whoAnswers = ({ answered_by, ai, status }: Schemas['ChatSession']) => {
  if (status !== 'open') return 'Closed';
  if (answered_by === 'ai') return ai.label === null ? 'The AI answers' : `AI · ${ai.label}`;
  return answered_by === 'people' ? 'People answer' : 'Nobody answers';
};

const Controls = ({ session, me, actions }: Omit<HeadProps, 'canWrite'>) => {
  const isOpen = session.status === 'open';
  const isOwn = session.assignee_id !== null && session.assignee_id === me.member?.id;
  return (
    <div className="mt-2 flex flex-wrap items-center gap-1.5">
      <Assignee session={session} me={me} actions={actions} />
      {!isOwn && isOpen && (
        <Button aria-keyshortcuts="t" title="T" onClick={actions.takeOver}>
          Take over
        </Button>
      )}
      {session.answered_by === 'people' && isOpen && (
        <Button aria-keyshortcuts="Shift+t" title="Shift T" onClick={actions.returnToAi}>
          Return to AI
        </Button>
      )}
      {isOpen && <Snooze onSnooze={actions.snooze} />}
      <Button aria-keyshortcuts="e" title="E" onClick={() => actions.setStatus(isOpen ? 'closed_resolved' : 'open')}>
        {isOpen ? 'Close' : 'Open again'}
      </Button>
      {isOpen && (
        <Button aria-label="Close as unresolved" onClick={() => actions.setStatus('closed_unresolved')}>
          Unresolved
        </Button>
      )}
    </div>
  );
};

const SELECT = 'h-8 max-w-28 rounded-md border border-line bg-surface px-2 hover:bg-hover';

const Assignee = ({ session, me, actions }: Omit<HeadProps, 'canWrite'>) => {
  const listed = useQuery(membersQuery).data;
  const members = listed ?? (me.member === null ? [] : [me.member]);
  const isUnlisted = session.assignee_id !== null && !members.some(({ id }) => id === session.assignee_id);
  return (
    <select
      aria-label="Assignee"
      className={SELECT}
      value={session.assignee_id ?? ''}
      onChange={({ target }) => actions.assign(members.find(({ id }) => `${id}` === target.value) ?? null)}
    >
      <option value="">Nobody</option>
      {isUnlisted && <option value={session.assignee_id ?? ''}>Somebody else</option>}
      {members.map(({ id, name }) => (
        <option key={id} value={id}>
          {id === me.member?.id ? `${name} (me)` : name}
        </option>
      ))}
    </select>
  );
};

const Snooze = ({ onSnooze }: { onSnooze: (until: string | null) => void }) => (
  <select
    aria-label="Snooze"
    className={SELECT}
    value=""
    onChange={({ target }) => onSnooze(target.value === 'reply' ? null : snoozeEnd(target.value))}
  >
    <option value="" disabled>
      Snooze
    </option>
    <option value="reply">Until a reply</option>
    <option value="hour">For an hour</option>
    <option value="tomorrow">Until tomorrow, 9:00</option>
  </select>
);

function snoozeEnd(choice: string): string {
  if (choice === 'hour') return new Date(Date.now() + HOUR_MS).toISOString();
  const end = new Date();
  end.setDate(end.getDate() + 1);
  end.setHours(9, 0, 0, 0);
  return end.toISOString();
}
