import { type ComponentType, createElement, type ReactNode, useEffect, useState } from 'react';

/**
 * Returns a component that is loaded when it is first shown. `meanwhile` stands in its place until then. A failed load is
 * tried again when the component is shown again. React's own `lazy` would show it 300 ms later, as fallbacks stay so long.
 */
export function lazily<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  meanwhile: ReactNode = null,
): ComponentType<Props> {
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
    const Shown = Loaded; // it can come between a render and its effect
    const [, settle] = useState({});
    useEffect(() => {
      if (Shown !== undefined) return;
      void loadOnce().then(
        () => settle({}),
        (error: unknown) =>
          settle(() => {
            throw error;
          }),
      );
    }, []);
    return Shown === undefined ? meanwhile : createElement(Shown, props);
  };
}
