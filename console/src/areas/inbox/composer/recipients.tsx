import { useInfiniteQuery } from '@tanstack/react-query';
import type { Schemas } from '../../../api/client';
import { historyQuery } from '../../../api/queries';

interface RecipientsProps {
  session: Schemas['ChatSession'];
  /** Whether the others of the contact's last mail get the reply, too. */
  hasCopies: boolean;
  onChange: (hasCopies: boolean) => void;
}

/** Who gets a reply by e-mail, with a way to leave out all but the contact. */
export const Recipients = ({ session, hasCopies, onChange }: RecipientsProps) => {
  const items = useInfiniteQuery(historyQuery(session.id)).data?.pages.flatMap((page) => page.items) ?? [];
  const said = items.flatMap(({ event }) => (event.type === 'message' ? [event] : []));
  const last = said.find(({ sender }) => sender.type === 'contact');
  const to = last?.reply_to ?? session.contact?.email;
  const others = last?.cc?.filter((address) => address !== to?.toLowerCase()) ?? [];
  return (
    <div className="mt-1 flex flex-wrap gap-x-3 text-xs text-quiet [overflow-wrap:anywhere]">
      {to != null && <span>To {to}</span>}
      {others.length > 0 && (
        <label className="flex items-center gap-1.5">
          <input
            type="checkbox"
            checked={hasCopies}
            onChange={({ target }) => onChange(target.checked)}
            className="size-4 shrink-0 accent-(--accent)"
          />
          Copies to {others.join(', ')}
        </label>
      )}
    </div>
  );
};
