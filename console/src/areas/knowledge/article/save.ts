import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ApiError, api, dataOf } from '../../../api/client';
import { type Article, articleQuery } from '../../../api/knowledge';
import { say } from '../../../app/undo';
import type { Written } from './held-text';

interface SaveProps {
  article: Article | undefined;
  held: { updatedAt: string | undefined } | undefined;
  onSaved: (sent: Written, result: Article) => void;
}

/**
 * Saves an article if it is as it was when it began to be written over. One that somebody else has changed is overwritten
 * only when it is saved once more, and only as it is by then.
 */
export function useSave({ article, held, onSaved }: SaveProps) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [seen, setSeen] = useState<string>();
  const save = useMutation({
    mutationFn: async (written: Written) => {
      if (article === undefined) return dataOf(api.POST('/training', { body: { ...written, is_draft: true } }));
      const path = { id: article.id };
      const header = { 'if-match': seen ?? held?.updatedAt ?? article.updated_at };
      return dataOf(api.PATCH('/training/{id}', { params: { path, header }, body: written })).catch(async (error) => {
        if (!isChanged(error)) throw error;
        const now = await dataOf(api.GET('/training/{id}', { params: { path } }));
        client.setQueryData(articleQuery(now.id).queryKey, now);
        void client.invalidateQueries({ queryKey: ['listTrainingVersions'] });
        setSeen(now.updated_at);
        throw new Error(
          'Somebody has changed the article since you began. Look at its versions before you save yours.',
          { cause: error },
        );
      });
    },
    onSuccess: async (result, sent) => {
      setSeen(undefined);
      client.setQueryData(articleQuery(result.id).queryKey, result);
      onSaved(sent, result);
      say('Saved');
      if (article === undefined)
        await navigate({ to: '/knowledge/articles/$articleId', params: { articleId: result.id }, replace: true });
      await Promise.all(
        ['listTraining', 'listTrainingVersions'].map((name) => client.invalidateQueries({ queryKey: [name] })),
      );
    },
  });
  /** Forgets somebody's change of the article, as the written text is given up. */
  const discard = () => {
    save.reset();
    setSeen(undefined);
    if (article !== undefined) void client.invalidateQueries({ queryKey: articleQuery(article.id).queryKey });
  };
  return { ...save, isOverwriting: seen !== undefined, discard };
}

const isChanged = (error: unknown): boolean => error instanceof ApiError && error.status === 412;
