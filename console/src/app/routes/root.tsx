import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, Outlet, useLocation, useRouter } from '@tanstack/react-router';
import { type ReactNode, useRef } from 'react';
import { Button } from '../../ui/parts';
import { Shell } from '../shell';

/** What is shown in place of a page that is missing or broken, with the one heading that each page has. */
const Missing = ({ title, children }: { title: string; children: ReactNode }) => (
  <div className="m-auto max-w-80 p-6 text-center text-balance">
    <h1 className="font-medium">{title}</h1>
    <div className="mt-1 text-quiet">{children}</div>
  </div>
);

/** In the place of a page whose code cannot be loaded or fails: the frame around it stays. */
export const Failed = () => {
  const router = useRouter();
  const button = useRef<HTMLButtonElement>(null);
  const tryAgain = async () => {
    await router.invalidate();
    await new Promise(requestAnimationFrame);
    // A browser may remember that a file could not be loaded: another page asks for it again.
    if (button.current?.isConnected && (await fetch('/console/').catch(() => undefined))?.ok) window.location.reload();
  };
  return (
    <Missing title="This page could not be shown">
      <Button ref={button} className="mt-3" onClick={() => void tryAgain()}>
        Try again
      </Button>
    </Missing>
  );
};

/** The operator is no member: its pages have no frame. */
const Frame = () => (useLocation().pathname === '/operator' ? <Outlet /> : <Shell />);

/** The frame of all pages, and what it shows in the place of one that is not there. */
export const root = createRootRouteWithContext<{ client: QueryClient }>()({
  component: Frame,
  notFoundComponent: () => <Missing title="There is no such page">The address may be mistyped.</Missing>,
  errorComponent: () => <Failed />,
});
