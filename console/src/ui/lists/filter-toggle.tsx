import { ListFilter } from 'lucide-react';
import { ICON_BUTTON } from '../parts';

/** Shows and hides the filters of a list. */
export const FilterToggle = ({ isOpen, onToggle }: { isOpen: boolean; onToggle: () => void }) => (
  <button
    type="button"
    aria-label="Filter"
    aria-keyshortcuts="f"
    aria-expanded={isOpen}
    title="Filter (F)"
    onClick={onToggle}
    className={`${ICON_BUTTON} size-8 aria-expanded:bg-selected aria-expanded:text-link`}
  >
    <ListFilter size={16} aria-hidden="true" />
  </button>
);
