import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { createPatcher } from '../api/caches';
import { followLive } from '../api/live';
import { clearPresence, notePresence } from '../api/presence';

/** A connection that is away for less is not worth a word. */
const PATIENCE_MS = 10_000;

/** Keeps what is read up to date. Returns whether it is. */
export function useLive(): boolean {
  const client = useQueryClient();
  const [isLive, setLive] = useState(true);
  useEffect(() => {
    const patch = createPatcher(client);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = followLive((notice) => {
      if ('event' in notice) patch(notice.event);
      if ('presence' in notice) notePresence(client, notice.presence);
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
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [client]);
  return isLive;
}
