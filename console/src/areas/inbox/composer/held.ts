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
  const end = useCallback(() => {
    const send = held.current?.send;
    clearTimeout(held.current?.timer);
    held.current = undefined;
    setHeld(false);
    return send;
  }, []);
  const cancel = useCallback(() => {
    if (end() !== undefined) say('Not sent: it is still a draft');
  }, [end]);
  const release = useCallback((isLeft: boolean) => end()?.(isLeft), [end]);
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
