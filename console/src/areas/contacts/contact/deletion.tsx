import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, dataOf, type Schemas } from '../../../api/client';
import { contactQuery } from '../../../api/overview';
import { say } from '../../../app/undo';
import { ConfirmDialog } from '../../../ui/dialogs/confirm-dialog';
import { Button } from '../../../ui/parts';
import { contactNameOf } from '../names';

/** A button that deletes a contact once the member has read what that does. */
export const Deletion = ({ contact }: { contact: Schemas['Contact'] }) => {
  const [isAsking, ask] = useState(false);
  const client = useQueryClient();
  const navigate = useNavigate();
  const name = contactNameOf(contact);
  const remove = useMutation({
    mutationFn: () => dataOf(api.DELETE('/contacts/{id}', { params: { path: { id: contact.id } } })),
    onSuccess: async () => {
      say(`${name} is deleted`);
      await navigate({ to: '/contacts' });
      client.removeQueries({ queryKey: contactQuery(contact.id).queryKey });
      void client.invalidateQueries({ queryKey: ['listContacts'] });
    },
    onError: (error) => say(error.message, { isError: true }),
  });
  return (
    <>
      <Button look="quiet" disabled={remove.isPending} onClick={() => ask(true)}>
        Delete…
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={`Delete ${name}`}
          action="Delete the contact"
          onConfirm={() => remove.mutate()}
          onClose={() => ask(false)}
        >
          Its fields are gone for good, it leaves its sequences, and what waits to be sent to it is not sent. Its
          conversations and deliveries stay, without a contact: messages in them are redacted one by one.
        </ConfirmDialog>
      )}
    </>
  );
};
