import { useQuery } from '@tanstack/react-query';
import { useParams, useSearch } from '@tanstack/react-router';
import { FIRST_VIEW, filtersIn, VIEW_OF_LINKS } from '../../api/inbox-filters';
import { meQuery, viewsQuery } from '../../api/queries';
import { useKeys } from '../../ui/keys';
import { lazily } from '../../ui/lazily';
import { Empty, Skeleton } from '../../ui/parts';
import { useStoredFlag } from '../../ui/stored-flag';
import { SessionList } from './list/session-list';
import { Views } from './views';

const Conversation = lazily(async () => (await import('./conversation')).Conversation, <Skeleton rows={6} />);

/** The views, the list of one, and a conversation: three panes, and one at a time on a narrow screen. */
export const Inbox = () => {
  const { id } = useParams({ strict: false });
  const search = filtersIn(useSearch({ strict: false }));
  const me = useQuery(meQuery).data;
  const views = useQuery(viewsQuery).data?.items ?? [];
  const filters = { ...search, view: search.view ?? (id === undefined ? FIRST_VIEW : VIEW_OF_LINKS) };
  const [isFolded, fold] = useStoredFlag('switchboard-views-folded');
  useKeys({ '[': fold });
  return (
    <>
      <h1 className="sr-only">Inbox</h1>
      <Views
        views={views}
        current={filters.view}
        isFolded={isFolded}
        canWrite={me?.scopes.includes('chat-sessions:write') ?? false}
      />
      <section
        aria-label="Conversations of the view"
        className={`w-full min-w-0 shrink-0 flex-col border-r border-line bg-surface min-[900px]:flex min-[900px]:w-85 ${id ? 'hidden' : 'flex'}`}
      >
        {me !== undefined && <SessionList me={me} views={views} filters={filters} openId={id} isFolded={isFolded} />}
      </section>
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
