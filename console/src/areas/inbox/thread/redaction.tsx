import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Ellipsis } from 'lucide-react';
import { useState } from 'react';
import { api, dataOf } from '../../../api/client';
import { historyQuery } from '../../../api/queries';
import { say } from '../../../app/undo';
import { lazily } from '../../../ui/lazily';
import { Popover } from '../../../ui/popover';

const AskDialog = lazily(async () => (await import('../../../ui/dialogs/ask-dialog')).AskDialog);
const Menu = lazily(async () => (await import('../../../ui/menu')).Menu);

/** Removes a message for good: by its menu, and once more by a dialog that asks why. */
export const Redaction = ({ sessionId, messageId }: { sessionId: string; messageId: string }) => {
  const client = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const redact = useMutation({
    mutationFn: (reason: string) =>
      dataOf(api.POST('/redaction/message', { body: { messageId, ...(reason === '' ? {} : { reason }) } })),
    onSuccess: () => say('Redacted'),
    onSettled: () => client.invalidateQueries({ queryKey: historyQuery(sessionId).queryKey }),
  });
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
      {isAsking && (
        <AskDialog
          title="Redact this message?"
          text="Its text and files are removed for good, everywhere but in other systems. This cannot be undone."
          field="Why (kept in the audit: no personal data)"
          action="Redact for good"
          onClose={() => setAsking(false)}
          onAnswer={redact.mutateAsync}
        />
      )}
    </>
  );
};
