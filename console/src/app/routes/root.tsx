import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, Outlet, useLocation } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Button } from '../../ui/parts';
import { Shell } from '../shell';
import { say } from '../undo';

/** Stands for a missing or broken page. It has the heading of the page. */
const Missing = ({ title, children }: { title: string; children: ReactNode }) => (
  <div className="m-auto max-w-80 p-6 text-center text-balance">
    <h1 className="font-medium">{title}</h1>
    <div className="mt-1 text-quiet">{children}</div>
  </div>
);

/**
 * Replaces a page if its code cannot be loaded or fails. The frame around it stays. Another page tries again, as a browser
 * may remember failed files.
 */
export const Failed = () => (
  <Missing title="This page could not be shown">
    <Button
      className="mt-3"
      onClick={() =>
        void fetch('/console/').then(
          ({ ok, status }) =>
            ok ? window.location.reload() : say(`The server answered ${status}: try again soon`, { isError: true }),
          () => say('The server cannot be reached', { isError: true }),
        )
      }
    >
      Try again
    </Button>
  </Missing>
);

/** The operator is no member: its pages have no frame. */
const Frame = () => (useLocation().pathname === '/operator' ? <Outlet /> : <Shell />);

/** The frame of all pages, and the replacement of a missing one. */
export const root = createRootRouteWithContext<{ client: QueryClient }>()({
  component: Frame,
  notFoundComponent: () => <Missing title="There is no such page">The address may be mistyped.</Missing>,
  errorComponent: Failed,
});
