import { Ellipsis } from 'lucide-react';
import { useState } from 'react';
import { lazily } from '../../../ui/lazily';
import { Popover } from '../../../ui/popover';
import type { RedactionProps } from './redaction-dialog';

const Menu = lazily(async () => (await import('../../../ui/menu')).Menu);
const MessageRedaction = lazily(async () => (await import('./redaction-dialog')).MessageRedaction);

/** Removes a message for good: by its menu, and once more by a dialog that asks why. */
export const Redaction = (message: RedactionProps) => {
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Popover name="Actions of the message" look="quiet" className="h-6 px-1" label={<Ellipsis size={14} />}>
        {(close) => (
          <Menu
            label="Actions of the message"
            close={close}
            items={[{ label: 'Redact…', onSelect: () => setAsking(true) }]}
          />
        )}
      </Popover>
      {isAsking && <MessageRedaction {...message} onClose={() => setAsking(false)} />}
    </>
  );
};
