import type { HistoryItem } from '../../../api/caches';

/** The subject of an e-mail, and who else has it. */
export const MailHead = ({ event: { subject, cc } }: { event: Extract<HistoryItem['event'], { type: 'message' }> }) =>
  (subject ?? cc) !== undefined && (
    <div className="mb-1 text-xs break-words text-quiet">
      {subject !== undefined && (
        <p dir="auto" className="font-medium">
          {subject}
        </p>
      )}
      {cc !== undefined && <p>Cc {cc.join(', ')}</p>}
    </div>
  );
