// Takes the place of what makes the router restore the scrolling of the window, which never scrolls here: parts of pages do.
const absent = (): undefined => undefined;

export {
  absent as defaultGetScrollRestorationKey,
  absent as getElementScrollRestorationEntry,
  absent as ScrollRestoration,
  absent as setupScrollRestoration,
  absent as storageKey,
};
