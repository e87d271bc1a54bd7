import { useState } from 'react';
import { api, dataOf, type Schemas } from '../../../api/client';
import { webhookQuery, webhooksQuery } from '../../../api/settings';
import { SpecForm } from '../../../ui/forms/spec-form';
import { Section } from '../../../ui/section';
import { useChange } from '../frame/use-change';
import { ENDPOINT_SPECS, endpointIn, shownEndpoint } from './endpoint-form';
import { EventFields } from './event-fields';

interface EndpointFormProps {
  endpoint: Schemas['WebhookEndpoint'];
  mayWrite: boolean;
}

/** The settings of an endpoint. */
export const EndpointForm = ({ endpoint, mayWrite }: EndpointFormProps) => {
  const { id } = endpoint;
  const [types, setTypes] = useState<string[]>();
  const isOther = types !== undefined && [...types].sort().join() !== [...endpoint.event_types].sort().join();
  const save = useChange(
    (body: Schemas['UpdateWebhookEndpoint']) => dataOf(api.PATCH('/webhooks/{id}', { params: { path: { id } }, body })),
    { stale: [webhookQuery(id).queryKey, webhooksQuery.queryKey], says: 'Saved' },
  );
  return (
    <Section title="Settings">
      <div className="p-4">
        <SpecForm
          specs={ENDPOINT_SPECS}
          stored={shownEndpoint(endpoint)}
          save={save}
          isReadOnly={!mayWrite}
          isChangedBeside={isOther}
          onDiscard={() => setTypes(undefined)}
          onSave={(changes, done) =>
            save.mutate(endpointIn(changes, isOther ? types : undefined), {
              onSuccess: () => {
                done();
                setTypes((now) => (now === types ? undefined : now)); // what was chosen meanwhile stays
              },
            })
          }
        >
          {mayWrite ? (
            <EventFields chosen={types ?? endpoint.event_types} stored={endpoint.event_types} onChange={setTypes} />
          ) : (
            <p className="text-quiet">
              {endpoint.event_types.length === 0 ? 'All events' : endpoint.event_types.join(', ')}
            </p>
          )}
        </SpecForm>
      </div>
    </Section>
  );
};
