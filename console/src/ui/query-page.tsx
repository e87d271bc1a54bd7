import type { ReactNode } from 'react';
import { isMissing } from '../api/client';
import { Page } from './page';
import { Empty, Failure, Skeleton } from './parts';

interface WaitingProps {
  /** What is read, as a heading says it. */
  title: string;
  tabs?: ReactNode;
  query: { error: Error | null; isPending: boolean; refetch: () => Promise<unknown> };
  /** What is said if there is no such thing. */
  missing: string;
}

/** A page in the place of one that is still read, could not be read, or is not there. */
export const WaitingPage = ({ title, tabs, query, missing }: WaitingProps) => {
  const isThere = !isMissing(query.error);
  return (
    <Page title={title} tabs={tabs}>
      {!isThere && <Empty title={missing}>It may have been deleted.</Empty>}
      {query.error !== null && isThere && <Failure error={query.error} onRetry={() => void query.refetch()} />}
      {query.isPending && <Skeleton rows={6} />}
    </Page>
  );
};
