import { useEffect, useRef } from 'react';
import { Button } from '../ui/parts';

const KEYS = [
  ['J, ↓', 'Next conversation'],
  ['K, ↑', 'Previous conversation'],
  ['Esc', 'Back to the list'],
  ['R', 'Write a reply'],
  ['N', 'Write a note'],
  ['Ctrl Enter', 'Send'],
  ['Ctrl Shift Enter', 'Send and close'],
  ['/', 'Saved replies, in a reply'],
  ['@', 'Mention somebody, in a note'],
  ['A', 'Assign'],
  ['I', 'Assign to me'],
  ['L', 'Tags'],
  ['T', 'Take over from the AI'],
  ['Shift T', 'Return to the AI'],
  ['E', 'Close as resolved, or open again'],
  ['Shift E', 'Close with a status'],
  ['H', 'Snooze'],
  ['M', 'Hand off'],
  ['U', 'Mark as unread'],
  ['1 to 9', 'View 1 to 9'],
  ['/', 'Search'],
  [']', 'Show or fold the details'],
  ['Z', 'Undo'],
  ['?', 'This list'],
] as const;

export const KeyHelp = ({ onClose }: { onClose: () => void }) => {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog
      ref={dialog}
      onClose={onClose}
      aria-labelledby="keys"
      className="w-96 max-w-full rounded-lg border border-line bg-surface p-6"
    >
      <h2 id="keys" className="mb-3 text-lg font-semibold">
        Keyboard
      </h2>
      <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-1.5">
        {KEYS.map(([key, meaning]) => (
          <div key={key} className="contents">
            <dt className="font-mono text-xs leading-5">{key}</dt>
            <dd className="text-quiet">{meaning}</dd>
          </div>
        ))}
      </dl>
      <Button className="mt-4" onClick={() => dialog.current?.close()}>
        Close
      </Button>
    </dialog>
  );
};
