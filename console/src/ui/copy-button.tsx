import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { say } from '../app/undo';

const SHOWN_MS = 2_000;

interface CopyProps {
  text: string;
  /** What is copied, as the button's name says it: the id. */
  what: string;
}

/** Copies a text. */
export const CopyButton = ({ text, what }: CopyProps) => {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    say(`Copied ${what}`);
  };
  return (
    <button
      type="button"
      aria-label={`Copy ${what}`}
      title={`Copy ${what}`}
      onClick={() => void copy().catch(() => say('The browser did not allow to copy', { isError: true }))}
      className="relative z-1 inline-grid size-6 shrink-0 place-items-center rounded text-quiet hover:bg-hover hover:text-text"
    >
      {isCopied ? <Check size={14} aria-hidden="true" /> : <Copy size={14} aria-hidden="true" />}
    </button>
  );
};
