import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '../../../api/client';
import { helpFeedbackQuery } from '../../../api/knowledge';
import { useMay } from '../../../api/may';
import { ShowMore } from '../../../ui/lists/show-more';
import { Button, Chip, failureOf, Skeleton } from '../../../ui/parts';
import { Section } from '../../../ui/section';
import { Ago } from '../../../ui/times/ago';
import { FeedbackRedaction } from './redaction-dialog';

type Counts = Schemas['HelpCenterFeedback']['languages'][number];
type Sentence = Schemas['HelpCenterFeedback']['items'][number];

/** The readers' answers to "Was this article helpful?" on its page, and their comments. */
export const Feedback = ({ id }: { id: string }) => {
  const query = useInfiniteQuery(helpFeedbackQuery(id));
  const mayRedact = useMay('redaction:write');
  const [redacted, redact] = useState<Sentence>();
  const languages = query.data?.pages[0]?.languages ?? [];
  const sentences = query.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <Section title="What readers say" className="mx-auto mt-3 max-w-180">
      {failureOf(query)}
      {query.isPending && <Skeleton rows={2} />}
      {query.data !== undefined && languages.length === 0 && (
        <p className="p-4 text-quiet">Nobody has said yet whether it helped.</p>
      )}
      {languages.length > 0 && (
        <ul aria-label="Answers by language" className="space-y-1 p-4">
          {languages.map((counts) => (
            <Shares key={counts.language} counts={counts} />
          ))}
        </ul>
      )}
      {sentences.length > 0 && (
        <ul aria-label="Sentences of readers" className="border-t border-line">
          {sentences.map((sentence) => (
            <Said key={sentence.id} sentence={sentence} onRedact={mayRedact ? () => redact(sentence) : undefined} />
          ))}
        </ul>
      )}
      <ShowMore query={query} className="m-3" />
      {redacted !== undefined && (
        <FeedbackRedaction articleId={id} feedbackId={redacted.id} onClose={() => redact(undefined)} />
      )}
    </Section>
  );
};

const NAMES = new Intl.DisplayNames(undefined, { type: 'language' });

const Shares = ({ counts: { language, helpful, not_helpful } }: { counts: Counts }) => (
  <li className="flex flex-wrap items-center gap-x-3">
    <span className="w-24 shrink-0 text-quiet">{NAMES.of(language) ?? language}</span>
    <meter
      aria-label={`Helpful in ${NAMES.of(language) ?? language}`}
      min={0}
      max={helpful + not_helpful}
      value={helpful}
      className="h-3 min-w-24 flex-1"
    />
    <span className="tabular-nums">
      helped {helpful.toLocaleString()} of {(helpful + not_helpful).toLocaleString()}
    </span>
  </li>
);

interface SaidProps {
  sentence: Sentence;
  /** Removes it for good. Absent for whoever may not. */
  onRedact: (() => void) | undefined;
}

const Said = ({ sentence: { comment, is_helpful, created_at }, onRedact }: SaidProps) => (
  <li className="border-b border-line px-4 py-2.5 last:border-b-0">
    <p className="flex flex-wrap items-center gap-2 text-xs text-quiet">
      <Chip tone={is_helpful ? 'good' : 'warn'}>{is_helpful ? 'Helpful' : 'Not helpful'}</Chip>
      <Ago at={created_at} />
      {onRedact !== undefined && (
        <Button
          look="quiet"
          className="ml-auto h-6 px-1.5 text-xs"
          aria-label={`Redact “${comment}”`}
          onClick={onRedact}
        >
          Redact…
        </Button>
      )}
    </p>
    <p className="mt-1 break-words whitespace-pre-line">{comment}</p>
  </li>
);
