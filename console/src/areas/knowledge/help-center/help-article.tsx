import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { helpArticleQuery } from '../../../api/knowledge';
import { lazily } from '../../../ui/lazily';
import { Page, PageBody } from '../../../ui/page';
import { WaitingPage } from '../../../ui/query-page';
import { TitlePath } from '../../../ui/title-path';
import { Feedback } from './feedback';

const Markdown = lazily(async () => (await import('../../../ui/markdown/markdown')).Markdown);

/** An article of the help center as customers read it. */
export const HelpArticle = () => {
  const { articleId } = useParams({ from: '/knowledge/help-center/$articleId' });
  const query = useQuery(helpArticleQuery(articleId));
  const article = query.data;
  if (article === undefined) return <WaitingPage title="Article" query={query} missing="There is no such article" />;
  return (
    <Page
      title={<TitlePath above="Help center" to="/knowledge/help-center" title={article.title} />}
      actions={
        <>
          <Link to="/ai" search={{ cited_item_id: article.id }} className="text-link hover:underline">
            Answers that quote it
          </Link>
          <a href={article.url} target="_blank" rel="noopener noreferrer" className="text-link hover:underline">
            Open its page
          </a>
        </>
      }
    >
      <PageBody label={article.title}>
        <article className="mx-auto max-w-180 rounded-lg border border-line bg-surface p-5">
          {article.content_markdown === null ? (
            <p className="text-quiet">It has no text.</p>
          ) : (
            <Markdown text={article.content_markdown} />
          )}
        </article>
        <Feedback id={article.id} />
      </PageBody>
    </Page>
  );
};
