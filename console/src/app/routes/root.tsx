import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext } from '@tanstack/react-router';
import { Button, Empty } from '../../ui/parts';
import { Shell } from '../shell';

/** The frame of all pages, and what it shows in the place of one that is not there. */
export const root = createRootRouteWithContext<{ client: QueryClient }>()({
  component: Shell,
  notFoundComponent: () => <Empty title="There is no such page">The address may be mistyped.</Empty>,
  errorComponent: () => (
    <Empty title="This page could not be shown">
      <Button className="mt-3" onClick={() => window.location.reload()}>
        Load it again
      </Button>
    </Empty>
  ),
});
