import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf, type Schemas } from '../../../api/client';
import { say } from '../../../app/undo';
import { ConfirmDialog } from '../../../ui/dialogs/confirm-dialog';
import { Button } from '../../../ui/parts';
import { triggerNameOf } from '../states';
import { refreshWorkflow } from './editing/use-draft';

interface ActivationProps {
  workflow: Schemas['Workflow'];
  /** The version that would be active. */
  version: Pick<Schemas['Workflow'], 'version_number' | 'trigger_type'>;
  /** Whether it can be deactivated here, whatever version is active. */
  isOfAll?: boolean;
}

/** Lets the trigger of a workflow start runs of a version, or none. */
export const Activation = ({ workflow, version, isOfAll = false }: ActivationProps) => {
  const { workflow_id: id, is_active, version_number } = workflow;
  const client = useQueryClient();
  const [asked, ask] = useState<'activate' | 'deactivate'>();
  const params = { path: { id } };
  const change = useMutation({
    mutationFn: (version_number: number | undefined) =>
      dataOf(
        version_number === undefined
          ? api.POST('/workflows/{id}/deactivate', { params })
          : api.POST('/workflows/{id}/activate', { params, body: { version_number } }),
      ),
    onSuccess: (changed) =>
      say(changed.is_active ? `Version ${changed.version_number} is active` : 'It starts no more runs'),
    onError: (error) => say(error.message, { isError: true }),
    onSettled: () => refreshWorkflow(client, id),
  });
  const isThis = is_active && version.version_number === version_number;
  return (
    <>
      {!isThis && (
        <Button disabled={change.isPending} onClick={() => ask('activate')}>
          Activate version {version.version_number}
        </Button>
      )}
      {(isThis || (isOfAll && is_active)) && (
        <Button disabled={change.isPending} onClick={() => ask('deactivate')}>
          Deactivate
        </Button>
      )}
      {asked === 'activate' && (
        <ConfirmDialog
          title={`Activate version ${version.version_number}`}
          action="Activate it"
          onConfirm={() => change.mutate(version.version_number)}
          onClose={() => ask(undefined)}
        >
          Its trigger starts runs of it from now on: {triggerNameOf(version.trigger_type)}. Runs that have begun stay on
          their version.
        </ConfirmDialog>
      )}
      {asked === 'deactivate' && (
        <ConfirmDialog
          title="Deactivate the workflow"
          action="Deactivate it"
          onConfirm={() => change.mutate(undefined)}
          onClose={() => ask(undefined)}
        >
          Its trigger starts no more runs. Those that have begun continue.
        </ConfirmDialog>
      )}
    </>
  );
};
