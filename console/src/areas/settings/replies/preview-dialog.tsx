import { useInfiniteQuery } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from '../../../api/client';
import { inboxQuery } from '../../../api/queries';
import { Dialog } from '../../../ui/dialogs/dialog';
import { FIELD, Field } from '../../../ui/forms/fields';
import { FormEnd } from '../../../ui/forms/form-end';
import { visitorNameOf } from '../../inbox/visitor-name';
import { useChange } from '../frame/use-change';

interface PreviewDialogProps {
  reply: Schemas['SavedReply'];
  onClose: () => void;
}

/** A reply with the fields of a conversation filled in. */
export const PreviewDialog = ({ reply, onClose }: PreviewDialogProps) => {
  const sessions = useInfiniteQuery(inboxQuery({ view: 'all' })).data?.pages[0]?.items ?? [];
  const render = useChange(
    (session_id: string) =>
      dataOf(api.POST('/saved-replies/{id}/render', { params: { path: { id: reply.id } }, body: { session_id } })),
    { stale: [['listSavedReplies']] },
  );
  return (
    <Dialog title={`“${reply.title}” for a conversation`} onClose={onClose} className="w-[34rem]">
      <form
        className="space-y-4"
        onSubmit={(event) => {
          event.preventDefault();
          render.mutate(String(new FormData(event.currentTarget).get('session')));
        }}
      >
        {sessions.length === 0 ? (
          <p className="text-quiet">There is no conversation yet whose fields could be filled in.</p>
        ) : (
          <Field label="Conversation">
            <select name="session" className={FIELD}>
              {sessions.map(({ id, ticket_number, contact }) => (
                <option key={id} value={id}>
                  #{ticket_number} {visitorNameOf({ contact })}
                </option>
              ))}
            </select>
          </Field>
        )}
        <section aria-label="How it reads" aria-live="polite">
          {render.data !== undefined && (
            <div className="rounded-md bg-sunken p-3">
              <p className="break-words whitespace-pre-wrap">{render.data.text}</p>
              {render.data.missing.length > 0 && (
                <p className="mt-2 text-xs text-warn-text">The contact lacks {render.data.missing.join(', ')}</p>
              )}
            </div>
          )}
        </section>
        <p className="text-xs text-quiet">It sends nothing. The API counts it as a use.</p>
        {sessions.length > 0 && <FormEnd request={render}>Fill it in</FormEnd>}
      </form>
    </Dialog>
  );
};
