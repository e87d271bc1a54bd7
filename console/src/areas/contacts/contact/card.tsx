import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type SubmitEvent, useState } from 'react';
import { api, dataOf, type Schemas } from '../../../api/client';
import { useMay } from '../../../api/may';
import { contactQuery } from '../../../api/overview';
import { say } from '../../../app/undo';
import { FormEnd } from '../../../ui/forms/form-end';
import { Button, lookOf } from '../../../ui/parts';
import { Section } from '../../../ui/section';
import { ShortId } from '../../../ui/short-id';
import { Ago } from '../../../ui/times/ago';
import { Blocking } from '../blocking/blocking';
import { Deletion } from './deletion';
import { CHOOSING } from './merge/merge-dialog';

type Contact = Schemas['Contact'];
type Name = 'name' | 'email' | 'phone' | 'external_id';

const FIELDS: { name: Name; label: string; type: 'text' | 'email' | 'tel'; max: number }[] = [
  { name: 'name', label: 'Name', type: 'text', max: 1_000 },
  { name: 'email', label: 'E-mail', type: 'email', max: 254 },
  { name: 'phone', label: 'Phone', type: 'tel', max: 40 },
  { name: 'external_id', label: 'Id in another system', type: 'text', max: 255 },
];

/** Whether the member may merge contacts, which ends one of them like a deletion. */
export function useMayMerge(): boolean {
  const [mayWrite, mayDelete] = [useMay('contacts:write'), useMay('redaction:write')];
  return mayWrite && mayDelete;
}

/** What is known of a contact. */
export const ContactCard = ({ contact }: { contact: Contact }) => {
  const [isEditing, edit] = useState(false);
  const mayWrite = useMay('contacts:write');
  const mayMerge = useMayMerge();
  const mayReadBlocks = useMay('blocklist:read');
  return (
    <Section
      title="Contact"
      actions={
        !isEditing && (
          <>
            {mayMerge && (
              <Link
                to="/contacts/$contactId"
                params={{ contactId: contact.id }}
                search={(now) => ({ ...now, merge: CHOOSING })}
                className={lookOf('quiet')}
              >
                Merge with…
              </Link>
            )}
            {mayWrite && (
              <Button look="quiet" onClick={() => edit(true)}>
                Change
              </Button>
            )}
          </>
        )
      }
    >
      <div className="p-4">
        {isEditing ? <Form contact={contact} onClose={() => edit(false)} /> : <Facts contact={contact} />}
        <Elsewhere id={contact.id} />
        <div className="mt-3 flex flex-wrap items-center gap-2">
          {mayReadBlocks && contact.email !== null && <Blocking email={contact.email} />}
          {mayMerge && <Deletion contact={contact} />}
        </div>
      </div>
    </Section>
  );
};

const Facts = ({ contact }: { contact: Contact }) => (
  <dl className="grid gap-2">
    {FIELDS.map(({ name, label }) => (
      <Fact key={name} label={label}>
        {contact[name] ?? '–'}
      </Fact>
    ))}
    {Object.entries(contact.custom_data).map(([name, value]) => (
      <Fact key={`custom ${name}`} label={name}>
        {value}
      </Fact>
    ))}
    <Fact label="Since">
      <Ago at={contact.created_at} />
    </Fact>
    <Fact label="Id">
      <ShortId id={contact.id} />
    </Fact>
  </dl>
);

const Fact = ({ label, children }: { label: string; children: React.ReactNode }) => (
  <div>
    <dt className="text-xs break-words text-quiet">{label}</dt>
    <dd className="break-words">{children}</dd>
  </div>
);

/**
 * Sends the fields that were changed alone, since the form was opened: somebody else may change others meanwhile. An
 * empty field removes its value.
 */
const Form = ({ contact: current, onClose }: { contact: Contact; onClose: () => void }) => {
  const [contact] = useState(current);
  const client = useQueryClient();
  const save = useMutation({
    mutationFn: (changed: Schemas['ContactFields']) =>
      dataOf(api.PATCH('/contacts/{id}', { params: { path: { id: contact.id } }, body: { contact: changed } })),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: contactQuery(contact.id).queryKey });
      void client.invalidateQueries({ queryKey: ['listContacts'] });
      say('Saved');
      onClose();
    },
  });
  const onSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const given = FIELDS.map(({ name }) => [name, String(form.get(name)).trim() || null] as const);
    const changed = Object.fromEntries(given.filter(([name, value]) => value !== contact[name]));
    if (Object.keys(changed).length === 0) onClose();
    else save.mutate(changed);
  };
  return (
    <form onSubmit={onSubmit} className="grid gap-3">
      {FIELDS.map(({ name, label, type, max }) => (
        <label key={name} className="block">
          <span className="mb-1 block text-xs text-quiet">{label}</span>
          <input
            name={name}
            type={type}
            maxLength={max}
            defaultValue={contact[name] ?? ''}
            autoComplete="off"
            className="h-9 w-full rounded-md border border-line bg-page px-3"
          />
        </label>
      ))}
      <FormEnd request={save}>Save</FormEnd>
      <Button look="quiet" className="justify-center" onClick={onClose}>
        Do not change
      </Button>
    </form>
  );
};

/** The lists of other areas, of this contact alone. */
const Elsewhere = ({ id }: { id: string }) => {
  const [maySeeSessions, maySeeDeliveries, maySeeRuns] = [
    useMay('chat-sessions:read'),
    useMay('sequences:read'),
    useMay('workflows:read'),
  ];
  return (
    <nav aria-label="Of this contact" className="mt-4 flex flex-wrap gap-x-4 gap-y-1">
      {maySeeSessions && (
        <Link to="/inbox" search={{ view: 'all', status: 'all', contact_id: id }} className={LINK}>
          Conversations
        </Link>
      )}
      {maySeeDeliveries && (
        <Link to="/outbound/deliveries" search={{ contact_id: id }} className={LINK}>
          Deliveries
        </Link>
      )}
      {maySeeRuns && (
        <Link to="/automations/runs" search={{ contact_id: id }} className={LINK}>
          Runs
        </Link>
      )}
    </nav>
  );
};

const LINK = 'inline-flex h-6 items-center text-link underline';
