import { useQuery } from '@tanstack/react-query';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { isMissing } from '../../../api/client';
import { useMay } from '../../../api/may';
import { webhookQuery } from '../../../api/settings';
import { TAB, Tabs } from '../../../ui/page';
import { Chip, Empty } from '../../../ui/parts';
import { needs } from '../frame/needs';
import { SettingsPage } from '../frame/settings-page';
import { Controls } from './controls';
import { Deliveries } from './deliveries';
import { EndpointForm } from './endpoint-editor';
import { RecoveryBar, useRecovery } from './recovery-bar';
import { DISABLED_BECAUSE, ENDPOINT_STATES } from './words';

const ABOVE = { name: 'Webhooks', to: '/settings/webhooks' } as const;
const WHOLE = { exact: true, includeSearch: true };
const ROUTE = '/settings/webhooks/$webhookId';

/** An endpoint: the log of what it got, and its settings. */
export const WebhookPage = needs('webhooks:read', 'Endpoint', () => {
  const { webhookId } = useParams({ from: ROUTE });
  const { open } = useSearch({ from: ROUTE });
  const isSettings = open === 'settings';
  const endpoint = useQuery({ ...webhookQuery(webhookId), refetchOnWindowFocus: !isSettings });
  const mayWrite = useMay('webhooks:write');
  const [recovery, follow] = useRecovery(webhookId);
  const isGone = isMissing(endpoint.error);
  return (
    <SettingsPage
      title="Endpoint"
      above={ABOVE}
      query={isGone ? undefined : endpoint}
      actions={mayWrite && endpoint.data !== undefined && <Controls endpoint={endpoint.data} onRecovery={follow} />}
    >
      {isGone && <Empty title="There is no such endpoint">It may have been deleted.</Empty>}
      {endpoint.data !== undefined && (
        <>
          <p className="flex flex-wrap items-center gap-2">
            <code className="min-w-0 font-mono text-xs break-all">{endpoint.data.url}</code>
            <Chip tone={ENDPOINT_STATES[endpoint.data.state].tone}>{ENDPOINT_STATES[endpoint.data.state].name}</Chip>
          </p>
          {endpoint.data.disabled_because !== null && (
            <p className="rounded-md bg-warn p-3 text-warn-text">
              {DISABLED_BECAUSE[endpoint.data.disabled_because]} What happens meanwhile is held for 30 days. Enable it,
              then send what was held by “Recover”.
            </p>
          )}
          {mayWrite && recovery !== null && (
            <RecoveryBar key={recovery.until} id={webhookId} recovery={recovery} onDismiss={() => follow(null)} />
          )}
          <Tabs label="Endpoint">
            <Link
              to={ROUTE}
              params={{ webhookId }}
              search={{}}
              activeOptions={WHOLE}
              aria-current={isSettings ? undefined : 'page'}
              className={TAB}
            >
              Deliveries
            </Link>
            <Link
              to={ROUTE}
              params={{ webhookId }}
              search={{ open: 'settings' }}
              activeOptions={WHOLE}
              aria-current={isSettings ? 'page' : undefined}
              className={TAB}
            >
              Settings
            </Link>
          </Tabs>
          {isSettings ? (
            <EndpointForm endpoint={endpoint.data} mayWrite={mayWrite} />
          ) : (
            <Deliveries endpoint={endpoint.data} mayWrite={mayWrite} />
          )}
        </>
      )}
    </SettingsPage>
  );
});
