import { Button } from '../../../ui/parts';
import { choose } from './changed-drafts';
import type { DraftRef, Entry } from './draft-entries';
import { storeAfter } from './draft-store';

interface ConflictProps {
  theirs: NonNullable<Entry['theirs']>;
  draft: DraftRef;
}

/** A draft that the member has written elsewhere meanwhile. Neither is stored over the other before the member has chosen. */
export const DraftConflict = ({ theirs: { text, attachments }, draft }: ConflictProps) => {
  const take = (choice: Parameters<typeof choose>[1]) => {
    choose(draft, choice);
    storeAfter(draft, 0);
  };
  return (
    <div role="alert" className="mt-2 rounded-md border border-note-line bg-warn p-2.5 text-warn-text">
      <p className="font-medium">You have written another draft in another tab or browser</p>
      <p className="my-1.5 line-clamp-3 break-words whitespace-pre-wrap">
        <bdi>{[text, ...attachments.map(({ name }) => name)].join('\n').trim()}</bdi>
      </p>
      <div className="flex flex-wrap gap-2 text-text">
        <Button onClick={() => take('mine')}>Keep this one</Button>
        <Button look="quiet" onClick={() => take('theirs')}>
          Take the other one
        </Button>
      </div>
    </div>
  );
};

const WARNING = 'mt-2 rounded bg-warn px-2 py-1 text-warn-text';

interface WarningsProps {
  refusal: string | null;
  missing: string[];
  excess: number;
  limit: number;
}

/** Why a reply could not be delivered, which fields of a saved reply the contact lacks, and by how much a text is too long. */
export const Warnings = ({ refusal, missing, excess, limit }: WarningsProps) => (
  <>
    {refusal !== null && (
      <p role="note" className={WARNING}>
        {refusal}
      </p>
    )}
    {missing.length > 0 && (
      <p role="note" className={WARNING}>
        The contact has no {missing.join(', ')}: fill it in before you send.
      </p>
    )}
    {excess > 0 && (
      <p role="alert" className={WARNING}>
        Too long to be sent by {excess.toLocaleString()} {excess === 1 ? 'character' : 'characters'}: at most{' '}
        {limit.toLocaleString()} go in one.
      </p>
    )}
  </>
);
