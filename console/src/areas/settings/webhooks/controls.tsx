import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, dataOf, type Schemas } from '../../../api/client';
import { type Recovery, webhookQuery, webhooksQuery } from '../../../api/settings';
import { ConfirmDialog } from '../../../ui/dialogs/confirm-dialog';
import { Button } from '../../../ui/parts';
import { StateButton } from '../../../ui/state-button';
import { SecretDialog } from '../frame/secret-dialog';
import { useChange } from '../frame/use-change';
import { RecoverDialog } from './recover-dialog';

const DISABLED = 'The endpoint is disabled: enable it first';

interface ControlsProps {
  endpoint: Schemas['WebhookEndpoint'];
  onRecovery: (recovery: Recovery) => void;
}

/** What can be done with an endpoint. */
export const Controls = ({ endpoint: { id, url, enabled }, onRecovery }: ControlsProps) => {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [asked, ask] = useState<'recover' | 'rotate' | 'delete'>();
  const [secret, setSecret] = useState<string>();
  const path = { params: { path: { id } } };
  const stale = [webhookQuery(id).queryKey, webhooksQuery.queryKey, ['listWebhookDeliveries', id]];
  const test = useChange(() => dataOf(api.POST('/webhooks/{id}/test', path)), {
    stale,
    says: 'A test is sent: the log shows what comes back',
    isQuick: true,
  });
  const enable = useChange(() => dataOf(api.PATCH('/webhooks/{id}', { ...path, body: { enabled: !enabled } })), {
    stale,
    says: enabled ? 'Disabled' : 'Enabled',
    isQuick: true,
  });
  const rotate = useChange(() => dataOf(api.POST('/webhooks/{id}/rotate-secret', { ...path, body: {} })), {
    stale,
    isQuick: true,
  });
  const remove = useChange(() => dataOf(api.DELETE('/webhooks/{id}', path)), {
    stale: [webhooksQuery.queryKey],
    says: 'Deleted',
    isQuick: true,
  });
  const close = () => ask(undefined);
  return (
    <>
      <StateButton forbidden={!enabled && DISABLED} disabled={test.isPending} onClick={() => test.mutate(undefined)}>
        Send a test
      </StateButton>
      <StateButton forbidden={!enabled && DISABLED} onClick={() => ask('recover')}>
        Recover
      </StateButton>
      <Button onClick={() => enable.mutate(undefined)}>{enabled ? 'Disable' : 'Enable'}</Button>
      <Button onClick={() => ask('rotate')}>Rotate the secret</Button>
      <Button look="quiet" onClick={() => ask('delete')}>
        Delete
      </Button>
      {asked === 'recover' && <RecoverDialog id={id} onBegin={onRecovery} onClose={close} />}
      {asked === 'rotate' && (
        <ConfirmDialog
          title="Rotate the secret"
          action="Rotate"
          onConfirm={() => rotate.mutate(undefined, { onSuccess: (made) => setSecret(made.secret) })}
          onClose={close}
        >
          For 24 hours, requests are signed with the old secret as well.
        </ConfirmDialog>
      )}
      {secret !== undefined && (
        <SecretDialog title="The new secret" what="the secret" secret={secret} onClose={() => setSecret(undefined)} />
      )}
      {asked === 'delete' && (
        <ConfirmDialog
          title="Delete the endpoint"
          action="Delete the endpoint"
          onConfirm={() =>
            remove.mutate(undefined, {
              onSuccess: () =>
                void navigate({ to: '/settings/webhooks' }).then(() =>
                  client.removeQueries({ queryKey: webhookQuery(id).queryKey }),
                ),
            })
          }
          onClose={close}
        >
          <span className="break-all">{url}</span> gets no more events, and its log is deleted.
        </ConfirmDialog>
      )}
    </>
  );
};
