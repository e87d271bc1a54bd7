import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { type AiSettings, settingsQuery } from '../../../api/ai';
import { api, dataOf } from '../../../api/client';
import { say } from '../../../app/undo';
import { ConfirmDialog } from '../../../ui/dialogs/confirm-dialog';
import { diffOf, withoutSame } from '../../../ui/diff/diff';
import { DiffBox } from '../../../ui/diff/diff-view';
import { Button, Chip } from '../../../ui/parts';
import { Section } from '../../../ui/section';
import { linesOf } from './fields';

/** How the draft differs from the settings in force, and how it comes into force. */
export const Publishing = ({ settings, mayWrite }: { settings: AiSettings; mayWrite: boolean }) => {
  const client = useQueryClient();
  const [isAsked, ask] = useState(false);
  const { draft, published } = settings;
  const lines = diffOf(linesOf(published), linesOf(draft));
  const isSame = lines.every(({ kind }) => kind === 'same');
  const publish = useMutation({
    mutationFn: () => dataOf(api.POST('/autopilot/settings/publish')),
    onSuccess: (result) => {
      client.setQueryData(settingsQuery.queryKey, result);
      say(`Version ${result.published.version} is in force`);
    },
  });
  return (
    <Section
      title={`In force: version ${published.version}`}
      actions={
        <>
          <Chip tone={isSame ? 'good' : 'warn'}>{isSame ? 'No other draft' : 'The draft differs'}</Chip>
          {mayWrite && !isSame && (
            <Button look="main" disabled={publish.isPending} onClick={() => ask(true)}>
              Publish the draft
            </Button>
          )}
        </>
      }
    >
      <div className="space-y-3 p-4">
        {publish.error !== null && (
          <p role="alert" className="rounded-md bg-bad p-3 text-bad-text">
            {publish.error.message}
          </p>
        )}
        {isSame ? (
          <p className="text-quiet">These settings decide how the AI answers. What you change is a draft first.</p>
        ) : (
          <>
            <DiffBox label="How the draft differs" lines={withoutSame(lines)} />
            <p className="text-quiet">
              Try the draft by a{' '}
              <Link to="/ai/preview" className="text-link underline">
                preview
              </Link>{' '}
              or by the{' '}
              <Link to="/ai/evals" className="text-link underline">
                test questions
              </Link>
              .
            </p>
          </>
        )}
      </div>
      {isAsked && (
        <ConfirmDialog
          title="Publish the draft"
          action="Publish"
          onConfirm={() => publish.mutate()}
          onClose={() => ask(false)}
        >
          From its next answer on the AI goes by it.
        </ConfirmDialog>
      )}
    </Section>
  );
};
