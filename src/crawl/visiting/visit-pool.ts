import type { CrawlBatch } from '../context.ts';
import type { LeasedPage } from '../queue/shared.queries.ts';
import { learnIgnoredParameters } from '../similarity/ignored-parameters.service.ts';
import { writeVisits } from './results.service.ts';
import { visitPage } from './visit.ts';
import type { Visit } from './visit-results.rules.ts';

const MAX_CONCURRENT_VISITS = 8;
/** A page in a browser takes a whole processor for a while. */
const MAX_CONCURRENT_RENDERINGS = 2;
const MAX_CLAIMED_AHEAD = 2 * MAX_CONCURRENT_VISITS;
/** Visits in progress, and results that are not written yet. These are what a killed worker's successor fetches again. */
const MAX_PENDING_VISITS = 100;
/** Larger writes need fewer index rows per word. Smaller ones happen while no other page is queued, and after a delay. */
const MIN_VISITS_PER_WRITE = 40;
/** Amount of text and links sufficient for a write, so that large pages are written in smaller groups. */
const CHARACTERS_PER_WRITE = 1_000_000;
const CHARACTERS_PER_LINK = 100;
const MAX_WRITE_DELAY_MS = 2_000;
/** Half of the pending visits, so that pages are fetched during a write. */
const MAX_VISITS_PER_WRITE = MAX_PENDING_VISITS / 2;

/** Claims pages, if any are queued. Resolves to undefined if no more are to be claimed for now. */
type Claim = () => Promise<LeasedPage[] | undefined>;

/**
 * Visits pages concurrently, writing results during further visits, until `claim` resolves to undefined, or finds no page
 * when all results are written. If stopped, or if a visit throws, the results so far are still written.
 */
export async function visitAll(batch: CrawlBatch, claim: Claim, isStopped: () => boolean): Promise<void> {
  const failures: unknown[] = [];
  const fail = (error: unknown) => failures.push(error);
  const progress = createNotifier();
  const writer = createWriter(batch, { fail, onProgress: progress.notify });
  const pages = createSource(claim, { fail, writeCount: writer.writeCount });
  let inProgress = 0;
  const visit = async (page: LeasedPage) => {
    inProgress++;
    try {
      const visited = await visitPage(batch, page);
      if (visited !== undefined) await writer.add(visited, pages.isQueueEmpty());
    } finally {
      inProgress--;
      progress.notify();
    }
  };
  const visitNext = async () => {
    while (!isStopped() && failures.length === 0) {
      const page = await pages.next();
      if (page !== undefined) await visit(page);
      else if (pages.isOver() || (inProgress === 0 && writer.isIdle())) return;
      else {
        writer.start(); // the results may have links
        await progress.next();
      }
    }
  };
  const length = batch.scripted === 'rendered' ? MAX_CONCURRENT_RENDERINGS : MAX_CONCURRENT_VISITS;
  const visitors = await Promise.allSettled(Array.from({ length }, visitNext));
  await writer.finish();
  await pages.untilClaimed();
  const [failure] = [...failures, ...visitors.flatMap((ended) => (ended.status === 'rejected' ? [ended.reason] : []))];
  if (failure !== undefined) throw failure;
}

/** Returns an event that repeats: next() resolves at the next notify(). */
function createNotifier() {
  let next = Promise.withResolvers<void>();
  return {
    next: () => next.promise,
    notify() {
      next.resolve();
      next = Promise.withResolvers();
    },
  };
}

/**
 * Returns pages one by one, claiming several at a time. Claims more before the last one, because a claim may have to
 * wait for a write. If the queue is empty, claims again after the next write, which may have queued links.
 */
function createSource(
  claim: Claim,
  { fail, writeCount }: { fail: (error: unknown) => void; writeCount: () => number },
) {
  const pages: LeasedPage[] = [];
  let isOver = false;
  /** The number of writes before the last claim that found no page. */
  let emptyAt: number | undefined;
  let claiming: Promise<void> | undefined;
  const claimMore = async () => {
    const writesBefore = writeCount();
    try {
      const more = await claim();
      isOver = more === undefined;
      pages.push(...(more ?? []));
      if (more?.length === 0) emptyAt = writesBefore;
    } catch (error) {
      isOver = true;
      fail(error);
    }
    claiming = undefined;
  };
  const isQueueEmpty = () => emptyAt === writeCount();
  return {
    async next(): Promise<LeasedPage | undefined> {
      for (;;) {
        if (pages.length <= MAX_CLAIMED_AHEAD && !isOver && !isQueueEmpty()) claiming ??= claimMore();
        const page = pages.shift();
        if (page !== undefined || claiming === undefined) return page;
        await claiming;
      }
    },
    isQueueEmpty,
    /** Whether no more pages are to be claimed. */
    isOver: () => isOver,
    untilClaimed: async () => claiming,
  };
}

/** Writes one group of results after another, while visits continue. */
function createWriter(
  batch: CrawlBatch,
  { fail, onProgress }: { fail: (error: unknown) => void; onProgress: () => void },
) {
  const unwritten: Visit[] = [];
  let beingWritten = 0;
  let writeCount = 0;
  let writing: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  const isWorthAWrite = () => unwritten.length >= MIN_VISITS_PER_WRITE || sizeOf(unwritten) >= CHARACTERS_PER_WRITE;
  const nextGroup = (): Visit[] => {
    let size = 0;
    const isTooMuch = (visit: Visit, nth: number) => {
      size += sizeOf([visit]);
      return nth === MAX_VISITS_PER_WRITE || (nth > 0 && size > CHARACTERS_PER_WRITE);
    };
    const end = unwritten.findIndex(isTooMuch);
    return unwritten.splice(0, end === -1 ? unwritten.length : end);
  };
  const write = async () => {
    try {
      do {
        const visits = nextGroup();
        beingWritten = visits.length;
        await writeVisits(batch, visits);
        await learnIgnoredParameters(batch, visits);
        writeCount++;
        onProgress();
      } while (isWorthAWrite());
    } catch (error) {
      fail(error);
    }
    beingWritten = 0;
    writing = undefined;
    onProgress();
    if (unwritten.length > 0) timer ??= setTimeout(start, MAX_WRITE_DELAY_MS);
  };
  const start = () => {
    clearTimeout(timer);
    timer = undefined;
    if (unwritten.length > 0) writing ??= write();
  };
  const isFull = () =>
    unwritten.length + beingWritten > MAX_PENDING_VISITS - MAX_CONCURRENT_VISITS ||
    sizeOf(unwritten) >= 2 * CHARACTERS_PER_WRITE;
  return {
    /** Resolves when there is room for more. An urgent visit is written at once, as its links are the next pages. */
    async add(visit: Visit, isUrgent: boolean): Promise<void> {
      unwritten.push(visit);
      timer ??= setTimeout(start, MAX_WRITE_DELAY_MS);
      if (isUrgent || isWorthAWrite()) start();
      while (isFull() && writing !== undefined) await writing;
    },
    /** Writes what there is. */
    start,
    isIdle: () => unwritten.length === 0 && writing === undefined,
    /** The number of writes so far. */
    writeCount: () => writeCount,
    async finish(): Promise<void> {
      for (start(); writing !== undefined; start()) await writing;
    },
  };
}

/** Returns about the size in characters of texts and links. */
const sizeOf = (visits: Visit[]): number =>
  visits.reduce((sum, visit) => sum + textLengthOf(visit) + linkCountOf(visit) * CHARACTERS_PER_LINK, 0);

const textLengthOf = ({ result }: Visit): number => (result.kind === 'content' ? result.content.markdown.length : 0);
const linkCountOf = ({ result }: Visit): number =>
  result.kind === 'content' ? result.content.links.urls.length : 'links' in result ? result.links.urls.length : 0;
