import { type AnyRoute, createRoute, notFound, redirect } from '@tanstack/react-router';
import { root } from './root';

/**
 * Stands for the pages below a path until the first of them is opened. Then it loads their routes, gives them to `add`,
 * and the address is matched once more.
 */
export function later(path: string, load: () => Promise<readonly AnyRoute[]>, add: (routes: readonly AnyRoute[]) => void) {
  let isLoaded = false;
  return createRoute({
    getParentRoute: () => root,
    path: `${path}/$`,
    beforeLoad: async ({ location }) => {
      if (isLoaded) throw notFound(); // none of the routes has this address
      const routes = await load();
      if (!isLoaded) add(routes);
      isLoaded = true;
      throw redirect({ href: location.href, replace: true });
    },
  });
}
