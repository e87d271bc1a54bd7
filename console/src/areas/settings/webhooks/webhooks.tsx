import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Schemas } from '../../../api/client';
import { useMay } from '../../../api/may';
import { webhooksQuery } from '../../../api/settings';
import { Button, Chip, Empty } from '../../../ui/parts';
import { Ago } from '../../../ui/times/ago';
import { needs } from '../frame/needs';
import { Rows } from '../frame/rows';
import { SecretDialog } from '../frame/secret-dialog';
import { SettingsPage } from '../frame/settings-page';
import { AddWebhook } from './add-webhook';
import { ENDPOINT_STATES } from './words';

/** The addresses that get events. */
export const Webhooks = needs('webhooks:read', 'Webhooks', () => {
  const list = useQuery(webhooksQuery);
  const mayWrite = useMay('webhooks:write');
  const navigate = useNavigate();
  const [isAdding, add] = useState(false);
  const [created, setCreated] = useState<Schemas['CreatedWebhookEndpoint']>();
  return (
    <SettingsPage
      title="Webhooks"
      query={list}
      actions={
        mayWrite && (
          <Button look="main" onClick={() => add(true)}>
            Add an endpoint
          </Button>
        )
      }
    >
      {list.data?.length === 0 && (
        <Empty title="No endpoint yet">An endpoint is an address of yours that gets each event as a request.</Empty>
      )}
      {list.data !== undefined && list.data.length > 0 && (
        <Rows label="Endpoints" items={list.data} keyOf={({ id }) => id}>
          {(endpoint) => <EndpointRow endpoint={endpoint} />}
        </Rows>
      )}
      {isAdding && (
        <AddWebhook
          onClose={() => add(false)}
          onCreated={(endpoint) => {
            add(false);
            setCreated(endpoint);
          }}
        />
      )}
      {created !== undefined && (
        <SecretDialog
          title="The secret of the endpoint"
          what="the secret"
          secret={created.secret}
          onClose={() =>
            void navigate({ to: '/settings/webhooks/$webhookId', params: { webhookId: created.id }, search: {} })
          }
        >
          It signs every request by the Standard Webhooks scheme: check the signature with it.
        </SecretDialog>
      )}
    </SettingsPage>
  );
});

const EndpointRow = ({ endpoint }: { endpoint: Schemas['WebhookEndpoint'] }) => {
  const { id, url, description, event_types, state, failing_since } = endpoint;
  return (
    <div className="relative flex flex-wrap items-center gap-x-3 gap-y-1">
      <div className="min-w-0 flex-1 basis-64">
        <Link
          to="/settings/webhooks/$webhookId"
          params={{ webhookId: id }}
          search={{}}
          className="font-medium break-all after:absolute after:-inset-2 after:rounded-md hover:underline"
        >
          {url}
        </Link>
        <p className="text-xs break-words text-quiet">
          {description !== null && `${description} · `}
          {event_types.length === 0 ? 'All events' : `${event_types.length} kinds of events`}
          {failing_since !== null && (
            <>
              {' · failing since '}
              <Ago at={failing_since} />
            </>
          )}
        </p>
      </div>
      <Chip tone={ENDPOINT_STATES[state].tone}>{ENDPOINT_STATES[state].name}</Chip>
    </div>
  );
};
