import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, dataOf, type Schemas } from '../../../api/client';
import { say } from '../../../app/undo';
import { ConfirmDialog } from '../../../ui/dialogs/confirm-dialog';
import { Button } from '../../../ui/parts';
import { StateButton } from '../../../ui/state-button';

/** What is done with a website as a whole. */
export const Controls = ({ website }: { website: Schemas['WebsiteDatasourceDetails'] }) => {
  const { id, display_name, status, active_crawl_job: active, page_stats } = website;
  const client = useQueryClient();
  const navigate = useNavigate();
  const [isAsked, ask] = useState(false);
  const params = { path: { id } };
  const onError = (error: Error) => say(error.message, { isError: true });
  const onSettled = () =>
    Promise.all(['getWebsite', 'listCrawls'].map((name) => client.invalidateQueries({ queryKey: [name, id] })));
  const start = useMutation({
    mutationFn: () => dataOf(api.POST('/crawl/{id}/crawls', { params })),
    onError,
    onSettled,
  });
  const pause = useMutation({
    mutationFn: () =>
      dataOf(api.PATCH('/crawl/{id}', { params, body: { status: status === 'active' ? 'paused' : 'active' } })),
    onError,
    onSettled,
  });
  const remove = useMutation({
    mutationFn: () => dataOf(api.DELETE('/crawl/{id}', { params })),
    onSuccess: async () => {
      say(`${display_name} is deleted`);
      await navigate({ to: '/knowledge/websites' });
      await client.invalidateQueries({ queryKey: ['listWebsites'] });
    },
    onError,
  });
  const forbidden =
    (active !== null && 'A crawl is under way') || (status === 'paused' && 'The website is paused: resume it first');
  return (
    <>
      <StateButton look="main" forbidden={forbidden} disabled={start.isPending} onClick={() => start.mutate()}>
        Crawl now
      </StateButton>
      <Button disabled={pause.isPending} onClick={() => pause.mutate()}>
        {status === 'active' ? 'Pause' : 'Resume'}
      </Button>
      <Button disabled={remove.isPending} onClick={() => ask(true)}>
        Delete
      </Button>
      {isAsked && (
        <ConfirmDialog
          title={`Delete “${display_name}”`}
          action="Delete the website"
          onConfirm={() => remove.mutate()}
          onClose={() => ask(false)}
        >
          The AI forgets its {page_stats.synced.toLocaleString()} pages. This cannot be undone.
        </ConfirmDialog>
      )}
    </>
  );
};
