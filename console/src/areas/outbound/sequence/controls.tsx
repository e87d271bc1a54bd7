import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf, type Schemas } from '../../../api/client';
import { say } from '../../../app/undo';
import { ConfirmDialog } from '../../../ui/dialogs/confirm-dialog';
import { lazily } from '../../../ui/lazily';
import { Button } from '../../../ui/parts';
import { StateButton } from '../../../ui/state-button';
import { SEQUENCE_STATUSES } from '../words';

const TestDialog = lazily(async () => (await import('./test-dialog')).TestDialog);

type Sequence = Schemas['Sequence'];
type Command = 'start' | 'pause' | 'resume' | 'cancel';

const SAID: Record<Command, string> = {
  start: 'Started',
  pause: 'Paused',
  resume: 'Resumed',
  cancel: 'Canceled',
};

interface ControlsProps {
  sequence: Sequence;
  audience: Schemas['SequenceAudience'] | undefined;
}

/** The actions on a sequence. Those forbidden by its state are there too, and say why. */
export const Controls = ({ sequence, audience }: ControlsProps) => {
  const { status, name, is_continuous } = sequence;
  const [asked, ask] = useState<'start' | 'cancel' | 'test'>();
  const command = useCommand(sequence.id);
  const hasEnded = status === 'complete' || status === 'canceled';
  const over = hasEnded && `The sequence is ${SEQUENCE_STATUSES[status].name.toLowerCase()}`;
  const notStarted = status === 'pending' && 'The sequence has not been started';
  const isBusy = command.isPending;
  return (
    <div className="flex flex-wrap gap-2">
      <Button onClick={() => ask('test')}>Test</Button>
      {!hasEnded && status === 'paused' ? (
        <Button look="main" disabled={isBusy} onClick={() => command.mutate('resume')}>
          Resume
        </Button>
      ) : (
        <StateButton forbidden={over || notStarted} disabled={isBusy} onClick={() => command.mutate('pause')}>
          Pause
        </StateButton>
      )}
      {!is_continuous && (
        <StateButton
          look={status === 'pending' ? 'main' : 'plain'}
          forbidden={status !== 'pending' && 'A sequence starts once'}
          disabled={isBusy}
          onClick={() => ask('start')}
        >
          Start
        </StateButton>
      )}
      <StateButton forbidden={over} disabled={isBusy} onClick={() => ask('cancel')}>
        Cancel the sequence
      </StateButton>
      {asked === 'start' && (
        <ConfirmDialog
          title={`Start “${name}”`}
          action="Start"
          onConfirm={() => command.mutate('start')}
          onClose={() => ask(undefined)}
        >
          {audience === undefined
            ? 'All contacts'
            : `${audience.matching.toLocaleString()}${audience.is_at_least ? '+' : ''} contacts`}{' '}
          match the filter now and are enrolled. Sending begins at once. A sequence starts once.
        </ConfirmDialog>
      )}
      {asked === 'cancel' && (
        <ConfirmDialog
          title={`Cancel “${name}”`}
          action="Cancel the sequence"
          onConfirm={() => command.mutate('cancel')}
          onClose={() => ask(undefined)}
        >
          All enrollments end, and messages that wait are not sent. This cannot be undone; a pause can.
        </ConfirmDialog>
      )}
      {asked === 'test' && <TestDialog sequence={sequence} onClose={() => ask(undefined)} />}
    </div>
  );
};

function useCommand(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (command: Command) => {
      const params = { params: { path: { id } } };
      switch (command) {
        case 'start':
          return dataOf(api.PUT('/sequences/{id}/start', params));
        case 'pause':
          return dataOf(api.PUT('/sequences/{id}/pause', params));
        case 'resume':
          return dataOf(api.PUT('/sequences/{id}/resume', params));
        case 'cancel':
          return dataOf(api.PUT('/sequences/{id}/cancel', params));
      }
    },
    onSuccess: (_, command) => say(SAID[command]),
    onError: (error) => say(error.message, { isError: true }),
    onSettled: () =>
      Promise.all(
        ['getSequence', 'getSequenceStats', 'listSequences', 'listEnrollments', 'explainContact'].map((name) =>
          client.invalidateQueries({ queryKey: [name] }),
        ),
      ),
  });
}
