import type { Schemas } from '../../../api/client';
import { Chip } from '../../../ui/parts';
import { Ago } from '../../../ui/times/ago';
import { isFailing } from './outage';

type Integration = Schemas['Integration'];

/** Whether calls of a connection succeed. */
export const HealthChip = ({ connection }: { connection: Integration | undefined }) => {
  if (connection === undefined) return <Chip>Not connected</Chip>;
  if (isFailing(connection)) return <Chip tone="bad">Failing</Chip>;
  if (connection.connected === null) return <Chip tone="warn">Not tried yet</Chip>;
  return <Chip tone="good">Works</Chip>;
};

interface HealthProps {
  connection: Integration;
  /** The error that the page says already. */
  said?: string | undefined;
}

/** The times of the last success and failure of calls, the last error, and the connection's warnings. */
export const Health = ({ connection, said }: HealthProps) => {
  const { last_success_at, last_error, last_error_at, failing_since, warnings } = connection;
  return (
    <div className="space-y-2">
      <p className="flex flex-wrap items-center gap-x-3">
        <HealthChip connection={connection} />
        <span className="text-quiet">
          {last_success_at === null ? (
            'No call has succeeded yet'
          ) : (
            <>
              Last success <Ago at={last_success_at} />
            </>
          )}
          {failing_since !== null && (
            <>
              , failing since <Ago at={failing_since} />
            </>
          )}
        </span>
      </p>
      {last_error !== null && last_error !== said && (
        <p className="rounded-md bg-bad p-3 break-words text-bad-text">
          {last_error}
          {last_error_at !== null && (
            <>
              {' '}
              · <Ago at={last_error_at} />
            </>
          )}
        </p>
      )}
      {warnings.map((warning) => (
        <p key={warning} className="rounded-md bg-warn p-3 break-words text-warn-text">
          {warning}
        </p>
      ))}
    </div>
  );
};
