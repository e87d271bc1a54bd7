import { type UseInfiniteQueryResult, useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { BLOCKS, blockedAddressesQuery, blockedDomainsQuery } from '../../../api/blocklist';
import { api, dataOf } from '../../../api/client';
import { useMay } from '../../../api/may';
import { ShowMore } from '../../../ui/lists/show-more';
import { Button, Empty, failureOf, Skeleton } from '../../../ui/parts';
import { Section } from '../../../ui/section';
import { Ago } from '../../../ui/times/ago';
import { BlockDialog } from '../../contacts/blocking/block-dialog';
import { SettingsPage } from '../frame/settings-page';
import { useChange } from '../frame/use-change';

/** Who is blocked: addresses and domains, with why and since when. */
export const Blocked = () => {
  const mayWrite = useMay('blocklist:write');
  const [isAdding, add] = useState(false);
  const addresses = useInfiniteQuery(blockedAddressesQuery);
  const domains = useInfiniteQuery(blockedDomainsQuery);
  const unblockAddress = useUnblocking((id) =>
    dataOf(api.DELETE('/blocklist/contacts/{id}', { params: { path: { id } } })),
  );
  const unblockDomain = useUnblocking((id) =>
    dataOf(api.DELETE('/blocklist/domains/{id}', { params: { path: { id } } })),
  );
  return (
    <SettingsPage
      title="Blocked senders"
      actions={
        mayWrite && (
          <Button look="main" onClick={() => add(true)}>
            Block
          </Button>
        )
      }
    >
      <Blocks
        title="Addresses"
        query={addresses}
        blocks={addresses.data?.pages.flatMap(({ data }) => data) ?? []}
        nameOf={({ email }) => email}
        contactOf={({ contact_id }) => contact_id}
        onUnblock={mayWrite && ((id) => unblockAddress.mutate(id))}
      />
      <Blocks
        title="Domains, with their subdomains"
        query={domains}
        blocks={domains.data?.pages.flatMap(({ data }) => data) ?? []}
        nameOf={({ domain }) => domain}
        onUnblock={mayWrite && ((id) => unblockDomain.mutate(id))}
      />
      {isAdding && <BlockDialog onClose={() => add(false)} />}
    </SettingsPage>
  );
};

const useUnblocking = (unblock: (id: string) => Promise<unknown>) =>
  useChange(unblock, { stale: [BLOCKS], says: 'Unblocked. What was skipped is not sent afterwards', isQuick: true });

interface Block {
  id: string;
  reason: string | null;
  created_at: string;
}

interface BlocksProps<Row extends Block> {
  title: string;
  query: UseInfiniteQueryResult;
  blocks: Row[];
  nameOf: (block: Row) => string;
  contactOf?: (block: Row) => string | null;
  onUnblock: false | ((id: string) => void);
}

const Blocks = <Row extends Block>({ title, query, blocks, nameOf, contactOf, onUnblock }: BlocksProps<Row>) => (
  <Section title={title}>
    {failureOf(query)}
    {query.isPending && <Skeleton rows={2} />}
    {query.data !== undefined && blocks.length === 0 && <Empty title="None is blocked" />}
    <ul aria-label={title}>
      {blocks.map((block) => (
        <li
          key={block.id}
          className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-2.5 last:border-0"
        >
          <span className="min-w-0 flex-1 basis-56 break-words">
            <Name name={nameOf(block)} contactId={contactOf?.(block) ?? null} />
            <span className="block text-xs text-quiet">
              {block.reason !== null && block.reason !== '' && `${block.reason} · `}
              since <Ago at={block.created_at} />
            </span>
          </span>
          {onUnblock && (
            <Button aria-label={`Unblock ${nameOf(block)}`} onClick={() => onUnblock(block.id)}>
              Unblock
            </Button>
          )}
        </li>
      ))}
    </ul>
    <ShowMore query={query} className="m-3" />
  </Section>
);

const Name = ({ name, contactId }: { name: string; contactId: string | null }) =>
  contactId === null ? (
    name
  ) : (
    <Link to="/contacts/$contactId" params={{ contactId }} search={{}} className="text-link underline">
      {name}
    </Link>
  );
