import { useQuery } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from '../../../api/client';
import { teamsQuery } from '../../../api/queries';
import { mailboxesQuery, readMailboxes } from '../../../api/settings';
import { type Specs, valuesIn, type Written, writtenOf } from '../../../ui/forms/spec';
import { SpecDialog } from '../frame/spec-dialog';
import { useChange } from '../frame/use-change';

interface MailboxDialogProps {
  existing: Schemas['EmailInbox'] | undefined;
  onClose: () => void;
}

/** A mailbox. An existing one keeps its address: another one would be another mailbox. */
export const MailboxDialog = ({ existing, onClose }: MailboxDialogProps) => {
  const teams = useQuery(teamsQuery).data ?? [];
  const specs: Specs = {
    ...(existing === undefined && {
      address: { kind: 'text', type: 'email', label: 'Address', isRequired: true, maxLength: 254 },
    }),
    display_name: { kind: 'text', label: 'Name of the sender', maxLength: 200, placeholder: 'Acme Support' },
    team_id: {
      kind: 'choice',
      label: 'Conversations go to',
      options: [['', 'No team'], ...teams.map(({ id, name }) => [id, name] as const)],
    },
    is_default_sender: { kind: 'check', label: 'Default sender', hint: 'Where no mail has come yet. Only one is.' },
    signature: { kind: 'long', label: 'Signature, as plain text', maxLength: 5_000 },
  };
  const save = useChange(
    async (changes: Written) => {
      // It is stored as a whole: what others have saved meanwhile stays.
      const now = existing && (await readMailboxes()).find(({ id }) => id === existing.id);
      if (existing !== undefined && now === undefined) throw new Error('This mailbox was deleted meanwhile');
      const written = { ...writtenOf(specs, now ?? {}), ...changes };
      const { address, ...values } = valuesIn(specs, written, { isNullable: true });
      return dataOf(api.PUT('/email/inboxes', { body: { address: existing?.address ?? String(address), ...values } }));
    },
    { stale: [mailboxesQuery.queryKey], says: 'Saved' },
  );
  return (
    <SpecDialog
      title={existing?.address ?? 'Add a mailbox'}
      action="Save"
      specs={specs}
      stored={existing ?? {}}
      save={save}
      onSave={(_, changes) => save.mutate(changes, { onSuccess: onClose })}
      onClose={onClose}
    />
  );
};
