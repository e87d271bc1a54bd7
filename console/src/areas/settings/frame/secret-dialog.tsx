import type { ReactNode } from 'react';
import { CopyButton } from '../../../ui/copy-button';
import { Dialog } from '../../../ui/dialogs/dialog';
import { Button } from '../../../ui/parts';

interface SecretProps {
  title: string;
  secret: string;
  /** What is copied: the key. */
  what: string;
  onClose: () => void;
  children?: ReactNode;
}

/** A secret that is shown this once. */
export const SecretDialog = ({ title, secret, what, onClose, children }: SecretProps) => (
  <Dialog title={title} onClose={onClose} className="w-[32rem]">
    <p>Copy it now. It is not shown again.</p>
    <p className="mt-3 flex items-start gap-2">
      <code data-secret="" className="min-w-0 flex-1 rounded bg-sunken px-2 py-1.5 font-mono text-xs break-all">
        {secret}
      </code>
      <CopyButton text={secret} what={what} />
    </p>
    {children !== undefined && <div className="mt-3 text-quiet">{children}</div>}
    <div className="mt-4 flex justify-end">
      <Button look="main" onClick={onClose}>
        I have copied it
      </Button>
    </div>
  </Dialog>
);
