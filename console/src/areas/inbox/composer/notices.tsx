import { Button } from '../../../ui/parts';
import { choose } from './changed-drafts';
import type { DraftRef, Entry } from './draft-store';

interface ConflictProps {
  theirs: NonNullable<Entry['theirs']>;
  draft: DraftRef;
}

/** A draft that the member has written elsewhere meanwhile. Neither is stored over the other before the member has chosen. */
export const DraftConflict = ({ theirs: { text, attachments }, draft }: ConflictProps) => (
  <div role="alert" className="mt-2 rounded-md border border-note-line bg-warn p-2.5 text-warn-text">
    <p className="font-medium">You have written another draft in another tab or browser</p>
    <p className="my-1.5 line-clamp-3 break-words whitespace-pre-wrap">
      <bdi>{[text, ...attachments.map(({ name }) => name)].join('\n').trim()}</bdi>
    </p>
    <div className="flex flex-wrap gap-2 text-text">
      <Button onClick={() => choose(draft, 'mine')}>Keep this one</Button>
      <Button look="quiet" onClick={() => choose(draft, 'theirs')}>
        Take the other one
      </Button>
    </div>
  </div>
);

/** Says of a text that the API would refuse by how much it is too long. */
export const TooLong = ({ excess, limit }: { excess: number; limit: number }) => (
  <p role="alert" className="mt-2 rounded bg-warn px-2 py-1 text-xs text-warn-text">
    Too long to be sent by {excess.toLocaleString()} {excess === 1 ? 'character' : 'characters'}: at most{' '}
    {limit.toLocaleString()} go in one.
  </p>
);
