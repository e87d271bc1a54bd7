import type { HistoryItem } from '../../../api/caches';
import { Button } from '../../../ui/parts';
import { authorOf, textOf } from '../thread/items';

const MAX_SHOWN = 3;

interface NewerProps {
  items: HistoryItem[];
  onSend: () => void;
  onDismiss: () => void;
}

/** What was written while the member wrote. Nothing was sent, and the member decides. */
export const NewerMessages = ({ items, onSend, onDismiss }: NewerProps) => (
  <div role="alert" className="mt-2 rounded-md border border-note-line bg-warn p-2.5 text-warn-text">
    <p className="font-medium">Not sent: this was written meanwhile</p>
    <ul className="my-1.5 space-y-1">
      {items.slice(-MAX_SHOWN).map((item) => (
        <li key={item.id} className="line-clamp-2 break-words">
          <span className="font-medium">{authorOf(item)}:</span> <bdi>{textOf(item) ?? 'Redacted'}</bdi>
        </li>
      ))}
    </ul>
    <div className="flex flex-wrap gap-2 text-text">
      <Button onClick={onSend}>Send anyway</Button>
      <Button look="quiet" onClick={onDismiss}>
        Keep writing
      </Button>
    </div>
  </div>
);
