import { useCallback, useEffect, useRef, useState } from 'react';
import { say } from '../../../app/undo';

const HELD_MS = 5_000;

/** The channels on which a message cannot be taken back once it is on its way. Web chats are read at once, and wait for nothing. */
export const HELD_ON = ['email', 'sms', 'whatsapp'];

type Send = (isLeft: boolean) => void;

/** Holds a send for five seconds, in which it can be undone. It goes at once if the conversation or the page is left. */
export function useHeld() {
  const [isHeld, setHeld] = useState(false);
  const held = useRef<{ send: Send; timer: ReturnType<typeof setTimeout> }>(undefined);
  const cancel = useCallback(() => {
    clearTimeout(held.current?.timer);
    held.current = undefined;
    setHeld(false);
  }, []);
  const release = useCallback(
    (isLeft: boolean) => {
      const send = held.current?.send;
      cancel();
      send?.(isLeft);
    },
    [cancel],
  );
  useEffect(() => {
    const leave = () => release(true);
    window.addEventListener('pagehide', leave);
    return () => {
      window.removeEventListener('pagehide', leave);
      leave();
    };
  }, [release]);
  const hold = (send: Send) => {
    held.current = { send, timer: setTimeout(() => release(false), HELD_MS) };
    setHeld(true);
    say('Sending in 5 seconds', { undo: cancel });
  };
  return { isHeld, hold, cancel };
}
