import { useQuery } from '@tanstack/react-query';
import { turnQuery } from '../../../api/ai';
import { Dialog } from '../../../ui/dialogs/dialog';
import { Chip } from '../../../ui/parts';
import { shownMoment } from '../../../ui/times/time';
import { shownCode, TURN_STATES } from '../words';
import { TurnTrace } from './turn-trace';

/** A turn with all its steps, and its conversation. */
export const TurnDialog = ({ id, onClose }: { id: string; onClose: () => void }) => {
  const turn = useQuery(turnQuery(id)).data;
  return (
    <Dialog title="What the AI did" className="w-[40rem]" onClose={onClose}>
      {turn !== undefined && (
        <p className="flex flex-wrap items-center gap-2">
          <Chip tone={TURN_STATES[turn.state].tone}>{TURN_STATES[turn.state].name}</Chip>
          {turn.reason !== null && <span>{shownCode(turn.reason)}</span>}
          <span className="flex-1 text-quiet">{shownMoment(turn.created_at)}</span>
          <a href={`/console/s/${turn.session_id}`} className="text-link underline">
            Open the conversation
          </a>
        </p>
      )}
      <TurnTrace turnId={id} />
      {turn !== undefined && turn.citations.length > 0 && (
        <section aria-label="Quoted" className="mt-3">
          <h3 className="mb-1 font-semibold">Quoted</h3>
          <ul className="space-y-2">
            {turn.citations.map(({ item_id, chunk, title, heading, quote }) => (
              <li key={`${item_id} ${chunk} ${quote}`} className="rounded-md bg-sunken p-2">
                <p className="text-xs text-quiet">{heading === title ? title : `${title} › ${heading}`}</p>
                <p className="break-words">{quote ?? 'The quote is no longer kept.'}</p>
              </li>
            ))}
          </ul>
        </section>
      )}
    </Dialog>
  );
};
