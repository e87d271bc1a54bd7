import { useState } from 'react';
import { api, dataOf, type Schemas } from '../../../api/client';
import { webhooksQuery } from '../../../api/settings';
import { SpecDialog } from '../frame/spec-dialog';
import { useChange } from '../frame/use-change';
import { ENDPOINT_SPECS, endpointIn } from './endpoint-form';
import { EventFields } from './event-fields';

type Created = Schemas['CreatedWebhookEndpoint'];

/** Adds an endpoint. Its secret is shown afterwards. */
export const AddWebhook = ({ onCreated, onClose }: { onCreated: (created: Created) => void; onClose: () => void }) => {
  const [types, setTypes] = useState<string[]>([]);
  const create = useChange((body: Schemas['CreateWebhookEndpoint']) => dataOf(api.POST('/webhooks', { body })), {
    stale: [webhooksQuery.queryKey],
  });
  return (
    <SpecDialog
      title="Add an endpoint"
      action="Add"
      specs={ENDPOINT_SPECS}
      stored={{ payload: 'full' }}
      save={create}
      className="w-[40rem]"
      onSave={(values) => create.mutate({ url: '', ...endpointIn(values, types) }, { onSuccess: onCreated })}
      onClose={onClose}
    >
      <EventFields chosen={types} onChange={setTypes} />
    </SpecDialog>
  );
};
