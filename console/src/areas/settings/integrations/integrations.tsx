import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Schemas } from '../../../api/client';
import { integrationsQuery } from '../../../api/settings';
import { needs } from '../frame/needs';
import { Rows } from '../frame/rows';
import { SettingsPage } from '../frame/settings-page';
import { Health, HealthChip } from './health';
import { isKind, KINDS, type KindName, kindOf } from './kinds';
import { OutageLine } from './outage';

type Integration = Schemas['Integration'];

/** What the organization is connected with, and how it goes. */
export const Integrations = needs('org:read', 'Integrations', () => {
  const list = useQuery(integrationsQuery);
  const connections = list.data ?? [];
  const others = connections.filter(({ kind }) => !isKind(kind));
  return (
    <SettingsPage title="Integrations" query={list}>
      {list.data !== undefined && (
        <Rows label="Integrations" items={Object.keys(KINDS) as KindName[]} keyOf={(kind) => kind}>
          {(kind) => <KindRow kind={kind} connection={connections.find((one) => one.kind === kind)} />}
        </Rows>
      )}
      {others.length > 0 && (
        <Rows label="Other connections" items={others} keyOf={({ kind, name }) => `${kind}/${name}`}>
          {(connection) => (
            <>
              <p className="mb-1 font-medium">
                {connection.kind} · {connection.name}
              </p>
              <Health connection={connection} />
            </>
          )}
        </Rows>
      )}
    </SettingsPage>
  );
});

const KindRow = ({ kind, connection }: { kind: KindName; connection: Integration | undefined }) => {
  const { name, says } = kindOf(kind);
  return (
    <div className="relative flex flex-wrap items-center gap-x-3 gap-y-1">
      <div className="min-w-0 flex-1 basis-48">
        <Link
          to="/settings/integrations/$kind"
          params={{ kind }}
          className="font-medium after:absolute after:-inset-2 after:rounded-md hover:underline"
        >
          {name}
        </Link>
        <p className="text-xs text-quiet">{says}</p>
      </div>
      <HealthChip connection={connection} />
      {connection?.last_error != null && (
        <p className="w-full truncate text-xs text-bad-text">{connection.last_error}</p>
      )}
      <OutageLine kind={kind} connection={connection} />
    </div>
  );
};
