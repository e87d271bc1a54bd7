import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import type { Schemas } from '../../api/client';
import { countsQuery } from '../../api/queries';
import { pressKey, useKeys } from '../../ui/keys';

type View = Schemas['InboxView'];
const MOST_COUNTED = 1_000;

/** The views with their counts. Keys 1 to 9 open them, folded or not. */
export const Views = ({
  views,
  current,
  isFolded,
  canWrite,
}: {
  views: View[];
  current: string | undefined;
  isFolded: boolean;
  canWrite: boolean;
}) => {
  const counts = useQuery(countsQuery(views.map(({ id }) => id))).data?.counts ?? {};
  const navigate = useNavigate();
  useKeys(
    Object.fromEntries(
      views.slice(0, 9).map(({ id }, n) => [`${n + 1}`, () => void navigate({ to: '/inbox', search: { view: id } })]),
    ),
  );
  /** A new view has its chosen filters, and none of the open view. */
  const begin = async () => {
    await navigate({ to: '/inbox', search: { view: 'all' } });
    if (document.querySelector('fieldset[aria-label=Filters]') === null) pressKey('f');
  };
  return (
    <nav
      aria-label="Views"
      className={`hidden w-48 shrink-0 overflow-y-auto border-r border-line p-2 ${isFolded ? '' : 'min-[1200px]:block'}`}
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
      {canWrite && (
        <button
          type="button"
          title="Filter the list, then save it as a view"
          className="mt-1 flex h-8 w-full items-center gap-2 rounded-md px-2 text-quiet hover:bg-hover hover:text-text"
          onClick={() => void begin()}
        >
          <Plus size={14} aria-hidden="true" />
          New view
        </button>
      )}
    </nav>
  );
};

const shownCount = (count: number) => (count >= MOST_COUNTED ? '1,000+' : `${count}`);

const Count = ({ total = 0, unread }: { total?: number; unread?: number | null }) => (
  <span className="flex shrink-0 items-center gap-1.5 text-xs tabular-nums text-quiet">
    {unread ? (
      <span className="flex items-center gap-1 font-semibold text-link" title={`${shownCount(unread)} unread`}>
        <span aria-hidden="true" className="size-1.5 rounded-full bg-accent" />
        {shownCount(unread)}
        <span className="sr-only">unread of</span>
      </span>
    ) : null}
    {total > 0 && shownCount(total)}
  </span>
);
