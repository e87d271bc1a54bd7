import { type AnyRoute, createRoute, notFound, redirect } from '@tanstack/react-router';
import { root } from './root';

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** The areas whose routes are loaded with the first of their pages. */
    areas?: string[];
  }
}

type Load = () => Promise<readonly AnyRoute[]>;

/**
 * Takes each address that no route has. If it is below the first page of an area that was not opened yet, loads the
 * area's routes, gives them to `add`, and has the address matched once more.
 */
export function later(areas: Record<string, Load>, add: (routes: readonly AnyRoute[]) => void) {
  const unloaded = new Map(Object.entries(areas));
  return createRoute({
    getParentRoute: () => root,
    path: '$',
    staticData: { areas: Object.keys(areas) },
    beforeLoad: async ({ location }) => {
      const area = location.pathname.split('/')[1] ?? '';
      const load = unloaded.get(area);
      if (load === undefined) return notFound({ throw: true });
      const routes = await load();
      if (unloaded.delete(area)) add(routes);
      return redirect({ href: location.href, replace: true, throw: true });
    },
  });
}
