import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { ApiError } from '../../api/client';
import { type OperatorState, operatorCall, stateQuery } from '../../api/operator';
import { Page, PageBody } from '../../ui/page';
import { Button, Empty, failureOf, Skeleton } from '../../ui/parts';
import { Actions } from './actions';
import { Incidents } from './incidents';
import { Limits, Orgs, Providers } from './orgs';
import { Outbox, Parked } from './outbox';
import { Queues, Reconcile, TemporalLinks } from './queues';
import { Sending } from './sending';

/** The whole installation, for who runs it. */
export const Operator = () => {
  const state = useQuery(stateQuery);
  useEffect(() => {
    document.title = 'Operator · Switchboard';
  }, []);
  if (state.error instanceof ApiError && state.error.status === 401) return <SignedOut />;
  return (
    <main className="flex h-full min-h-0 flex-col">
      <Page title="Operator" actions={state.data !== undefined && <Account state={state.data} />}>
        <PageBody label="State of the installation">
          {state.isPending && <Skeleton rows={6} />}
          {failureOf(state)}
          {state.data !== undefined && <Parts state={state.data} />}
        </PageBody>
      </Page>
    </main>
  );
};

const SignedOut = () => (
  <main className="grid h-full place-items-center">
    <Empty title="Sign in as the operator">
      Run <code className="font-mono">npm run cli -- operator login</code> on the server, and open the link that it
      shows.
    </Empty>
  </main>
);

const Account = ({ state: { operator, version } }: { state: OperatorState }) => (
  <div className="flex flex-wrap items-center gap-2 text-quiet">
    <span>
      {operator.name} · version {version}
    </span>
    <Button onClick={() => void operatorCall('POST', 'logout').finally(() => window.location.reload())}>
      Sign out
    </Button>
  </div>
);

const Parts = ({ state }: { state: OperatorState }) => (
  <div className="grid gap-3 min-[1100px]:grid-cols-2">
    {Object.entries(state.reasons).map(([part, reason]) => (
      <p key={part} role="alert" className="rounded-md bg-bad p-3 text-bad-text min-[1100px]:col-span-2">
        {part} is away: {reason}
      </p>
    ))}
    <div className="min-w-0 min-[1100px]:col-span-2">
      <Incidents />
    </div>
    <Outbox />
    <Parked />
    <Queues />
    <div className="min-w-0 space-y-3">
      <Sending sending={state.sending} />
      <Reconcile />
      <TemporalLinks links={state.links} />
    </div>
    <Limits />
    <Providers />
    <div className="min-w-0 min-[1100px]:col-span-2">
      <Actions />
    </div>
    <div className="min-w-0 min-[1100px]:col-span-2">
      <Orgs />
    </div>
  </div>
);
