import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { turnsQuery } from '../../../api/ai';
import type { Schemas } from '../../../api/client';
import { useMay } from '../../../api/may';
import { DiffBox } from '../../../ui/diff/diff-view';
import { Chip } from '../../../ui/parts';

type Change = Schemas['CrawlChange'];

export const KINDS: [kind: Change['kind'], name: string][] = [
  ['new', 'New'],
  ['updated', 'Changed'],
  ['removed', 'Removed'],
];
const TONES = { new: 'good', updated: 'plain', removed: 'bad' } as const;

/** A new, changed or removed page of a crawl, with its diff and its quoting answers. */
export const ChangeRow = ({ change: { kind, title, url, diff, page_id } }: { change: Change }) => {
  const [isOpen, setOpen] = useState(false);
  const maySeeAnswers = useMay('chat-sessions:read');
  const head = (
    <>
      <Chip tone={TONES[kind]}>{KINDS.find(([one]) => one === kind)?.[1]}</Chip>
      <span className="min-w-0 flex-1">
        <span className="block truncate">{title ?? url}</span>
        <span className="block truncate text-xs text-quiet">{url}</span>
      </span>
    </>
  );
  if (diff === null)
    return (
      <div className="flex items-center gap-2">
        {head}
        <span className="flex flex-col items-end text-xs text-quiet">
          {kind === 'updated' && <span>Nearly all of it changed</span>}
          {kind !== 'new' && maySeeAnswers && <Quoted pageId={page_id} />}
        </span>
      </div>
    );
  const leftOut = /^\\ (Left out: .*)$/m.exec(diff)?.[1];
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="flex cursor-pointer items-center gap-2">
        {head}
        <span className="text-xs text-link">What changed</span>
      </summary>
      <div className="mt-2">
        <DiffBox label={`What changed of ${title ?? url}`} lines={linesOf(diff)} />
        {leftOut !== undefined && <p className="mt-1 text-xs text-warn-text">{leftOut}</p>}
        {isOpen && maySeeAnswers && <Quoted pageId={page_id} />}
      </div>
    </details>
  );
};

/** How many answers of the last 30 days, which the list begins with, quote a page, if any. */
const Quoted = ({ pageId }: { pageId: string }) => {
  const { data, hasNextPage } = useInfiniteQuery(turnsQuery({ cited_item_id: pageId }));
  const count = data?.pages.flatMap(({ items }) => items).length ?? 0;
  if (count === 0) return null;
  return (
    <p className="mt-1 text-xs">
      <AnswersLink pageId={pageId}>
        Quoted in {count}
        {hasNextPage && '+'} {count === 1 ? 'answer' : 'answers'} of the last 30 days
      </AnswersLink>
    </p>
  );
};

const AnswersLink = ({ pageId, children }: { pageId: string; children: ReactNode }) => (
  <Link to="/ai" search={{ cited_item_id: pageId }} className="text-link hover:underline">
    {children}
  </Link>
);

const KIND_OF = { '+': 'added', '-': 'removed', ' ': 'same' } as const;

/** Returns the lines of a unified diff, which the API gives without its head. Where it jumps, there is a gap. */
const linesOf = (diff: string) =>
  diff
    .split('\n')
    .filter((line) => /^[-+ @]/.test(line))
    .map((line) => {
      const kind = KIND_OF[line.charAt(0) as keyof typeof KIND_OF];
      return kind === undefined ? undefined : { kind, text: line.slice(1) };
    });
