import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { createPatcher } from '../api/caches';
import { type Broadcast, followLive } from '../api/live';
import { clearPresence, notePresence, presenceQuery } from '../api/presence';
import { notificationsQuery } from '../api/queries';

/** A connection that is away for less is not worth a word. */
const PATIENCE_MS = 10_000;

/** Keeps what is read up to date. Returns whether it is. */
export function useLive(): boolean {
  const client = useQueryClient();
  const [isLive, setLive] = useState(true);
  useEffect(() => {
    const patch = createPatcher(client);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const hear = (broadcast: Broadcast) => {
      if (broadcast.type === 'notification') void client.invalidateQueries(notificationsQuery);
      else notePresence(client, broadcast);
    };
    const onNotice: Parameters<typeof followLive>[0] = (notice) => {
      if ('event' in notice) patch(notice.event);
      if ('broadcast' in notice) hear(notice.broadcast);
      if ('isResumed' in notice) {
        clearPresence(client);
        void client.invalidateQueries();
      }
      if (!('state' in notice)) return;
      if (notice.state === 'live') {
        clearTimeout(timer);
        timer = undefined;
        setLive(true);
      } else timer ??= setTimeout(() => setLive(false), PATIENCE_MS);
    };
    const stop = followLive(onNotice, () => client.getQueryData(presenceQuery.queryKey) ?? []);
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [client]);
  return isLive;
}

/** Returns whether the browser has a network. */
export function useOnline(): boolean {
  const [isOnline, setOnline] = useState(navigator.onLine);
  useEffect(() => {
    const onChange = () => setOnline(navigator.onLine);
    window.addEventListener('online', onChange);
    window.addEventListener('offline', onChange);
    return () => {
      window.removeEventListener('online', onChange);
      window.removeEventListener('offline', onChange);
    };
  }, []);
  return isOnline;
}
