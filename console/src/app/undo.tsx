import { useEffect, useSyncExternalStore } from 'react';
import { isInField } from '../ui/keys';
import { Button } from '../ui/parts';

interface Notice {
  text: string;
  isError: boolean;
  undo?: (() => void) | undefined;
}

const SHOWN_MS = 5_000;
let shown: Notice | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

/** Says for five seconds what was done, or why it was not. `undo` takes it back. */
export function say(text: string, { undo, isError = false }: { undo?: () => void; isError?: boolean } = {}): void {
  show({ text, undo, isError });
  clearTimeout(timer);
  timer = setTimeout(() => show(undefined), SHOWN_MS);
}

function show(notice: Notice | undefined): void {
  shown = notice;
  for (const listener of listeners) listener();
}

function undo(): void {
  const taken = shown;
  show(undefined);
  taken?.undo?.(); // it may say what became of it
}

/** Returns whether a key is text of a field. One that is read-only, as while a reply is held, takes none. */
const isWritten = (target: EventTarget | null): boolean =>
  isInField(target) && !(target as HTMLTextAreaElement).readOnly;

export const UndoBar = () => {
  const notice = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    () => shown,
  );
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'z' || event.ctrlKey || event.metaKey || isWritten(event.target)) return;
      event.preventDefault(); // the field can be writable again before the key is typed
      undo();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
  return (
    <div role="status" className="undo-place">
      {notice !== undefined && (
        <div
          className={`pointer-events-auto flex min-w-0 items-center gap-3 rounded-md break-words min-[900px]:max-w-84 border border-line px-4 py-2 shadow-lg ${notice.isError ? 'bg-bad text-bad-text' : 'bg-surface'}`}
        >
          {notice.text}
          {notice.undo !== undefined && (
            <Button look="quiet" aria-keyshortcuts="z" onClick={undo}>
              Undo
            </Button>
          )}
        </div>
      )}
    </div>
  );
};
