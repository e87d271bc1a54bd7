import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf, type Schemas } from '../../../api/client';
import { useMay } from '../../../api/may';
import { keysQuery } from '../../../api/settings';
import { ConfirmDialog } from '../../../ui/dialogs/confirm-dialog';
import { Button, Chip, Empty } from '../../../ui/parts';
import { ShortId } from '../../../ui/short-id';
import { Ago } from '../../../ui/times/ago';
import { needs } from '../frame/needs';
import { Rows } from '../frame/rows';
import { SecretDialog } from '../frame/secret-dialog';
import { SettingsPage } from '../frame/settings-page';
import { useChange } from '../frame/use-change';
import { KeyDialog } from './key-dialog';
import { RotateDialog } from './rotate-dialog';

type Key = Schemas['ApiKey'];

type Asked = { what: 'new' } | { what: 'shown'; secret: string } | { what: 'revoke' | 'rotate'; key: Key };

/** The keys by which other programs use the API. */
export const ApiKeys = needs('org:read', 'API keys', () => {
  const list = useQuery(keysQuery);
  const mayWrite = useMay('org:write');
  const [asked, ask] = useState<Asked>();
  const close = () => ask(undefined);
  const revoke = useChange((id: string) => dataOf(api.DELETE('/org/api-keys/{id}', { params: { path: { id } } })), {
    stale: [keysQuery.queryKey],
    says: 'Revoked',
    isQuick: true,
  });
  return (
    <SettingsPage
      title="API keys"
      query={list}
      actions={
        mayWrite && (
          <Button look="main" onClick={() => ask({ what: 'new' })}>
            New key
          </Button>
        )
      }
    >
      {list.data?.length === 0 && <Empty title="No key yet">A key lets another program use the API.</Empty>}
      {list.data !== undefined && list.data.length > 0 && (
        <Rows
          label="API keys"
          items={list.data}
          keyOf={({ id }) => id}
          actions={
            mayWrite &&
            ((key) => (
              <>
                <Button aria-label={`Rotate ${key.name}`} onClick={() => ask({ what: 'rotate', key })}>
                  Rotate
                </Button>
                <Button look="quiet" aria-label={`Revoke ${key.name}`} onClick={() => ask({ what: 'revoke', key })}>
                  Revoke
                </Button>
              </>
            ))
          }
        >
          {(key) => <KeyRow apiKey={key} />}
        </Rows>
      )}
      {asked?.what === 'new' && <KeyDialog onClose={close} onCreated={(secret) => ask({ what: 'shown', secret })} />}
      {asked?.what === 'shown' && (
        <SecretDialog key={asked.secret} title="Your new key" what="the key" secret={asked.secret} onClose={close}>
          Programs send it as <code className="font-mono text-xs">Authorization: Bearer …</code>
        </SecretDialog>
      )}
      {asked?.what === 'rotate' && <RotateDialog apiKey={asked.key} onClose={close} />}
      {asked?.what === 'revoke' && (
        <ConfirmDialog
          title={`Revoke “${asked.key.name}”`}
          action="Revoke the key"
          onConfirm={() => revoke.mutate(asked.key.id)}
          onClose={close}
        >
          Programs that use it are refused within a second. This cannot be undone.
        </ConfirmDialog>
      )}
    </SettingsPage>
  );
});

const SHOWN_SCOPES = 6;

const KeyRow = ({ apiKey: { id, name, scopes, created_at, last_used_at } }: { apiKey: Key }) => (
  <>
    <p className="flex flex-wrap items-center gap-x-2">
      <span className="min-w-0 font-medium break-words">{name}</span>
      <ShortId id={id} what="the id of the key" />
      <span className="text-xs text-quiet">
        made <Ago at={created_at} />,{' '}
        {last_used_at === null ? (
          'not used yet'
        ) : (
          <>
            last used <Ago at={last_used_at} />
          </>
        )}
      </span>
    </p>
    <p className="mt-1 flex flex-wrap gap-1">
      {scopes === null && <Chip tone="warn">Full access</Chip>}
      {scopes?.slice(0, SHOWN_SCOPES).map((scope) => (
        <Chip key={scope}>{scope}</Chip>
      ))}
      {scopes != null && scopes.length > SHOWN_SCOPES && (
        <span title={scopes.join(', ')} className="text-xs text-quiet">
          and {scopes.length - SHOWN_SCOPES} more
        </span>
      )}
    </p>
  </>
);
