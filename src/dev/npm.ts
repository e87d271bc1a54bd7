import { commandOf, identityOf, parentOf } from './processes.ts';

const CHECK_MS = 200;

/**
 * Calls back when the npm that runs us has gone without passing on a signal: it forwards some only to its shell, which keeps
 * them to itself, and dies of others. Does nothing where npm did not start us.
 */
export function onNpmGone(callback: () => void): void {
  if (process.env.npm_lifecycle_event === undefined) return;
  const shells = [process.ppid, parentOf(process.ppid) ?? 0];
  const npm = shells.find((pid) => /\bnpm\b/.test(commandOf(pid) ?? ''));
  const identity = npm && identityOf(npm);
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent && (!npm || identityOf(npm) === identity)) return;
    clearInterval(timer);
    callback();
  }, CHECK_MS);
  timer.unref();
}
