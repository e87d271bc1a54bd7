import { inTransaction } from '../../db/transaction.ts';
import { updateItemUrls } from '../../knowledge/index/service.ts';
import { withoutParameters } from '../../text/urls.rules.ts';
import type { CrawlBatch } from '../context.ts';
import type { CrawlRef } from '../contract.ts';
import { lockDatasource } from '../datasources/shared.queries.ts';
import { lockJob } from '../jobs/shared.queries.ts';
import { keysOf, pageUrlOf } from '../scope/urls.rules.ts';
import type { Visit } from '../visiting/visit-results.rules.ts';
import { type IgnorableParameter, ignorableParametersOf } from './ignored-parameters.rules.ts';
import { probePage } from './probes.ts';
import {
  addIgnoredParameter,
  deleteUnstoredPages,
  hasLikeSibling,
  listKnownKeys,
  listLikePages,
  lockPagesWithParameter,
  updateAddresses,
  type VariantPage,
} from './queries.ts';
import { similarityOf } from './similarity.ts';
import { withdrawPages } from './withdrawal.service.ts';

/**
 * Recognises query parameters that change no page, such as session ids, by the pages just written. From then on
 * addresses are kept without them, and pages that were stored several times are stored once.
 */
export async function learnIgnoredParameters(batch: CrawlBatch, visits: Visit[]): Promise<void> {
  const { db, ref, requiredParameters } = batch;
  const written = visits.flatMap(({ page, result }) => {
    const { path } = keysOf(pageUrlOf(page.url));
    const isVariant = result.kind === 'content' && path !== page.url_key;
    return isVariant ? [{ key: page.url_key, path, similarity: result.content.similarity }] : [];
  });
  if (written.length === 0 || !(await hasLikeSibling(db, ref, written))) return;
  const parameters = ignorableParametersOf(await listLikePages(db, ref));
  for (const parameter of parameters.filter(({ name }) => !requiredParameters.has(name))) {
    if (!(await isSameWithout(batch, parameter, visits))) {
      requiredParameters.add(parameter.name);
      continue;
    }
    if (await ignoreParameter(batch, ref, parameter.name)) batch.ignoreParameter(parameter.name);
  }
}

/** Fetches a page without the parameter: some sites answer differently then. */
async function isSameWithout(batch: CrawlBatch, { sample }: IgnorableParameter, visits: Visit[]): Promise<boolean> {
  const scheme = visits[0] === undefined ? batch.site.start.protocol : new URL(visits[0].url).protocol;
  const { host } = batch.site.start;
  const slash = sample.key.indexOf('/');
  const page = await probePage(batch, new URL(`${scheme}//${host}${sample.key.slice(slash)}`));
  if (page === undefined) return false;
  const markdown = page.markdown.trim();
  return similarityOf({ title: page.title.trim(), markdown }) === sample.similarity;
}

/** Stores each page once, under its address without the parameter. Returns whether the crawl is still running. */
function ignoreParameter({ db }: CrawlBatch, ref: CrawlRef, name: string): Promise<boolean> {
  const { orgId, datasourceId, jobId } = ref;
  return inTransaction(db, async (trx) => {
    if ((await lockDatasource(trx, orgId, datasourceId)) === undefined) return false;
    if ((await lockJob(trx, orgId, datasourceId, jobId)) === undefined) return false;
    await addIgnoredParameter(trx, ref, name);
    const pages = (await lockPagesWithParameter(trx, ref, name)).map((page) => cleanAddress(page, name));
    const keys = await listKnownKeys(
      trx,
      ref,
      pages.map(({ key }) => key),
    );
    const kept: CleanPage[] = [];
    const left: CleanPage[] = [];
    for (const page of pages) {
      if (page.key === page.url_key) continue;
      (keys.has(page.key) ? left : kept).push(page);
      keys.add(page.key);
    }
    await updateAddresses(trx, orgId, kept);
    await updateItemUrls(trx, orgId, kept);
    const idsOf = (isStored: boolean) => left.filter(({ is_stored }) => is_stored === isStored).map(({ id }) => id);
    await withdrawPages(trx, ref, idsOf(true), 'session_id');
    await deleteUnstoredPages(trx, orgId, idsOf(false));
    return true;
  });
}

type CleanPage = VariantPage & { key: string; path: string };

function cleanAddress(page: VariantPage, name: string): CleanPage {
  const url = withoutParameters(pageUrlOf(page.url), [name]);
  return { ...page, url: url.href, ...keysOf(url) };
}
