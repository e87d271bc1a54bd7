import { useNavigate } from '@tanstack/react-router';
import type { Schemas } from '../../../../api/client';
import { Dialog } from '../../../../ui/dialogs/dialog';
import { contactNameOf } from '../../names';
import { ChooseContact } from './choose';
import { MergePreview } from './preview';

/** What the address says while no contact is chosen yet. */
export const CHOOSING = 'choose';

interface MergeProps {
  contact: Schemas['Contact'];
  /** The id of the contact to merge into this one, or CHOOSING. */
  other: string;
}

/** Merges another contact into this one: the choice of the other, a preview, and the confirmation. */
export const MergeDialog = ({ contact, other }: MergeProps) => {
  const navigate = useNavigate();
  const show = (merge: string | undefined) =>
    void navigate({
      to: '/contacts/$contactId',
      params: { contactId: contact.id },
      search: (now) => ({ ...now, merge }),
      replace: merge !== undefined,
    });
  return (
    <Dialog title={`Merge with ${contactNameOf(contact)}`} className="w-[40rem]" onClose={() => show(undefined)}>
      {other === CHOOSING ? (
        <ChooseContact notThis={contact.id} onChoose={show} />
      ) : (
        <MergePreview key={other} contact={contact} otherId={other} onBack={() => show(CHOOSING)} />
      )}
    </Dialog>
  );
};
