import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { BLOCKS, blockingQuery } from '../../../api/blocklist';
import { api, dataOf } from '../../../api/client';
import { useMay } from '../../../api/may';
import { say } from '../../../app/undo';
import { Button, Chip, failureOf } from '../../../ui/parts';
import { BlockDialog } from './block-dialog';

/** Whether an e-mail is blocked, and why, with the way to block it and to end that. */
export const Blocking = ({ email }: { email: string }) => {
  const mayWrite = useMay('blocklist:write');
  const [isAsking, ask] = useState(false);
  const query = useQuery(blockingQuery(email));
  const client = useQueryClient();
  const unblock = useMutation({
    mutationFn: (id: string) => dataOf(api.DELETE('/blocklist/contacts/{id}', { params: { path: { id } } })),
    onSuccess: () => say(`${email} is not blocked any more`),
    onError: (error) => say(error.message, { isError: true }),
    onSettled: () => client.invalidateQueries({ queryKey: BLOCKS }),
  });
  if (query.data === undefined) return failureOf(query);
  const { address, domain } = query.data;
  const reason = (address ?? domain)?.reason;
  return (
    <>
      {(address ?? domain) !== undefined && (
        <p className="w-full break-words">
          <Chip tone="bad">Blocked</Chip>{' '}
          {address === undefined && (
            <>
              by its domain{' '}
              <Link to="/settings/blocked" className="text-link underline">
                {domain?.domain}
              </Link>
            </>
          )}
          {reason != null && reason !== '' && <span className="block text-quiet">{reason}</span>}
        </p>
      )}
      {mayWrite && address !== undefined && (
        <Button disabled={unblock.isPending} onClick={() => unblock.mutate(address.id)}>
          Unblock
        </Button>
      )}
      {mayWrite && address === undefined && domain === undefined && <Button onClick={() => ask(true)}>Block…</Button>}
      {isAsking && <BlockDialog email={email} onClose={() => ask(false)} />}
    </>
  );
};
