import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { isMissing, type Schemas } from '../../api/client';
import { meQuery, sessionQuery } from '../../api/queries';
import { useKeys } from '../../ui/keys';
import { lazily } from '../../ui/lazily';
import { Empty, Failure, Skeleton } from '../../ui/parts';
import { useActions } from './actions';
import { Composer } from './composer/composer';
import { Details } from './details/details';
import { useDetailsPane } from './details/pane';
import { Head } from './head/head';
import { Writers } from './present-members';
import { Confirmations } from './thread/confirmations';
import { Thread } from './thread/thread';

const Dialog = lazily(async () => (await import('../../ui/dialogs/dialog')).Dialog);
const HandoffCard = lazily(async () => (await import('./thread/handoff-card')).HandoffCard);

/** A session with its history, its actions and its contact. */
export const Conversation = ({ id }: { id: string }) => {
  const session = useQuery(sessionQuery(id));
  const me = useQuery(meQuery);
  if (isMissing(session.error)) return <Empty title="There is no such conversation">It may have been deleted.</Empty>;
  if (session.error !== null && session.data === undefined)
    return <Failure error={session.error} onRetry={() => void session.refetch()} />;
  if (session.data === undefined || me.data === undefined) return <Skeleton rows={6} />;
  return <Opened session={session.data} me={me.data} />;
};

const Opened = ({ session, me }: { session: Schemas['ChatSession']; me: Schemas['Me'] }) => {
  const actions = useActions(session, me);
  const seen = useRef<string>(undefined);
  const pane = useDetailsPane();
  const canWrite = me.scopes.includes('chat-sessions:write');
  useKeys({ ']': pane.toggle });
  const details = <Details session={session} actions={actions} canWrite={canWrite} />;
  const { handoff } = session;
  return (
    <>
      <div className="flex min-w-0 flex-1 flex-col">
        <Head session={session} me={me} actions={actions} canWrite={canWrite} onDetails={pane.toggle} />
        <Thread session={session} me={me} seen={seen} />
        <div className="max-h-[40%] shrink-0 overflow-y-auto px-3">
          {handoff !== null && handoff.state !== 'done' && session.status === 'open' && (
            <HandoffCard handoff={handoff} actions={actions} canWrite={canWrite} />
          )}
          <Confirmations
            sessionId={session.id}
            actions={actions}
            canDecide={me.scopes.includes('confirmations:write')}
          />
        </div>
        <Writers sessionId={session.id} myId={me.member?.id} />
        {canWrite && <Composer session={session} me={me} actions={actions} seen={seen} />}
      </div>
      {pane.isBeside && (
        <aside
          aria-label="Details"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard scrolls it only where it has the focus
          tabIndex={0}
          className="w-64 shrink-0 overflow-y-auto border-l border-line bg-surface p-4"
        >
          {details}
        </aside>
      )}
      {pane.isOver && (
        <Dialog title="Details" onClose={pane.close}>
          {details}
        </Dialog>
      )}
    </>
  );
};
