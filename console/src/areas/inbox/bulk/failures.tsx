import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { InboxRow } from '../../../api/caches';
import { rowsOf } from '../../../api/inbox-lists';
import { linkTo } from '../../../app/ref-links';
import { endOf } from '../../../ui/short-id';
import { visitorNameOf } from '../visitor-name';
import type { Outcome } from './jobs';

export interface FailuresProps extends Pick<Outcome, 'errors' | 'failed'> {
  /** What the ids belong to. */
  kind: 'session' | 'run' | 'delivery';
}

/** Why some were not changed, by reason, with a link to each. The API names the first hundred. */
export const Failures = ({ kind, errors, failed }: FailuresProps) => {
  const client = useQueryClient();
  if (failed === 0) return null;
  const rows = new Map<string, InboxRow>();
  for (const [, list] of client.getQueriesData<Parameters<typeof rowsOf>[0]>({ queryKey: ['listInbox'] }))
    for (const row of list === undefined ? [] : rowsOf(list)) rows.set(row.id, row);
  const nameOf = (id: string) => {
    const row = rows.get(id);
    return row === undefined ? endOf(id) : visitorNameOf(row);
  };
  return (
    <ul className="mt-1 max-h-32 space-y-1 overflow-y-auto text-xs">
      {Object.entries(Object.groupBy(errors, ({ error = '' }) => error)).map(([reason, failures = []]) => (
        <li key={reason} className="text-bad-text">
          {reason}:{' '}
          {failures.map(({ id }, nth) => (
            <span key={id}>
              {nth > 0 && ', '}
              <Link {...linkTo({ kind, id })} className="underline">
                {nameOf(id)}
              </Link>
            </span>
          ))}
        </li>
      ))}
      {failed > errors.length && <li className="text-quiet">and {failed - errors.length} more</li>}
    </ul>
  );
};
