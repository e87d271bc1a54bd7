import { lockSession } from '../../conversations/sessions/service.ts';
import type { Db } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { notFound } from '../../errors.ts';
import type { PageBrand } from '../../html/brand.rules.ts';
import { newId } from '../../ids.ts';
import type { MediaLinks } from '../../media/links.ts';
import { readBrand } from '../../orgs/brand/service.ts';
import { CONTACT } from '../../schemas/actor.ts';
import { setScore } from '../service.ts';
import type { SurveyRef } from './contract.ts';
import { renderExpired, renderSurvey } from './page.rules.ts';
import { findSentSurvey } from './queries.ts';
import type { SurveyForm } from './schema.ts';
import { wordsIn } from './words.rules.ts';

/** A page with its HTTP status. */
export interface AnsweredPage {
  status: 200 | 410;
  html: string;
  brand: PageBrand;
}

/** Returns the page of a survey, and changes nothing. Throws notFound. */
export const showSurvey = async (db: Db, links: MediaLinks, ref: SurveyRef): Promise<AnsweredPage> =>
  pageOf(await getSurvey(db, ref), { brand: await readBrand(db, links, ref.orgId) });

/**
 * Scores the resolution of a survey, or replaces the score within a day. Returns the page that thanks, or says that it is
 * too late. Throws notFound.
 */
export async function answerSurvey(
  db: Db,
  links: MediaLinks,
  ref: SurveyRef,
  { score, comment }: SurveyForm,
): Promise<AnsweredPage> {
  const isTaken = await inTransaction(db, async (trx) => {
    const { session_id } = await getSurvey(trx, ref);
    await lockSession(trx, ref.orgId, session_id);
    const { resolution, takes_answers } = await getSurvey(trx, ref);
    if (!takes_answers) return false;
    const said = comment[0]?.trim() || null;
    const given = { id: newId(), session_id, resolution, score: score[0], comment: said, actor: CONTACT };
    await setScore(trx, ref.orgId, given);
    return true;
  });
  return pageOf(await getSurvey(db, ref), { brand: await readBrand(db, links, ref.orgId), isThanked: isTaken });
}

async function getSurvey(db: Db, ref: SurveyRef) {
  const survey = await findSentSurvey(db, ref);
  if (survey === undefined) throw notFound('survey');
  return survey;
}

function pageOf(
  { language: spoken, org_language, score, comment, takes_answers }: Awaited<ReturnType<typeof getSurvey>>,
  { brand, isThanked = false }: { brand: PageBrand; isThanked?: boolean },
): AnsweredPage {
  const { language, words } = wordsIn(spoken, org_language);
  if (!takes_answers) return { status: 410, html: renderExpired({ language, words, brand }), brand };
  const title = isThanked ? words.thanks : words.question;
  return { status: 200, html: renderSurvey({ title, brand, language, words, score, comment }), brand };
}
