import { useEffect, useMemo } from 'react';
import { api } from '../../api/client';

const REPEAT_MS = 15_000;
const TYPING_MS = 6_000;

/** Requests go out one after the other, so the last state is the last to arrive. */
let reports: Promise<unknown> = Promise.resolve();
const report = (send: () => Promise<unknown>) => {
  reports = reports.then(send).catch(() => {}); // the next one says the same
};

/** Shows to the others that the member views a session, and types there after each call of `onTyping`. */
export function useMyPresence(id: string) {
  const presence = useMemo(() => createPresence(id), [id]);
  useEffect(() => presence.start(), [presence]);
  return presence;
}

function createPresence(id: string) {
  const params = { path: { id } };
  let typedAt = 0;
  let pause: ReturnType<typeof setTimeout> | undefined;
  const show = () => {
    const state = Date.now() - typedAt < TYPING_MS ? 'typing' : 'viewing';
    report(() => api.PUT('/chat/sessions/{id}/presence', { params, body: { state } }));
  };
  const leave = () => report(() => api.DELETE('/chat/sessions/{id}/presence', { params, keepalive: true }));
  const look = () => (document.visibilityState === 'visible' ? show() : leave());
  return {
    start() {
      look();
      const timer = setInterval(() => document.visibilityState === 'visible' && show(), REPEAT_MS);
      document.addEventListener('visibilitychange', look);
      return () => {
        clearInterval(timer);
        clearTimeout(pause);
        document.removeEventListener('visibilitychange', look);
        leave();
      };
    },
    onTyping() {
      const isNews = Date.now() - typedAt >= TYPING_MS;
      typedAt = Date.now();
      if (isNews) show();
      clearTimeout(pause);
      pause = setTimeout(show, TYPING_MS);
    },
    onStopped() {
      if (typedAt === 0) return;
      clearTimeout(pause);
      typedAt = 0;
      show();
    },
  };
}
