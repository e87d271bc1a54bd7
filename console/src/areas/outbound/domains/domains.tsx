import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf, type Schemas } from '../../../api/client';
import { useMay } from '../../../api/may';
import { domainsQuery } from '../../../api/outbound';
import { say } from '../../../app/undo';
import { CopyButton } from '../../../ui/copy-button';
import { ConfirmDialog } from '../../../ui/dialogs/confirm-dialog';
import { ShowMore } from '../../../ui/lists/show-more';
import { Page, PageBody } from '../../../ui/page';
import { Button, Chip, Empty, failureOf, Skeleton } from '../../../ui/parts';
import { Section } from '../../../ui/section';
import { Ago } from '../../../ui/times/ago';
import { OutboundTabs } from '../tabs';
import { AddDomain } from './add-domain';

type DomainRecord = Schemas['DomainRecord'];

interface Domain {
  domainName: string;
  domainStatus: DomainRecord['status'];
  domainRecords: DomainRecord[];
  checked_at: string | null;
}

const STATUSES = {
  pending: { name: 'Not found yet', tone: 'warn' },
  verified: { name: 'Verified', tone: 'good' },
  failed: { name: 'Another record', tone: 'bad' },
} as const;

/** The sending domains, with their needed DNS records and the found ones. */
export const Domains = () => {
  const list = useInfiniteQuery(domainsQuery);
  const mayWrite = useMay('email:write');
  const [isAdding, add] = useState(false);
  const domains = list.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <Page
      title="Outbound"
      tabs={<OutboundTabs />}
      actions={
        mayWrite && (
          <Button look="main" onClick={() => add(true)}>
            Add a domain
          </Button>
        )
      }
    >
      <PageBody label="Domains">
        {failureOf(list)}
        {list.isPending && <Skeleton rows={4} />}
        {list.isSuccess && domains.length === 0 && (
          <Empty title="No domain yet">Mail from a verified domain is signed, so receivers trust it.</Empty>
        )}
        <ul className="mx-auto grid max-w-240 gap-3">
          {domains.map((domain) => (
            <li key={domain.domainName}>
              <Shown domain={domain} mayWrite={mayWrite} />
            </li>
          ))}
        </ul>
        <ShowMore query={list} className="mt-3" />
      </PageBody>
      {isAdding && <AddDomain onClose={() => add(false)} />}
    </Page>
  );
};

const Shown = ({ domain, mayWrite }: { domain: Domain; mayWrite: boolean }) => {
  const { domainName, domainRecords, checked_at } = domain;
  const [isDeleting, askToDelete] = useState(false);
  const { verify, remove } = useChanges(domainName);
  return (
    <Section
      title={domainName}
      actions={
        mayWrite && (
          <>
            <Button disabled={verify.isPending} onClick={() => verify.mutate()}>
              {verify.isPending ? 'Looking' : 'Verify'}
            </Button>
            <Button look="quiet" onClick={() => askToDelete(true)}>
              Delete
            </Button>
          </>
        )
      }
    >
      <div className="px-4 pb-3">
        <p className="pt-2 text-xs text-quiet">
          {checked_at === null ? (
            'DNS was not asked yet'
          ) : (
            <>
              DNS was asked <Ago at={checked_at} />
            </>
          )}
        </p>
        {verify.error !== null && <p className="mt-2 rounded-md bg-bad p-3 text-bad-text">{verify.error.message}</p>}
        <ul>
          {domainRecords.map((record) => (
            <li key={record.name} className="mt-3">
              <DnsRecord record={record} />
            </li>
          ))}
        </ul>
      </div>
      {isDeleting && (
        <ConfirmDialog
          title={`Delete ${domainName}`}
          action="Delete the domain"
          onConfirm={() => remove.mutate()}
          onClose={() => askToDelete(false)}
        >
          E-mail from it is no longer accepted or signed. If you add it again, it gets a new key with another record.
        </ConfirmDialog>
      )}
    </Section>
  );
};

const DnsRecord = ({ record: { type, name, value, ttl, status, found } }: { record: DomainRecord }) => {
  const others = status === 'verified' ? [] : (found ?? []);
  return (
    <div className="rounded-md border border-line p-3">
      <p className="flex flex-wrap items-center gap-2">
        <span className="font-medium">{name.startsWith('_dmarc.') ? 'DMARC policy (recommended)' : 'DKIM key'}</span>
        <Chip tone={STATUSES[status].tone}>{STATUSES[status].name}</Chip>
        <span className="text-xs text-quiet">
          {type}, TTL {ttl.toLocaleString()} s
        </span>
      </p>
      <Copied label="Name" text={name} />
      <Copied label="Value" text={value} />
      {others.length > 0 && (
        <div className="mt-2 rounded-md bg-bad p-2 text-bad-text">
          <p className="text-xs">DNS has this instead:</p>
          {others.map((text) => (
            <code key={text} className="block font-mono text-xs break-all">
              {text}
            </code>
          ))}
        </div>
      )}
      {status === 'pending' && found?.length === 0 && (
        <p className="mt-2 text-xs text-quiet">
          DNS had nothing at this name. A new record may take some time to show.
        </p>
      )}
    </div>
  );
};

const Copied = ({ label, text }: { label: string; text: string }) => (
  <div className="mt-1.5 flex items-start gap-2">
    <span className="w-12 shrink-0 pt-0.5 text-xs text-quiet">{label}</span>
    <code className="min-w-0 flex-1 rounded bg-sunken px-2 py-1 font-mono text-xs break-all">{text}</code>
    <CopyButton text={text} what={`the ${label.toLowerCase()}`} />
  </div>
);

function useChanges(domainName: string) {
  const client = useQueryClient();
  const params = { params: { path: { domainName } } };
  const onSettled = () => client.invalidateQueries({ queryKey: domainsQuery.queryKey });
  const verify = useMutation({
    mutationFn: () => dataOf(api.PATCH('/email/domains/{domainName}', params)),
    onSuccess: ({ domainStatus }) => say(domainStatus === 'verified' ? 'Verified' : 'Not verified yet'),
    onSettled,
  });
  const remove = useMutation({
    mutationFn: () => dataOf(api.DELETE('/email/domains/{domainName}', params)),
    onSuccess: () => say('Deleted'),
    onError: (error) => say(error.message, { isError: true }),
    onSettled,
  });
  return { verify, remove };
}
