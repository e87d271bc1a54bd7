import { type Block, blocksOf, type Inline } from '../rules/markdown.rules.ts';

/** Shows the markdown of an answer as nodes: no HTML of anybody is parsed. */
export function Markdown({ text }: { text: string }) {
  return (
    <>
      {blocksOf(text).map((block, index) => (
        <BlockView key={index} block={block} />
      ))}
    </>
  );
}

function BlockView({ block }: { block: Block }) {
  if (block.kind === 'code') return <pre>{block.text}</pre>;
  if (block.kind === 'paragraph' || block.kind === 'quote') {
    const lines = block.lines.map((line, index) => [index > 0 && <br />, <Inlines key={index} parts={line} />]);
    return block.kind === 'quote' ? <blockquote dir="auto">{lines}</blockquote> : <p dir="auto">{lines}</p>;
  }
  const items = block.items.map((item, index) => (
    <li key={index} dir="auto">
      <Inlines parts={item} />
    </li>
  ));
  return block.isOrdered ? <ol start={block.start}>{items}</ol> : <ul>{items}</ul>;
}

function Inlines({ parts }: { parts: Inline[] }) {
  return (
    <>
      {parts.map((part) => {
        if (part.kind === 'text') return part.text;
        if (part.kind === 'code') return <code>{part.text}</code>;
        if (part.kind === 'bold')
          return (
            <strong>
              <Inlines parts={part.children} />
            </strong>
          );
        if (part.kind === 'emphasis')
          return (
            <em>
              <Inlines parts={part.children} />
            </em>
          );
        return (
          <Link href={part.href}>
            <Inlines parts={part.children} />
          </Link>
        );
      })}
    </>
  );
}

export function Link({ href, children }: { href: string; children: preact.ComponentChildren }) {
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}
