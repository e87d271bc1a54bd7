import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, dataOf } from '../../../api/client';
import { type Article, articleQuery } from '../../../api/knowledge';
import { say } from '../../../app/undo';
import { ConfirmDialog } from '../../../ui/dialogs/confirm-dialog';
import { Button } from '../../../ui/parts';
import { heldText } from './held-text';

/** What is done with an article as a whole: to publish it or not, and to delete it. */
export const Controls = ({ article: { id, title, is_draft } }: { article: Article }) => {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [isAsked, ask] = useState(false);
  const params = { path: { id } };
  const onError = (error: Error) => say(error.message, { isError: true });
  const publish = useMutation({
    mutationFn: () => dataOf(api.PUT('/training/{id}/draft', { params, body: { is_draft: !is_draft } })),
    onSuccess: (article) => {
      client.setQueryData(articleQuery(id).queryKey, article);
      say(article.is_draft ? 'The AI no longer uses it' : 'Published');
      return Promise.all(
        ['listTraining', 'listTrainingVersions'].map((name) => client.invalidateQueries({ queryKey: [name] })),
      );
    },
    onError,
  });
  const publishSaved = () =>
    heldText(id).get() === undefined ? publish.mutate() : say('Save or discard your changes first', { isError: true });
  const remove = useMutation({
    mutationFn: () => dataOf(api.DELETE('/training/{id}', { params })),
    onSuccess: async () => {
      heldText(id).clear();
      say(`${title} is deleted`);
      await navigate({ to: '/knowledge' });
      client.removeQueries({ queryKey: ['getTraining', id] });
      await client.invalidateQueries({ queryKey: ['listTraining'] });
    },
    onError,
  });
  return (
    <>
      <Button disabled={publish.isPending} onClick={publishSaved}>
        {is_draft ? 'Publish' : 'Unpublish'}
      </Button>
      <Button disabled={remove.isPending} onClick={() => ask(true)}>
        Delete
      </Button>
      {isAsked && (
        <ConfirmDialog
          title={`Delete “${title}”`}
          action="Delete the article"
          onConfirm={() => remove.mutate()}
          onClose={() => ask(false)}
        >
          It is deleted with all its versions, and the AI no longer knows it. This cannot be undone.
        </ConfirmDialog>
      )}
    </>
  );
};
