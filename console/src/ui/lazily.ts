import { type ComponentType, createElement, lazy, Suspense } from 'react';

/** Returns a component that is loaded when it is first shown: what the first load can do without. */
export function lazily<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  const Loaded = lazy(async () => ({ default: await load() }));
  return (props) => createElement(Suspense, null, createElement<Props>(Loaded, props));
}
