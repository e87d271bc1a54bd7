/** What is still to be tried. */
const OPEN = ['pending', 'retrying'];

/** Returns the status of a delivery as it is shown. While its endpoint is disabled, all that is open is held, or will be. */
export const shownStatus = <Status extends string>(status: Status, isEnabled: boolean): Status | 'held' =>
  !isEnabled && OPEN.includes(status) ? 'held' : status;

/** Returns the stored states of deliveries that are shown in these. */
export const storedStates = (shown: string[], isEnabled: boolean): string[] =>
  isEnabled
    ? shown
    : shown.flatMap((status) => (status === 'held' ? [status, ...OPEN] : OPEN.includes(status) ? [] : [status]));
