import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { api, dataOf, type Schemas } from '../../../api/client';
import { useMay } from '../../../api/may';
import { integrationsQuery } from '../../../api/settings';
import { CopyButton } from '../../../ui/copy-button';
import { ConfirmDialog } from '../../../ui/dialogs/confirm-dialog';
import { type Written, withChanges, writtenOf } from '../../../ui/forms/spec';
import { SpecForm } from '../../../ui/forms/spec-form';
import { useForm } from '../../../ui/forms/use-form';
import { Button, Empty } from '../../../ui/parts';
import { Section } from '../../../ui/section';
import { StateButton } from '../../../ui/state-button';
import { shownSecond } from '../../../ui/times/moments';
import { needs } from '../frame/needs';
import { SettingsPage } from '../frame/settings-page';
import { useChange } from '../frame/use-change';
import { Health } from './health';
import { isKind, type Kind, type KindName, kindOf } from './kinds';
import { Outage } from './outage';

const ABOVE = { name: 'Integrations', to: '/settings/integrations' } as const;

/** A connection: its settings, how its calls go, and a test. */
export const IntegrationPage = needs('org:read', 'Integration', () => {
  const { kind } = useParams({ from: '/settings/integrations/$kind' });
  if (isKind(kind)) return <Connection key={kind} kind={kind} />;
  return (
    <SettingsPage title={kind} above={ABOVE}>
      <Empty title="There is no such integration">The address may be mistyped.</Empty>
    </SettingsPage>
  );
});

const Connection = ({ kind }: { kind: KindName }) => {
  const list = useQuery(integrationsQuery);
  const mayWrite = useMay('org:write');
  const connection = list.data?.find((one) => one.kind === kind);
  const { test, save, disconnect } = useConnection(kind);
  const [isLeaving, askToDisconnect] = useState(false);
  const { name, specs, says, defaults = {}, callbackHint }: Kind = kindOf(kind);
  const stored = { ...defaults, ...connection?.settings };
  const form = useForm(writtenOf(specs, stored));
  const isBusy = save.isPending || test.isPending;
  return (
    <SettingsPage
      title={name}
      above={ABOVE}
      query={list}
      actions={
        mayWrite &&
        connection !== undefined && (
          <>
            <StateButton
              forbidden={form.isChanged && 'Save first: it tests what is saved'}
              disabled={isBusy}
              onClick={() => test.mutate(undefined)}
            >
              {test.isPending ? 'Testing' : 'Test'}
            </StateButton>
            <Button look="quiet" onClick={() => askToDisconnect(true)}>
              Disconnect
            </Button>
          </>
        )
      }
    >
      {list.data !== undefined && (
        <>
          {connection === undefined && <p className="text-quiet">{says}. Nothing is connected yet.</p>}
          <TestResult test={test} />
          <Outage kind={kind} connection={connection} />
          {connection !== undefined && (
            <Section title="How it goes">
              <div className="p-4">
                <Health connection={connection} said={test.isPending ? undefined : test.data?.message} />
              </div>
            </Section>
          )}
          <Section title="Settings">
            <div className="p-4">
              <SpecForm
                specs={specs}
                form={form}
                stored={stored}
                under="settings"
                save={save}
                isReadOnly={!mayWrite}
                isNew={connection === undefined}
                action={connection === undefined ? 'Connect and test' : 'Save and test'}
                onSave={(changes, done) =>
                  save.mutate(changes, {
                    onSuccess: () => {
                      done();
                      test.mutate(undefined);
                    },
                  })
                }
              />
            </div>
          </Section>
          {connection?.webhook_url !== undefined && (
            <Section title="Address for callbacks">
              <div className="p-4">
                <p className="mb-2 text-quiet">{callbackHint}</p>
                <p className="flex items-start gap-2">
                  <code className="min-w-0 flex-1 rounded bg-sunken px-2 py-1 font-mono text-xs break-all">
                    {connection.webhook_url}
                  </code>
                  <CopyButton text={connection.webhook_url} what="the address" />
                </p>
              </div>
            </Section>
          )}
        </>
      )}
      {isLeaving && (
        <ConfirmDialog
          title={`Disconnect ${name}`}
          action="Disconnect"
          onConfirm={() => disconnect.mutate(undefined)}
          onClose={() => askToDisconnect(false)}
        >
          Its settings and secrets are deleted, and what needs it fails from now on.
          {kind === 'email' && ' E-mails go out by the server of this installation then, if it has one.'}
        </ConfirmDialog>
      )}
    </SettingsPage>
  );
};

/** The result of a test, in a live region that is there before it. */
const TestResult = ({
  test: { isPending, error, data, submittedAt },
}: {
  test: ReturnType<typeof useConnection>['test'];
}) => (
  <div role="status">
    {isPending && 'Testing: one harmless call to the provider'}
    {!isPending && (error !== null || data !== undefined) && (
      <p
        className={`rounded-md p-3 break-words ${data?.connected === true ? 'bg-good text-good-text' : 'bg-bad text-bad-text'}`}
      >
        {data !== undefined && (
          <span className="mr-2">Tested at {shownSecond(new Date(submittedAt).toISOString())}.</span>
        )}
        <span>
          {error?.message ?? `${data?.connected === true ? 'The test passed: ' : 'The test failed: '}${data?.message}`}
        </span>
      </p>
    )}
  </div>
);

function useConnection(kind: KindName) {
  const stale = [integrationsQuery.queryKey];
  const test = useChange(() => dataOf(api.POST('/integrations/{kind}/test', { params: { path: { kind } } })), {
    stale,
  });
  const save = useChange(
    async (changes: Written) => {
      const { specs, provider, defaults = {} }: Kind = kindOf(kind);
      // It is stored as a whole: what others have saved since this page read it stays.
      const { items } = await dataOf(api.GET('/integrations'));
      const stored = items.find((one) => one.kind === kind)?.settings ?? defaults;
      // Each kind has its own type of settings, which the fields of its form follow.
      return dataOf(
        api.PUT(`/integrations/${kind}` as '/integrations/email', {
          body: {
            provider: provider as 'smtp',
            settings: withChanges(specs, stored, changes) as Schemas['PutEmailIntegration']['settings'],
          },
        }),
      );
    },
    { stale, says: 'Saved' },
  );
  const disconnect = useChange(() => dataOf(api.DELETE('/integrations/{kind}', { params: { path: { kind } } })), {
    stale,
    says: 'Disconnected',
    isQuick: true,
  });
  return { test, save, disconnect };
}
