import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ApiError } from '../../../api/client';
import { segmentQuery, sequenceQuery } from '../../../api/outbound';
import { endOf } from '../../../ui/short-id';

const LINK = 'text-link hover:underline';
const NAME_STALE_MS = 60_000;

const isGone = (error: Error | null): boolean => error instanceof ApiError && error.status === 404;

/** A segment by its name, which leads to it. */
export const SegmentName = ({ id }: { id: string }) => {
  const { data, error } = useQuery({ ...segmentQuery(id), staleTime: NAME_STALE_MS });
  if (isGone(error)) return 'a deleted segment';
  return (
    <>
      the segment{' '}
      <Link to="/contacts/segments/$segmentId" params={{ segmentId: id }} className={LINK}>
        {data?.name ?? endOf(id)}
      </Link>
    </>
  );
};

/** A sequence by its name, which leads to it. */
export const SequenceName = ({ id }: { id: string }) => {
  const { data, error } = useQuery({ ...sequenceQuery(id), staleTime: NAME_STALE_MS, refetchInterval: false });
  if (isGone(error)) return 'a deleted sequence';
  return (
    <>
      the sequence{' '}
      <Link to="/outbound/$sequenceId" params={{ sequenceId: data?.id ?? id }} search={{}} className={LINK}>
        {data?.name ?? endOf(id)}
      </Link>
    </>
  );
};
