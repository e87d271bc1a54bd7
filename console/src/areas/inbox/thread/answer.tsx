import type { ReactNode } from 'react';
import { type Block, blocksOf, type Inline } from '../../../../../embed/src/rules/markdown.rules';
import { Outward } from './outward';

/** An answer as the widget shows it to the customer: by the same rules. */
export const Answer = ({ text }: { text: string }) => (
  <div className="space-y-2 break-words">
    {blocksOf(text).map((block, n) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other key
      <Part key={n} block={block} />
    ))}
  </div>
);

const Part = ({ block }: { block: Block }) => {
  switch (block.kind) {
    case 'code':
      return <pre className="font-mono text-xs break-words whitespace-pre-wrap">{block.text}</pre>;
    case 'list': {
      const items = block.items.map((item, n) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other key
        <li key={n}>{inlines(item)}</li>
      ));
      return block.isOrdered ? (
        <ol dir="auto" start={block.start} className="list-decimal ps-5">
          {items}
        </ol>
      ) : (
        <ul dir="auto" className="list-disc ps-5">
          {items}
        </ul>
      );
    }
    case 'quote':
      return (
        <blockquote dir="auto" className="border-s-2 border-line ps-3 whitespace-pre-wrap">
          {lines(block.lines)}
        </blockquote>
      );
    case 'paragraph':
      return (
        <p dir="auto" className="whitespace-pre-wrap">
          {lines(block.lines)}
        </p>
      );
  }
};

const BREAK: Inline = { kind: 'text', text: '\n' };

/** The lines are one list of parts, so no two of them have the same key. */
const lines = (all: Inline[][]): ReactNode[] => inlines(all.flatMap((line, n) => (n > 0 ? [BREAK, ...line] : line)));

const inlines = (parts: Inline[]): ReactNode[] => parts.map((part, n) => inline(part, n));

function inline(part: Inline, key: number): ReactNode {
  switch (part.kind) {
    case 'text':
      return part.text;
    case 'code':
      return (
        <code key={key} className="font-mono text-xs">
          {part.text}
        </code>
      );
    case 'bold':
      return <strong key={key}>{inlines(part.children)}</strong>;
    case 'emphasis':
      return <em key={key}>{inlines(part.children)}</em>;
    case 'link':
      return (
        <Outward key={key} href={part.href}>
          {inlines(part.children)}
        </Outward>
      );
  }
}
