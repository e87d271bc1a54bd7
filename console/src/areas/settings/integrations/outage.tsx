import { Link } from '@tanstack/react-router';
import type { Schemas } from '../../../api/client';
import type { KindName } from './kinds';

type Integration = Schemas['Integration'];

/** What goes out by a connection, as people say it. */
const SENT: Partial<Record<KindName, { what: string; channel: Schemas['Delivery']['channel'] }>> = {
  email: { what: 'e-mail', channel: 'email' },
  sms: { what: 'SMS', channel: 'sms' },
  whatsapp: { what: 'WhatsApp message', channel: 'whatsapp' },
};

export const isFailing = ({ failing_since, connected }: Integration): boolean =>
  failing_since !== null || connected === false;

interface OutageProps {
  kind: KindName;
  connection: Integration | undefined;
}

/** The consequences of a failing connection, in a line. */
export const OutageLine = ({ kind, connection }: OutageProps) => {
  const sent = SENT[kind];
  if (sent === undefined || connection === undefined || !isFailing(connection)) return null;
  return (
    <p className="w-full text-xs text-warn-text">The last call failed: while it fails, no {sent.what} goes out.</p>
  );
};

/** The consequences of a failing connection: messages that wait, and messages that fail. */
export const Outage = ({ kind, connection }: OutageProps) => {
  const sent = SENT[kind];
  if (sent === undefined || connection === undefined || !isFailing(connection)) return null;
  return (
    <div className="space-y-1 rounded-md bg-warn p-3 text-warn-text">
      <p className="font-medium">
        It is saved and in use. The last call failed: while it fails, no {sent.what} goes out.
      </p>
      <p>
        Where it cannot be reached, sequences wait and go on by themselves, and a reply is tried for an hour. Where it
        refuses the sign-in, sequences pause until somebody resumes them, and a reply fails at once.
      </p>
      <p className="flex flex-wrap gap-x-4">
        <Link
          to="/outbound/deliveries"
          search={{ channel: sent.channel, status: 'queued' }}
          className="inline-flex min-h-6 items-center underline"
        >
          Queued messages
        </Link>
        <Link to="/outbound" className="inline-flex min-h-6 items-center underline">
          Sequences
        </Link>
      </p>
    </div>
  );
};
