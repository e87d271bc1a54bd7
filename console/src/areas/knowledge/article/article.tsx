import { useQuery } from '@tanstack/react-query';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { type Article, articleQuery } from '../../../api/knowledge';
import { useMay } from '../../../api/may';
import { lazily } from '../../../ui/lazily';
import { Page, TAB, Tabs } from '../../../ui/page';
import { Chip } from '../../../ui/parts';
import { WaitingPage } from '../../../ui/query-page';
import { TitlePath } from '../../../ui/title-path';
import { Controls } from './controls';
import { Editor } from './editor';

const Versions = lazily(async () => (await import('./versions')).Versions);

/** A new article, or a stored one with its versions. */
export const ArticlePage = () => {
  const { articleId } = useParams({ from: '/knowledge/articles/$articleId' });
  const { collection } = useSearch({ from: '/knowledge/articles/$articleId' });
  if (articleId === 'new')
    return (
      <Page title={<TitlePath above="Knowledge" to="/knowledge" title="New article" />}>
        <Editor key="new" collection={collection} mayWrite />
      </Page>
    );
  return <Existing key={articleId} id={articleId} />;
};

const Existing = ({ id }: { id: string }) => {
  const { tab } = useSearch({ from: '/knowledge/articles/$articleId' });
  const mayWrite = useMay('training:write');
  const query = useQuery(articleQuery(id));
  const article = query.data;
  if (article === undefined) return <WaitingPage title="Article" query={query} missing="There is no such article" />;
  return (
    <Page
      title={<TitlePath above="Knowledge" to="/knowledge" title={article.title} />}
      tabs={<Head article={article} tab={tab} />}
      actions={
        <>
          <Chip tone={article.is_draft ? 'warn' : 'good'}>
            {article.is_draft ? 'Draft' : `Published, version ${article.current_version ?? ''}`}
          </Chip>
          {mayWrite && <Controls article={article} />}
        </>
      }
    >
      {tab === 'versions' ? (
        <Versions article={article} mayWrite={mayWrite} />
      ) : (
        <Editor article={article} mayWrite={mayWrite} />
      )}
    </Page>
  );
};

const Head = ({ article: { id, learned_from_session_id }, tab }: { article: Article; tab: string | undefined }) => (
  <Tabs label="Article">
    {(
      [
        [undefined, 'Text'],
        ['versions', 'Versions'],
      ] as const
    ).map(([value, name]) => (
      <Link
        key={name}
        to="/knowledge/articles/$articleId"
        params={{ articleId: id }}
        search={{ tab: value }}
        activeOptions={{ exact: true }}
        aria-current={value === tab ? 'page' : undefined}
        className={TAB}
      >
        {name}
      </Link>
    ))}
    <Link to="/ai" search={{ cited_item_id: id }} className={TAB}>
      Answers that quote it
    </Link>
    {learned_from_session_id !== null && (
      <a href={`/console/s/${learned_from_session_id}`} className={TAB}>
        Learned from
      </a>
    )}
  </Tabs>
);
