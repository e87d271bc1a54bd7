/** Input from outside that once took memory or time far beyond its own size. Tests and benches send it. */

/** A robots.txt with each of many rules for each of many agents: 340 million pairs. */
export const ROBOTS_OF_MANY_AGENTS = `${'User-agent: a\n'.repeat(17_000)}${'Disallow: /b\n'.repeat(20_000)}`;

/** A robots.txt whose rules are each slow to compare with a path. */
export const ROBOTS_OF_WILDCARDS = `User-agent: *\n${`Disallow: /${'*a'.repeat(200)}$\n`.repeat(1_200)}`;

/** Begins a sitemap with one page and ends it with open tags. */
export const sitemapOfOpenTags = (page: string) => `<urlset><url><loc>${page}</loc></url>${'<a>'.repeat(1_200_000)}`;

/** An article of 84 KB whose page would have 440 MB. */
export const ARTICLE_OF_REFERENCES = `[a]: <http://a.example/${'x'.repeat(40_000)}>\n\n${'[a] '.repeat(11_000)}`;

/** A message of 8 MB with 2,500,000 values. */
export const MESSAGE_OF_MANY_VALUES = `{"sender":"contact","message":{"type":"text","text":"x"},"x":[${'{},'.repeat(2_500_000)}{}]}`;
