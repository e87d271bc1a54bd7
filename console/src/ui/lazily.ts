import { type ComponentType, createElement, useEffect, useState } from 'react';

/**
 * Returns a component that is loaded when it is first shown: what the first load can do without. One that could not be
 * loaded is tried again when it is shown again. React's own `lazy` would show it 300 ms later, as fallbacks stay so long.
 */
export function lazily<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let Loaded: ComponentType<Props> | undefined;
  let loading: Promise<void> | undefined;
  const loadOnce = () => {
    loading ??= load().then(
      (loaded) => {
        Loaded = loaded;
      },
      (error) => {
        loading = undefined;
        throw error;
      },
    );
    return loading;
  };
  return (props) => {
    const [tried, settle] = useState<{ error?: Error }>();
    useEffect(() => {
      if (Loaded !== undefined) return;
      let isShown = true;
      const end = (result: { error?: Error }) => {
        if (isShown) settle(result);
      };
      loadOnce().then(
        () => end({}),
        (error: unknown) => end({ error: error instanceof Error ? error : new Error(`${error}`) }),
      );
      return () => {
        isShown = false;
      };
    }, []);
    if (tried?.error !== undefined) throw tried.error;
    return Loaded === undefined ? null : createElement(Loaded, props);
  };
}
