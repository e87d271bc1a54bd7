import { LRUCache } from 'lru-cache';
import { Piscina } from 'piscina';
import { createFairQueue } from '../../concurrency/fair-queue.ts';
import { type ArticleText, htmlOfArticle, htmlOfText } from './markdown.rules.ts';

const MAX_CACHED_CHARACTERS = 32_000_000;
/** A shorter text is rendered at once: it takes a few milliseconds, whatever it says. */
const MAX_INLINE_CHARACTERS = 5_000;
/** The time of a reader, from the request on. A text of 200,000 characters takes up to a second. */
const MAX_WAIT_MS = 5_000;
const THREAD = new URL('./markdown.rules.ts', import.meta.url).href;
const MEMORY_LIMITS = { maxOldGenerationSizeMb: 192 };
const IDLE_MS = 60_000;

interface Article extends ArticleText {
  orgId: string;
  /** Identifies the title and the text. */
  hash: string;
}

export interface Rendering {
  /** Returns an article as safe HTML. One that takes too long, or whose HTML would be too long, is shown as its text. */
  html(article: Article): Promise<string>;
  close(): Promise<void>;
}

/** Creates the renderer. Long articles are rendered in a thread, those of different orgs in turn. Results are cached. */
export function createRendering(): Rendering {
  const rendered = new LRUCache<string, string>({
    maxSize: MAX_CACHED_CHARACTERS,
    sizeCalculation: (html) => html.length + 1,
  });
  const turns = createFairQueue();
  const thread = new Piscina({
    filename: THREAD,
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: IDLE_MS,
    resourceLimits: MEMORY_LIMITS,
  });

  const renderInThread = (orgId: string, text: ArticleText): Promise<string | undefined> => {
    const signal = AbortSignal.timeout(MAX_WAIT_MS);
    return turns.run(orgId, async () => {
      signal.throwIfAborted();
      return thread.run(text, { name: 'htmlOfArticle' satisfies keyof typeof import('./markdown.rules.ts'), signal });
    });
  };

  return {
    async html({ orgId, hash, title, markdown }) {
      const cached = rendered.get(hash);
      if (cached !== undefined) return cached;
      const isShort = markdown.length <= MAX_INLINE_CHARACTERS;
      try {
        const html = isShort ? htmlOfArticle({ title, markdown }) : await renderInThread(orgId, { title, markdown });
        const shown = html ?? htmlOfText(markdown);
        rendered.set(hash, shown);
        return shown;
      } catch {
        return htmlOfText(markdown); // for this reader only: it took too long, or too much memory
      }
    },
    close: () => thread.destroy(),
  };
}
