import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { SubmitEvent } from 'react';
import { calibrationQuery } from '../../../api/ai';
import type { Schemas } from '../../../api/client';
import { knowledgeSearchQuery } from '../../../api/knowledge';
import { useMay } from '../../../api/may';
import { FIELD } from '../../../ui/forms/fields';
import { Page, PageBody } from '../../../ui/page';
import { Button, Chip, Empty, failureOf, Skeleton } from '../../../ui/parts';
import { KnowledgeTabs } from '../tabs';
import { Embedding } from './embedding';

type Result = Schemas['FoundKnowledgeResult'];

const SOURCES: Record<Result['source_type'], string> = {
  custom_training: 'Article',
  help_center: 'Help center',
  integration: 'Integration',
  website: 'Website',
};

/** What the AI finds for a question: passages with their scores, and how each came about. */
export const Playground = () => {
  const { q = '', visibility } = useSearch({ from: '/knowledge/search' });
  const navigate = useNavigate();
  const scope = visibility === 'public' || visibility === 'internal' ? visibility : undefined;
  const search = useQuery(knowledgeSearchQuery(q, scope));
  const onSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    void navigate({
      to: '/knowledge/search',
      search: { q: String(form.get('q')).trim(), visibility: String(form.get('visibility')) || undefined },
    });
  };
  return (
    <Page title="Knowledge" tabs={<KnowledgeTabs />}>
      <PageBody label="Search of the AI">
        <div className="mx-auto max-w-200 space-y-3">
          <form key={`${q} ${scope}`} onSubmit={onSubmit} className="flex flex-wrap gap-2">
            <input
              name="q"
              type="search"
              required
              maxLength={1_000}
              defaultValue={q}
              aria-label="A customer’s question"
              placeholder="A customer’s question"
              className={`${FIELD} min-w-60 flex-1`}
            />
            <select
              name="visibility"
              aria-label="Which knowledge"
              defaultValue={scope ?? ''}
              className={`${FIELD} w-auto`}
            >
              <option value="">All knowledge</option>
              <option value="public">What may be quoted</option>
              <option value="internal">What is not shown</option>
            </select>
            <Button type="submit" look="main" className="h-9">
              Search
            </Button>
          </form>
          <Embedding />
          <Threshold />
          {failureOf(search)}
          {search.isLoading && <Skeleton rows={5} />}
          {q === '' && (
            <Empty title="What would the AI find?">
              Ask as a customer asks, and see the passages it would answer by.
            </Empty>
          )}
          {search.data !== undefined && <Found found={search.data} />}
        </div>
      </PageBody>
    </Page>
  );
};

/** From which confidence on the AI answers. It is of the answer, not of one passage. */
const Threshold = () => {
  const maySee = useMay('autopilot:read');
  const { data } = useQuery({ ...calibrationQuery, enabled: maySee });
  if (data === undefined) return null;
  return (
    <p className="text-xs text-quiet">
      The AI quotes from a confidence of {data.threshold.toFixed(2)} on,{' '}
      {data.is_calibrated ? 'as it was measured' : 'which is the default: nothing was measured yet'}.{' '}
      <Link to="/ai/settings" className="text-link underline">
        Calibration
      </Link>
    </p>
  );
};

const Found = ({ found: { results, instructions } }: { found: Schemas['FoundKnowledge'] }) => (
  <>
    {results.length === 0 && <Empty title="Nothing was found">The AI has no passage to answer this by.</Empty>}
    <ol aria-label="Passages" className="space-y-2">
      {results.map((result) => (
        <li key={`${result.id} ${result.citation.chunk}`}>
          <Passage result={result} />
        </li>
      ))}
    </ol>
    {instructions.length > 0 && (
      <details className="rounded-lg border border-line bg-surface px-4 py-2">
        <summary className="cursor-pointer">{instructions.length} instructions are part of each answer</summary>
        <ul className="mt-2 space-y-2">
          {instructions.map(({ id, title, content }) => (
            <li key={id}>
              <Link
                to="/knowledge/articles/$articleId"
                params={{ articleId: id }}
                className="text-link hover:underline"
              >
                {title}
              </Link>
              <p className="text-xs break-words whitespace-pre-wrap text-quiet">{content}</p>
            </li>
          ))}
        </ul>
      </details>
    )}
  </>
);

const Passage = ({ result }: { result: Result }) => {
  const { source_type, title, content, score, visibility, citation, score_parts: parts } = result;
  const { text } = citation.quote;
  const at = content.indexOf(text);
  return (
    <article className="rounded-lg border border-line bg-surface p-4">
      <header className="flex flex-wrap items-center gap-2">
        <h2 className="min-w-0 flex-1 font-semibold break-words">
          <Source result={result} />
        </h2>
        <Chip>{SOURCES[source_type]}</Chip>
        {visibility === 'internal' && <Chip tone="warn">Not shown</Chip>}
        <span title="Score" className="font-semibold tabular-nums">
          <span className="sr-only">Score </span>
          {score.toFixed(3)}
        </span>
      </header>
      <p className="text-xs text-quiet">
        {[...citation.path, citation.heading].filter((part) => part !== title).join(' › ')}
      </p>
      <p className="mt-2 break-words whitespace-pre-wrap">
        {at < 0 || text === '' ? (
          content
        ) : (
          <>
            {content.slice(0, at)}
            <mark className="bg-note text-note-text">{text}</mark>
            {content.slice(at + text.length)}
          </>
        )}
      </p>
      {parts !== undefined && (
        <details className="mt-2 text-xs">
          <summary className="w-fit cursor-pointer text-quiet">
            Words {parts.words.toFixed(3)}, likeness of meaning{' '}
            {parts.similarity === null ? 'not compared' : parts.similarity.toFixed(3)}
          </summary>
          <ul className="mt-1 flex flex-wrap gap-x-3 gap-y-1 tabular-nums">
            {parts.lexemes.map(({ lexeme, score: share, frequency }) => (
              <li key={lexeme}>
                <span className="font-mono">{lexeme}</span>{' '}
                <span className="text-quiet">
                  {frequency}× · {share.toFixed(3)}
                </span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </article>
  );
};

/** The title of a passage's source, with a link to its editor. */
const Source = ({ result: { id, source_type, title, url } }: { result: Result }) => {
  const className = 'text-link hover:underline';
  if (source_type === 'custom_training')
    return (
      <Link to="/knowledge/articles/$articleId" params={{ articleId: id }} className={className}>
        {title}
      </Link>
    );
  if (source_type === 'help_center' && url !== null)
    return (
      <Link to="/knowledge/help-center/$articleId" params={{ articleId: id }} className={className}>
        {title}
      </Link>
    );
  return url === null ? (
    title
  ) : (
    <a href={url} target="_blank" rel="noopener noreferrer nofollow" className={className}>
      {title}
    </a>
  );
};
