import type { TestOrg } from '../../support/stack/api.ts';

/** What the addresses of the pages of knowledge and of the AI need. */
export interface KnowledgeSeeds {
  articleId: string;
  helpArticleId: string;
  websiteId: string;
  evalRunId: string;
}

/** Makes an article, an article of the help center, a website and a run over an eval case. */
export async function seedKnowledge(org: TestOrg): Promise<KnowledgeSeeds> {
  const made = async (path: string, body: object): Promise<string> => {
    const answer = await org.post(path, body);
    expect([path, answer.status]).toEqual([path, 201]);
    return answer.body.id;
  };
  const articles = [{ title: 'Returns', slug: 'returns', content_markdown: 'Within thirty days.' }];
  await org.put('/help-center/content', { categories: [{ name: 'Shop', slug: 'shop', articles }] });
  await made('/autopilot/evals', {
    name: 'Refunds',
    messages: [{ sender: 'contact', text: 'When do I get my money back?' }],
    checks: { contains: ['five days'] },
  });
  return {
    articleId: await made('/training', { title: 'Refunds', content: '# Refunds\n\nThey take **five** days.' }),
    helpArticleId: (await org.get('/help-center/articles')).body.items[0].id,
    websiteId: await made('/crawl', { url: 'https://shop.example/docs', display_name: 'Shop' }),
    evalRunId: await made('/autopilot/evals/runs', { settings: 'draft' }),
  };
}
