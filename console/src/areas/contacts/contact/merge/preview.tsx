import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import type { SubmitEvent } from 'react';
import { api, dataOf, type Schemas } from '../../../../api/client';
import { say } from '../../../../app/undo';
import { FormEnd } from '../../../../ui/forms/form-end';
import { Button, failureOf, lookOf, Skeleton } from '../../../../ui/parts';

type Contact = Schemas['Contact'];
type Merge = Schemas['ContactMerge'];

const ROWS = [
  ['Name', 'name'],
  ['E-mail', 'email'],
  ['Phone', 'phone'],
  ['Id in another system', 'external_id'],
] as const;

/** What is moved, as people say it. Other kinds are counted, and not worth a word here. */
const KINDS: Record<string, string> = {
  sessions: 'conversations',
  deliveries: 'messages sent',
  inbound_messages: 'messages received',
  enrollments: 'courses of sequences',
};

const merge = (id: string, from_id: string, preview: boolean) =>
  dataOf(api.POST('/contacts/{id}/merge', { params: { path: { id } }, body: { from_id, preview } }));

interface PreviewProps {
  contact: Contact;
  otherId: string;
  onBack: () => void;
}

/** Shows what becomes of two contacts, and merges them. */
export const MergePreview = ({ contact, otherId, onBack }: PreviewProps) => {
  const client = useQueryClient();
  const navigate = useNavigate();
  const preview = useQuery({
    queryKey: ['previewMerge', contact.id, otherId],
    queryFn: () => merge(contact.id, otherId, true),
    gcTime: 0,
    retry: false,
  });
  const confirm = useMutation({
    mutationFn: () => merge(contact.id, otherId, false),
    onSuccess: async () => {
      say('Merged');
      await navigate({ to: '/contacts/$contactId', params: { contactId: contact.id }, search: {} });
      for (const key of ['getContact', 'listContacts', 'listContactTimeline', 'listInbox'])
        void client.invalidateQueries({ queryKey: [key] });
    },
  });
  const onSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    confirm.mutate();
  };
  const failure = failureOf(preview);
  if (preview.data === undefined)
    return (
      <div className="space-y-4">
        {failure || <Skeleton rows={5} />}
        <Button onClick={onBack}>Another contact</Button>
      </div>
    );
  return (
    <form onSubmit={onSubmit} className="space-y-4">
      {failure}
      <Values data={preview.data} />
      <Effects data={preview.data} />
      <p className="rounded-md bg-warn p-3 text-warn-text">There is no way back.</p>
      <div className="flex flex-wrap gap-2">
        <Button onClick={onBack}>Another contact</Button>
        <Link
          to="/contacts/$contactId"
          params={{ contactId: otherId }}
          search={{ merge: contact.id }}
          className={lookOf('plain')}
        >
          Merge the other way round
        </Link>
      </div>
      <FormEnd request={confirm}>Merge the two contacts</FormEnd>
    </form>
  );
};

/** The values of the contact as it will be, and those that are not kept. */
const Values = ({ data: { contact, further, dropped } }: { data: Merge }) => {
  const lost: Record<string, string | null> = {
    name: dropped.name,
    email: further.email,
    phone: further.phone_number,
    external_id: further.external_id,
  };
  const custom = Object.entries(contact.custom_data);
  return (
    <dl className="grid gap-2">
      {ROWS.map(([label, name]) => (
        <Value key={name} label={label} kept={contact[name]} other={lost[name] ?? null} isDropped={name === 'name'} />
      ))}
      {custom.map(([name, value]) => (
        <Value key={`custom ${name}`} label={name} kept={value} other={dropped.custom_data[name] ?? null} isDropped />
      ))}
    </dl>
  );
};

interface ValueProps {
  label: string;
  kept: string | null;
  other: string | null;
  /** The other value is lost. Otherwise it still finds the contact. */
  isDropped: boolean;
}

const Value = ({ label, kept, other, isDropped }: ValueProps) => (
  <div>
    <dt className="text-xs break-words text-quiet">{label}</dt>
    <dd className="break-words">
      {kept ?? '–'}
      {other !== null && (
        <span className="block text-quiet">
          {isDropped ? 'Dropped' : 'Still finds the contact, and gets no messages'}: {other}
        </span>
      )}
    </dd>
  </div>
);

/** The rows that move, and the settings that get stricter. */
const Effects = ({ data: { moved, suppressed, blocked } }: { data: Merge }) => {
  const moves = Object.entries(moved).flatMap(([kind, count]) =>
    count > 0 && KINDS[kind] !== undefined ? [`${count} ${KINDS[kind]}`] : [],
  );
  return (
    <ul className="list-disc space-y-1 pl-5 break-words">
      <li>{moves.length === 0 ? 'Nothing else moves.' : `These move: ${moves.join(', ')}.`}</li>
      {suppressed.map(({ channel, address }) => (
        <li key={`${channel} ${address}`}>
          {address} gets no more messages by {channel}: the other contact opted out.
        </li>
      ))}
      {blocked.map((email) => (
        <li key={email}>{email} is blocked, as the other contact is.</li>
      ))}
    </ul>
  );
};
