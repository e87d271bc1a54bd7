import { type ComponentType, createElement, lazy, Suspense } from 'react';

/**
 * Returns a component that is loaded when it is first shown: what the first load can do without. One that could not be
 * loaded is tried again when it is shown again.
 */
export function lazily<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  const attempt = (): ComponentType<Props> =>
    lazy(() =>
      load().then(
        (loaded) => ({ default: loaded }),
        (error) => {
          Loaded = attempt();
          throw error;
        },
      ),
    );
  let Loaded = attempt();
  return (props) => createElement(Suspense, null, createElement<Props>(Loaded, props));
}
