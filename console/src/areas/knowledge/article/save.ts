import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, dataOf } from '../../../api/client';
import { type Article, articleQuery } from '../../../api/knowledge';
import { say } from '../../../app/undo';
import type { Written } from './held-text';

interface SaveProps {
  article: Article | undefined;
  held: { updatedAt: string | undefined } | undefined;
  onSaved: () => void;
}

/** Saves an article. One that somebody else has changed meanwhile is overwritten only when it is saved once more. */
export function useSave({ article, held, onSaved }: SaveProps) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [seen, setSeen] = useState<string>();
  const save = useMutation({
    mutationFn: async (written: Written) => {
      if (article === undefined) return dataOf(api.POST('/training', { body: { ...written, is_draft: true } }));
      const params = { path: { id: article.id } };
      const now = await dataOf(api.GET('/training/{id}', { params }));
      if (now.updated_at !== held?.updatedAt && now.updated_at !== seen) {
        setSeen(now.updated_at);
        throw new Error(
          'Somebody has changed the article since you began. Look at its versions before you save yours.',
        );
      }
      return dataOf(api.PATCH('/training/{id}', { params, body: written }));
    },
    onSuccess: async (result) => {
      setSeen(undefined);
      client.setQueryData(articleQuery(result.id).queryKey, result);
      onSaved();
      say('Saved');
      if (article === undefined)
        await navigate({ to: '/knowledge/articles/$articleId', params: { articleId: result.id }, replace: true });
      await Promise.all(
        ['listTraining', 'listTrainingVersions'].map((name) => client.invalidateQueries({ queryKey: [name] })),
      );
    },
  });
  return { ...save, isOverwriting: seen !== undefined };
}
