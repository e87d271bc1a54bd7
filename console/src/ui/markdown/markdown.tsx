import MarkdownIt, { type Token } from 'markdown-it';
import { createElement, Fragment, type ReactNode, useMemo } from 'react';

/** As the help center reads Markdown: HTML in it is shown as text. */
const parser = new MarkdownIt({ html: false });

const LOOKS: Record<string, string> = {
  h1: 'mt-4 text-xl font-semibold',
  h2: 'mt-4 text-lg font-semibold',
  h3: 'mt-3 font-semibold',
  h4: 'mt-3 font-semibold',
  ul: 'list-disc pl-5',
  ol: 'list-decimal pl-5',
  blockquote: 'border-l-4 border-line pl-3 text-quiet',
  table: 'block overflow-x-auto',
  th: 'border border-line px-2 py-1 text-left',
  td: 'border border-line px-2 py-1',
};
const SAFE_LINK = /^(?:https?|mailto):/i;
const [OPENS, CLOSES] = [1, -1];

/** Shows Markdown as elements of the page. Links lead only to pages and mail addresses, and pictures are named. */
export const Markdown = ({ text }: { text: string }) => {
  const shown = useMemo(() => nodesOf(parser.parse(text, {})), [text]);
  return <div className="space-y-2 break-words">{shown}</div>;
};

/** Returns the elements of a flat list of tokens, in which an element opens and closes. */
function nodesOf(tokens: Token[]): ReactNode[] {
  const levels: { token?: Token; nodes: ReactNode[] }[] = [{ nodes: [] }];
  const add = (node: ReactNode) => levels.at(-1)?.nodes.push(node);
  for (const [key, token] of tokens.entries()) {
    if (token.nesting === OPENS) levels.push({ token, nodes: [] });
    else if (token.nesting === CLOSES) {
      const level = levels.pop();
      if (level?.token !== undefined) add(elementOf(level.token, level.nodes, key));
    } else add(leafOf(token, key));
  }
  return levels[0]?.nodes ?? [];
}

function elementOf(token: Token, nodes: ReactNode[], key: number): ReactNode {
  if (token.hidden) return <Fragment key={key}>{nodes}</Fragment>;
  const { tag } = token;
  if (tag !== 'a')
    return createElement(tag, { key, className: LOOKS[tag], start: token.attrGet('start') ?? undefined }, ...nodes);
  const href = String(token.attrGet('href') ?? '');
  return SAFE_LINK.test(href) ? (
    <a key={key} href={href} target="_blank" rel="noopener noreferrer nofollow" className="text-link underline">
      {nodes}
    </a>
  ) : (
    <Fragment key={key}>{nodes}</Fragment>
  );
}

function leafOf(token: Token, key: number): ReactNode {
  const { type, tag, content, children } = token;
  switch (type) {
    case 'inline':
      return <Fragment key={key}>{nodesOf(children ?? [])}</Fragment>;
    case 'softbreak':
      return '\n';
    case 'hardbreak':
    case 'hr':
      return createElement(tag, { key });
    case 'code_inline':
      return (
        <code key={key} className="rounded bg-sunken px-1 font-mono text-xs">
          {content}
        </code>
      );
    case 'fence':
    case 'code_block':
      return (
        <pre key={key} className="rounded-md bg-sunken p-2 font-mono text-xs break-words whitespace-pre-wrap">
          {content}
        </pre>
      );
    case 'image':
      return (
        <span key={key} className="text-quiet">
          [Picture{content === '' ? '' : `: ${content}`}]
        </span>
      );
    default:
      return content;
  }
}
