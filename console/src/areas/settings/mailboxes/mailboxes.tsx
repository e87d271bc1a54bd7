import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api, dataOf, type Schemas } from '../../../api/client';
import { useMay } from '../../../api/may';
import { teamsQuery } from '../../../api/queries';
import { mailboxesQuery, mailDomainsQuery } from '../../../api/settings';
import { CopyButton } from '../../../ui/copy-button';
import { Chip, Empty } from '../../../ui/parts';
import { ListPage } from '../frame/list-page';
import { MailboxDialog } from './mailbox-dialog';

type Mailbox = Schemas['EmailInbox'];

/** The addresses that receive mail, and their missing records. */
export const Mailboxes = () => (
  <ListPage
    title="Mailboxes"
    query={useQuery(mailboxesQuery)}
    mayWrite={useMay('email:write')}
    add="Add a mailbox"
    empty={
      <Empty title="No mailbox yet">
        Mail to a mailbox opens a conversation, or continues the one that it answers.
      </Empty>
    }
    keyOf={({ id }) => id}
    nameOf={({ address }) => address}
    section={(mailbox) => <MailboxBody mailbox={mailbox} />}
    form={(existing, onClose) => <MailboxDialog existing={existing} onClose={onClose} />}
    remove={{
      what: 'the mailbox',
      says: 'Mail to the address is refused from then on. Its conversations stay.',
      run: ({ id }) => dataOf(api.DELETE('/email/inboxes/{id}', { params: { path: { id } } })),
      stale: [mailboxesQuery.queryKey],
    }}
  />
);

const MailboxBody = ({ mailbox }: { mailbox: Mailbox }) => {
  const { address, display_name, team_id, signature, is_default_sender, status, is_receiving } = mailbox;
  const team = useQuery(teamsQuery).data?.find(({ id }) => id === team_id);
  const name = address.slice(address.lastIndexOf('@') + 1);
  const domain = useQuery(mailDomainsQuery).data?.find(({ domainName }) => domainName === name);
  return (
    <div className="space-y-2 p-4">
      <p className="flex flex-wrap items-center gap-2">
        <Chip tone={is_receiving ? 'good' : 'warn'}>{is_receiving ? 'Receives mail' : 'No mail by SMTP'}</Chip>
        <Chip tone={status === 'verified' ? 'good' : 'warn'}>
          {status === 'verified' ? 'Domain verified' : 'Domain not verified'}
        </Chip>
        {is_default_sender && <Chip>Default sender</Chip>}
      </p>
      <p className="text-quiet">
        {display_name === null ? 'Answers carry no name' : `Answers come from “${display_name}”`}
        {team !== undefined && `, conversations go to ${team.name}`}
      </p>
      {signature !== null && <p className="rounded-md bg-sunken p-2 break-words whitespace-pre-wrap">{signature}</p>}
      {status !== 'verified' && (
        <div className="rounded-md border border-line p-3">
          {domain === undefined ? (
            <p>
              Mail from {name} is not signed yet. Add the domain under{' '}
              <Link to="/outbound/domains" className="text-link underline">
                Outbound, Domains
              </Link>
              , which shows its DNS records.
            </p>
          ) : (
            <>
              <p>Set these DNS records, then verify the domain under Outbound, Domains:</p>
              <ul>
                {domain.domainRecords.map((record) => (
                  <li key={record.name} className="mt-2 flex items-start gap-2">
                    <code className="min-w-0 flex-1 rounded bg-sunken px-2 py-1 font-mono text-xs break-all">
                      {record.name} {record.type} {record.value}
                    </code>
                    <CopyButton text={record.value} what={`the value of ${record.name}`} />
                  </li>
                ))}
              </ul>
            </>
          )}
        </div>
      )}
    </div>
  );
};
