import { useState } from 'react';
import type { Schemas } from '../../../api/client';
import { lazily } from '../../../ui/lazily';
import { Chip } from '../../../ui/parts';
import { Section } from '../../../ui/section';
import { StateButton } from '../../../ui/state-button';
import { GATES } from '../words';

const GatesDialog = lazily(async () => (await import('./gates-dialog')).GatesDialog);

type GateValues = Schemas['SequenceGates'];

interface GatesProps {
  sequence: Schemas['Sequence'];
  held: { gate: string; count: number }[];
  mayWrite: boolean;
}

/** What delays or ends the sends, and how many messages each gate holds now. */
export const Gates = ({ sequence, held, mayWrite }: GatesProps) => {
  const [isEditing, edit] = useState(false);
  const { status, gates } = sequence;
  const hasEnded = status === 'complete' || status === 'canceled';
  return (
    <Section
      title="Sending limits"
      actions={
        mayWrite && (
          <StateButton forbidden={hasEnded && 'The sequence has ended'} onClick={() => edit(true)}>
            Change
          </StateButton>
        )
      }
    >
      <p className="px-4 pt-3 text-xs text-quiet">They delay messages, or end the sequence for a contact.</p>
      <dl className="px-4 py-2">
        {Object.entries(GATES).map(([gate, name]) => {
          const count = held.find((one) => one.gate === gate)?.count ?? 0;
          return (
            <div key={gate} className="flex items-baseline gap-2 py-1">
              <dt className="w-36 shrink-0 text-quiet">{name}</dt>
              <dd className="min-w-0 flex-1">
                {shownGate(gate, gates)} {count > 0 && <Chip tone="warn">{count.toLocaleString()} held</Chip>}
              </dd>
            </div>
          );
        })}
      </dl>
      {isEditing && <GatesDialog sequence={sequence} onClose={() => edit(false)} />}
    </Section>
  );
};

function shownGate(gate: string, gates: GateValues): string {
  switch (gate) {
    case 'quiet_hours':
      return gates.quiet_hours ? `${gates.quiet_hours.start} to ${gates.quiet_hours.end}` : 'as in the organization';
    case 'daily_cap':
      return gates.daily_cap ? `${gates.daily_cap.toLocaleString()} a contact` : 'as in the organization';
    case 'sends_per_minute':
      return gates.sends_per_minute ? gates.sends_per_minute.toLocaleString() : 'no limit';
    case 'exit_on_reply':
      return gates.exit_on_reply ? 'on' : 'off';
    default:
      return gates.exit_when_unmatched ? 'on' : 'off';
  }
}
