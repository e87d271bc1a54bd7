import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import type { ComponentProps } from 'react';
import { Button } from '../parts';

interface ShowMoreProps extends Pick<ComponentProps<typeof Button>, 'look' | 'className' | 'children'> {
  query: Pick<UseInfiniteQueryResult, 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'>;
}

/** A button for the next page of a list, while there is one. */
export const ShowMore = ({ query, children = 'Show more', ...looks }: ShowMoreProps) =>
  query.hasNextPage && (
    <Button disabled={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()} {...looks}>
      {children}
    </Button>
  );
