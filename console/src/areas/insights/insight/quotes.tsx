import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, dataOf } from '../../../api/client';
import { type Insight, type Occurrence, occurrencesQuery } from '../../../api/insights';
import { say } from '../../../app/undo';
import { FormDialog } from '../../../ui/dialogs/form-dialog';
import { FIELD, Field } from '../../../ui/forms/fields';
import { ShowMore } from '../../../ui/lists/show-more';
import { Button, Chip, Empty, failureOf, Skeleton } from '../../../ui/parts';
import { Section } from '../../../ui/section';
import { Ago } from '../../../ui/times/ago';
import { useChange } from '../use-change';
import { KINDS, SENTIMENTS } from '../words';

/** What customers said, word for word, each with its conversation. Chosen ones can become a separate insight. */
export const Quotes = ({ insight, mayWrite }: { insight: Insight; mayWrite: boolean }) => {
  const list = useInfiniteQuery(occurrencesQuery(insight.id));
  const [chosen, choose] = useState<string[]>([]);
  const [isSplitting, split] = useState(false);
  const quotes = list.data?.pages.flatMap(({ items }) => items) ?? [];
  const toggle = (id: string) => choose(chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id]);
  return (
    <Section
      title="What customers said"
      actions={
        mayWrite &&
        chosen.length > 0 && (
          <Button look="main" onClick={() => split(true)}>
            Split off {chosen.length} {chosen.length === 1 ? 'quote' : 'quotes'}
          </Button>
        )
      }
    >
      {list.isPending && <Skeleton rows={4} />}
      {failureOf(list)}
      {list.data !== undefined && quotes.length === 0 && (
        <Empty title="No quote is left">The conversations were redacted, or the quotes belong to other insights.</Empty>
      )}
      <ul aria-label="Quotes">
        {quotes.map((quote) => (
          <Quote
            key={quote.id}
            quote={quote}
            isChosen={chosen.includes(quote.id)}
            onToggle={mayWrite ? () => toggle(quote.id) : undefined}
          />
        ))}
      </ul>
      <ShowMore query={list} look="quiet" className="m-2" />
      {isSplitting && (
        <SplitDialog insightId={insight.id} chosen={chosen} onSplit={() => choose([])} onClose={() => split(false)} />
      )}
    </Section>
  );
};

interface QuoteProps {
  quote: Occurrence;
  isChosen: boolean;
  onToggle: (() => void) | undefined;
}

const Quote = ({ quote: { session_id, kind, content, quote, sentiment, said_at }, isChosen, onToggle }: QuoteProps) => (
  <li className="flex gap-3 border-b border-line px-4 py-3 last:border-b-0">
    {onToggle !== undefined && (
      <input
        type="checkbox"
        aria-label={`Choose “${quote}”`}
        checked={isChosen}
        onChange={onToggle}
        className="mt-0.5 size-5 shrink-0 accent-(--accent)"
      />
    )}
    <div className="min-w-0 flex-1">
      <p className="break-words">“{quote}”</p>
      {content !== quote && <p className="text-xs break-words text-quiet">{content}</p>}
      <p className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-quiet">
        {kind !== null && <span>{KINDS[kind]}</span>}
        {sentiment !== null && <Chip tone={SENTIMENTS[sentiment].tone}>{SENTIMENTS[sentiment].name}</Chip>}
        <Ago at={said_at} />
        <Link
          to="/s/$id"
          params={{ id: session_id }}
          className="inline-flex min-h-6 items-center text-link hover:underline"
        >
          Open the conversation
        </Link>
      </p>
    </div>
  </li>
);

interface SplitProps {
  insightId: string;
  chosen: string[];
  onSplit: () => void;
  onClose: () => void;
}

const SplitDialog = ({ insightId, chosen, onSplit, onClose }: SplitProps) => {
  const navigate = useNavigate();
  const undo = useChange({
    isQuick: true,
    run: (operationId: string) =>
      dataOf(api.POST('/insights/operations/{operationId}/undo', { params: { path: { operationId } } })),
    onDone: () => {
      say('The split is undone');
      void navigate({ to: '/insights/$insightId', params: { insightId } });
    },
  });
  const split = useChange({
    run: (content: string) =>
      dataOf(
        api.POST('/insights/{id}/split', {
          params: { path: { id: insightId } },
          body: { occurrence_ids: chosen, ...(content === '' ? {} : { content }) },
        }),
      ),
    onDone: ({ operation, insight }) => {
      say(`Split off as #${insight.number}`, { undo: () => undo.mutate(operation.id) });
      onSplit();
    },
  });
  const show = ({ insight }: { insight: { id: string } }) => {
    onClose();
    void navigate({ to: '/insights/$insightId', params: { insightId: insight.id } });
  };
  return (
    <FormDialog
      title="Make it a separate insight"
      className="w-[28rem]"
      action="Split"
      request={split}
      onSubmit={(values) => split.mutate(String(values.get('content')).trim(), { onSuccess: show })}
      onClose={onClose}
    >
      <p className="text-quiet">
        {chosen.length} {chosen.length === 1 ? 'quote becomes' : 'quotes become'} a separate insight. This can be
        undone.
      </p>
      <Field label="Its name. Left empty: what the earliest of them says.">
        <input name="content" maxLength={500} className={FIELD} />
      </Field>
    </FormDialog>
  );
};
