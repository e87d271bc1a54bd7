import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { api, dataOf, type Schemas } from '../../../api/client';
import { type Article, articleQuery, articleVersionsQuery } from '../../../api/knowledge';
import { say } from '../../../app/undo';
import { ConfirmDialog } from '../../../ui/dialogs/confirm-dialog';
import { diffOf, withoutSame } from '../../../ui/diff/diff';
import { DiffView } from '../../../ui/diff/diff-view';
import { Button, Chip, Empty, failureOf, Skeleton } from '../../../ui/parts';
import { Ago } from '../../../ui/times/ago';
import { heldText } from './held-text';

type Version = Schemas['TrainingVersion'];

/** The published versions of an article, what each changed, and the way back to one. */
export const Versions = ({ article, mayWrite }: { article: Article; mayWrite: boolean }) => {
  const list = useQuery(articleVersionsQuery(article.id));
  const versions = list.data ?? [];
  const [chosen, choose] = useState<number>();
  const at = Math.max(
    versions.findIndex(({ version }) => version === chosen),
    0,
  );
  const [version, before] = [versions[at], versions[at + 1]];
  if (list.isPending) return <Skeleton rows={5} />;
  return (
    <div className="flex min-h-0 flex-1 flex-col min-[900px]:flex-row">
      <div className="max-h-56 shrink-0 overflow-y-auto border-line max-[899px]:border-b min-[900px]:max-h-none min-[900px]:w-72 min-[900px]:border-r">
        {failureOf(list)}
        {list.data !== undefined && versions.length === 0 && (
          <Empty title="No version yet">Each text that is published is a version.</Empty>
        )}
        <ul aria-label="Versions">
          {versions.map(({ version: number, title, published_at }, n) => (
            <li key={number}>
              <button
                type="button"
                aria-current={n === at}
                onClick={() => choose(number)}
                className="flex w-full items-center gap-2 border-b border-line px-4 py-2 text-left hover:bg-hover aria-[current=true]:bg-selected"
              >
                <span className="tabular-nums">{number}</span>
                <span className="min-w-0 flex-1 truncate">{title}</span>
                {number === article.current_version && <Chip tone="good">Published</Chip>}
                <Ago at={published_at} className="text-xs text-quiet" />
              </button>
            </li>
          ))}
        </ul>
      </div>
      {version !== undefined && (
        <Difference
          version={version}
          before={before}
          onRollBack={mayWrite && version.version !== article.current_version ? article.id : undefined}
        />
      )}
    </div>
  );
};

interface DifferenceProps {
  version: Version;
  before: Version | undefined;
  /** The article that can go back to the version. */
  onRollBack: string | undefined;
}

const linesOf = ({ title, content }: Version) => [`# ${title}`, '', ...content.split('\n')];

const Difference = ({ version, before, onRollBack }: DifferenceProps) => {
  const lines = useMemo(
    () => withoutSame(diffOf(before === undefined ? [] : linesOf(before), linesOf(version))),
    [version, before],
  );
  const title = before === undefined ? `Version ${version.version}` : `What version ${version.version} changed`;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard scrolls it only where it has the focus
    <section aria-label={title} tabIndex={0} className="min-h-0 min-w-0 flex-1 overflow-auto p-4">
      <div className="mb-2 flex flex-wrap items-center gap-2">
        <h2 className="flex-1 font-semibold">{title}</h2>
        {onRollBack !== undefined && <RollBack id={onRollBack} version={version.version} />}
      </div>
      <DiffView lines={lines} wraps />
    </section>
  );
};

const RollBack = ({ id, version }: { id: string; version: number }) => {
  const client = useQueryClient();
  const [isAsked, ask] = useState(false);
  const rollBack = useMutation({
    mutationFn: () => dataOf(api.POST('/training/{id}/rollback', { params: { path: { id } }, body: { version } })),
    onSuccess: async (article) => {
      heldText(id).clear();
      client.setQueryData(articleQuery(id).queryKey, article);
      say(`Version ${version} is published again`);
      await Promise.all(
        ['listTraining', 'listTrainingVersions'].map((name) => client.invalidateQueries({ queryKey: [name] })),
      );
    },
    onError: (error) => say(error.message, { isError: true }),
  });
  return (
    <>
      <Button disabled={rollBack.isPending} onClick={() => ask(true)}>
        Publish it again
      </Button>
      {isAsked && (
        <ConfirmDialog
          title={`Publish version ${version} again`}
          action="Publish it"
          onConfirm={() => rollBack.mutate()}
          onClose={() => ask(false)}
        >
          Its text becomes a new version, and the AI answers by it at once. What is not saved is dropped.
        </ConfirmDialog>
      )}
    </>
  );
};
