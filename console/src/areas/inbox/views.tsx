import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import type { Schemas } from '../../api/client';
import { countsQuery } from '../../api/queries';
import { useKeys } from '../../ui/keys';

type View = Schemas['InboxView'];
const MOST_COUNTED = 1_000;

/** The views with their counts. Keys 1 to 9 open them. */
export const Views = ({ views, current }: { views: View[]; current: string | undefined }) => {
  const counts = useQuery(countsQuery(views.map(({ id }) => id))).data?.counts ?? {};
  const navigate = useNavigate();
  useKeys(
    Object.fromEntries(
      views.slice(0, 9).map(({ id }, n) => [`${n + 1}`, () => void navigate({ to: '/inbox', search: { view: id } })]),
    ),
  );
  return (
    <nav
      aria-label="Views"
      className="hidden w-48 shrink-0 overflow-y-auto border-r border-line p-2 min-[1200px]:block"
    >
      <h2 className="px-2 pt-1 pb-2 font-semibold">Inbox</h2>
      <ul>
        {views.map(({ id, name }) => (
          <li key={id}>
            <Link
              to="/inbox"
              search={{ view: id }}
              aria-current={id === current ? 'page' : undefined}
              className="flex h-8 items-center gap-2 rounded-md px-2 hover:bg-hover aria-[current=page]:bg-selected aria-[current=page]:font-medium"
            >
              <span className="flex-1 truncate">{name}</span>
              <Count {...counts[id]} />
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
};

const Count = ({ total = 0, unread }: { total?: number; unread?: number | null }) => (
  <span className="text-xs tabular-nums text-quiet">
    {total >= MOST_COUNTED ? '1,000+' : total || ''}
    {unread ? <span className="ml-1 font-semibold text-link" title="unread">{`· ${unread}`}</span> : null}
  </span>
);
