import { useQuery } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from '../../../api/client';
import { autoTaggingQuery } from '../../../api/settings';
import { Button, Chip, failureOf, Skeleton } from '../../../ui/parts';
import { Section } from '../../../ui/section';
import { Ago } from '../../../ui/times/ago';
import { useChange } from '../frame/use-change';

type Learnt = Schemas['LearntTag'];

const STATES: Record<Learnt['state'], { name: string; tone: 'plain' | 'good' | 'warn' }> = {
  applied: { name: 'Applied', tone: 'good' },
  suggested: { name: 'Suggested', tone: 'plain' },
  uncertain: { name: 'Too uncertain', tone: 'warn' },
  too_few_examples: { name: 'Too few examples', tone: 'warn' },
  too_many_tags: { name: 'Beyond the limit', tone: 'warn' },
  excluded: { name: 'Excluded', tone: 'plain' },
};
const percent = (share: number | null) => (share === null ? '–' : `${Math.round(share * 100)} %`);

/** Whether the AI tags conversations, and what it has learnt. */
export const AutoTagging = ({ mayWrite }: { mayWrite: boolean }) => {
  const report = useQuery(autoTaggingQuery);
  const stale = [autoTaggingQuery.queryKey];
  const toggle = useChange((enabled: boolean) => dataOf(api.PUT('/tags/auto-tagging', { body: { enabled } })), {
    stale,
    says: 'Saved',
    isQuick: true,
  });
  const learn = useChange(() => dataOf(api.POST('/tags/auto-tagging/run', {})), {
    stale,
    says: 'Tags are learnt now. It may take a while',
    isQuick: true,
  });
  return (
    <Section
      title="Tags by the AI"
      actions={
        mayWrite && (
          <Button disabled={learn.isPending} onClick={() => learn.mutate(undefined)}>
            Learn now
          </Button>
        )
      }
    >
      <div className="space-y-3 p-4">
        {report.isPending && <Skeleton rows={2} />}
        {failureOf(report)}
        {report.data !== undefined && (
          <>
            {mayWrite ? (
              <label className="flex items-center gap-2">
                <input
                  type="checkbox"
                  checked={report.data.enabled}
                  onChange={({ target }) => toggle.mutate(target.checked)}
                  className="size-4 accent-(--accent)"
                />
                The AI applies tags by itself
              </label>
            ) : (
              <p>The AI {report.data.enabled ? 'applies' : 'does not apply'} tags by itself.</p>
            )}
            <p className="text-xs text-quiet">
              {report.data.learnt_at === null ? (
                'Nothing is learnt yet'
              ) : (
                <>
                  Learnt <Ago at={report.data.learnt_at} /> from {report.data.sessions.toLocaleString()} conversations
                </>
              )}
              . A tag needs 10 examples.
            </p>
            <LearntTags tags={report.data.tags} />
          </>
        )}
      </div>
    </Section>
  );
};

const LearntTags = ({ tags }: { tags: Learnt[] }) =>
  tags.length === 0 ? null : (
    <ul aria-label="What is learnt" className="divide-y divide-line">
      {tags.map(({ tag_name, state, examples, precision, coverage }) => (
        <li key={tag_name} className="flex flex-wrap items-center gap-x-3 py-1.5">
          <span className="min-w-0 flex-1 basis-40 break-words">{tag_name}</span>
          <Chip tone={STATES[state].tone}>{STATES[state].name}</Chip>
          <span className="text-xs text-quiet tabular-nums">
            {examples.toLocaleString()} examples, {percent(precision)} right, {percent(coverage)} found
          </span>
        </li>
      ))}
    </ul>
  );
