/** The rest of the rules for us is ignored: a parser may limit what it reads (RFC 9309, 2.5). */
const MAX_RULES = 5_000;
/** Each is compared with every position in the path of every page. */
const MAX_WILDCARDS = 1_000;
const MAX_SITEMAPS = 1_000;
const ANY_AGENT = '*';

const FIELDS = ['user-agent', 'allow', 'disallow', 'crawl-delay', 'sitemap'] as const;
type Field = (typeof FIELDS)[number];
interface Line {
  field: Field;
  value: string;
}

/**
 * Returns the lines of a robots.txt that concern this agent, and the sitemaps: one group for this agent and one for `*`,
 * because a parser keeps a copy of each rule for each line that names an agent before it. Wildcards beyond the limit end
 * a rule that disallows, so that it disallows more, and drop one that allows.
 */
export function rulesFor(agent: string, content: string): string {
  const agents = [ANY_AGENT, agent.toLowerCase()];
  const rulesOf = new Map<string, string[]>(agents.map((name) => [name, []]));
  const sitemaps: string[] = [];
  const budget = { rules: MAX_RULES, wildcards: MAX_WILDCARDS };
  let group = new Set<string>();
  let isInRules = false;
  for (const line of content.split(/\r\n|\r|\n/)) {
    const read = readLine(line);
    if (read === undefined) continue;
    const { field, value } = read;
    if (field === 'sitemap') {
      if (sitemaps.length < MAX_SITEMAPS) sitemaps.push(`sitemap: ${value}`);
      continue;
    }
    if (field === 'user-agent') {
      if (isInRules) group = new Set();
      isInRules = false;
      const name = agentOf(value);
      if (agents.includes(name)) group.add(name);
      continue;
    }
    isInRules = true;
    if (group.size === 0 || budget.rules-- <= 0) continue;
    const pattern = field === 'crawl-delay' ? value : withinBudget(field, value, budget);
    if (pattern !== undefined) for (const name of group) rulesOf.get(name)?.push(`${field}: ${pattern}`);
  }
  const groups = [...rulesOf].filter(([, rules]) => rules.length > 0);
  return [...groups.flatMap(([name, rules]) => [`user-agent: ${name}`, ...rules]), ...sitemaps].join('\n');
}

function readLine(line: string): Line | undefined {
  const [statement = ''] = line.split('#', 1);
  const colon = statement.indexOf(':');
  const name = statement.slice(0, Math.max(0, colon)).trim().toLowerCase();
  const field = FIELDS.find((known) => known === name);
  return field && { field, value: statement.slice(colon + 1).trim() };
}

/** Returns the name of an agent without its version. */
const agentOf = (value: string): string => (value.toLowerCase().split('/', 1)[0] ?? '').trim();

function withinBudget(field: 'allow' | 'disallow', pattern: string, budget: { wildcards: number }): string | undefined {
  const wildcards = pattern.split('*').length - 1;
  if (wildcards <= budget.wildcards) {
    budget.wildcards -= wildcards;
    return pattern;
  }
  return field === 'disallow' ? pattern.slice(0, pattern.indexOf('*')) || '/' : undefined;
}
