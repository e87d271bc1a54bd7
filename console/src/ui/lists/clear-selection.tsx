import { X } from 'lucide-react';
import { ICON_BUTTON } from '../parts';

export const ClearSelection = ({ onClear }: { onClear: () => void }) => (
  <button type="button" aria-label="Clear the selection" className={`${ICON_BUTTON} size-8`} onClick={onClear}>
    <X size={16} aria-hidden="true" />
  </button>
);
