import { api, dataOf, type Schemas } from '../../../api/client';
import { membersQuery } from '../../../api/queries';
import type { Specs } from '../../../ui/forms/spec';
import { valuesIn } from '../../../ui/forms/spec';
import { SpecDialog } from '../frame/spec-dialog';
import { useChange } from '../frame/use-change';
import { ROLES } from './roles';

const SPECS: Specs = {
  email: { kind: 'text', type: 'email', label: 'E-mail address', isRequired: true, maxLength: 254 },
  name: { kind: 'text', label: 'Name', hint: 'Empty: the first part of the address.' },
  role: { kind: 'choice', label: 'Role', options: ROLES },
};

/** Adds a member, who gets a mail with a link. */
export const InviteDialog = ({ onClose }: { onClose: () => void }) => {
  const invite = useChange((body: Schemas['InviteMember']) => dataOf(api.POST('/members', { body })), {
    stale: [membersQuery.queryKey],
    says: ({ name }) => `${name} is a member`,
  });
  return (
    <SpecDialog
      title="Invite a member"
      action="Invite"
      specs={SPECS}
      stored={{ role: 'agent' }}
      save={invite}
      onSave={(values) => invite.mutate(valuesIn(SPECS, values) as Schemas['InviteMember'], { onSuccess: onClose })}
      onClose={onClose}
    >
      <p className="text-xs text-quiet">
        Admins change everything. Agents answer conversations and change contacts. Viewers only read. The mail’s link
        works for 15 minutes. Afterwards the member asks for another one on the page where one signs in.
      </p>
    </SpecDialog>
  );
};
