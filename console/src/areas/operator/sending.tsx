import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type OperatorState, operatorCall } from '../../api/operator';
import { ConfirmDialog } from '../../ui/dialogs/confirm-dialog';
import { Button, Chip } from '../../ui/parts';
import { Section } from '../../ui/section';

/** Whether messages and webhooks of all organizations go out. */
export const Sending = ({ sending: { state, reason } }: { sending: OperatorState['sending'] }) => {
  const client = useQueryClient();
  const [asked, ask] = useState<typeof state>();
  const isPaused = state === 'paused';
  const change = useMutation({
    mutationFn: (wanted: typeof state) => operatorCall('PUT', 'sending', { state: wanted }),
    onSettled: () => client.invalidateQueries({ queryKey: ['operator'] }),
  });
  return (
    <Section
      title="Sending"
      actions={
        <Button disabled={change.isPending} onClick={() => ask(isPaused ? 'running' : 'paused')}>
          {isPaused ? 'Resume' : 'Pause all sending'}
        </Button>
      }
    >
      <p className="flex flex-wrap items-center gap-2 px-4 py-3">
        <Chip tone={isPaused ? 'warn' : 'good'}>{state}</Chip>
        {reason ?? (isPaused ? 'Messages and webhooks wait. Nothing is lost.' : 'Messages and webhooks go out.')}
      </p>
      {change.error !== null && (
        <p role="alert" className="px-4 pb-3 text-bad-text">
          {change.error.message}
        </p>
      )}
      {asked !== undefined && (
        <ConfirmDialog
          title={asked === 'paused' ? 'Pause all sending?' : 'Resume all sending?'}
          action={asked === 'paused' ? 'Pause' : 'Resume sending'}
          onConfirm={() => change.mutate(asked)}
          onClose={() => ask(undefined)}
        >
          {asked === 'paused'
            ? 'No message and no webhook of any organization goes out until it is resumed.'
            : 'All messages and webhooks of all organizations that wait go out.'}
        </ConfirmDialog>
      )}
    </Section>
  );
};
