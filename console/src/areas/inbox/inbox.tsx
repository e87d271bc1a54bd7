import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { viewsQuery } from '../../api/queries';
import { takeDestination } from '../../app/sign-in';
import { Empty } from '../../ui/parts';
import { Conversation } from './conversation';
import { SessionList } from './session-list';
import { Views } from './views';

/** The views, the list of one, and a conversation: three panes, and one at a time on a narrow screen. */
export const Inbox = () => {
  const { id } = useParams({ strict: false });
  const search = useSearch({ strict: false });
  const views = useQuery(viewsQuery).data?.items ?? [];
  const view = search.view ?? (id === undefined ? views[0]?.id : 'all');
  const navigate = useNavigate();
  useEffect(() => {
    const destination = takeDestination();
    if (destination !== undefined) void navigate({ to: destination, replace: true });
  }, [navigate]);
  return (
    <>
      <h1 className="sr-only">Inbox</h1>
      <Views views={views} current={view} />
      <div
        className={`w-full shrink-0 flex-col border-r border-line bg-surface min-[900px]:flex min-[900px]:w-80 ${id ? 'hidden' : 'flex'}`}
      >
        {view !== undefined && <SessionList views={views} filters={{ view, q: search.q }} openId={id} />}
      </div>
      <section aria-label="Conversation" className={`min-w-0 flex-1 min-[900px]:flex ${id ? 'flex' : 'hidden'}`}>
        {id === undefined ? (
          <Empty title="No conversation is open">Choose one from the list, or press J.</Empty>
        ) : (
          <Conversation key={id} id={id} />
        )}
      </section>
    </>
  );
};
