import { commandOf, identityOf, parentOf } from './processes.ts';

const CHECK_MS = 200;

/**
 * Calls back when npm has ended without passing on a signal. Npm dies of some signals, and forwards others only to its
 * shell, where they end. Does nothing if npm did not start this process.
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
