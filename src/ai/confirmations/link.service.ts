import { getSession } from '../../conversations/sessions/service.ts';
import type { Db } from '../../db/connect.ts';
import { DomainError } from '../../errors.ts';
import type { PageBrand } from '../../html/brand.rules.ts';
import type { MediaLinks } from '../../media/links.ts';
import { readBrand } from '../../orgs/brand/service.ts';
import { getOrgLanguage } from '../../orgs/service.ts';
import { languageWithPhrases, type SentenceKey, sentenceOf } from '../../recognition/sentences.rules.ts';
import type { CallRow } from '../calls/service.ts';
import { getPublishedAiSettings } from '../settings/service.ts';
import { renderPage, renderSentence } from './page.rules.ts';
import { fieldsOf } from './question.rules.ts';
import { decideConfirmation, getConfirmationByToken } from './service.ts';

export interface LinkPage {
  status: 200 | 409 | 410;
  brand: PageBrand;
  html: string;
}

type LinkedCall = CallRow & { is_expired: boolean | null };

/** Returns the page of a link, and decides nothing. Throws notFound. */
export async function showLink(db: Db, links: MediaLinks, token: string): Promise<LinkPage> {
  const call = await getConfirmationByToken(db, token);
  const { language, say } = await wordsOf(db, call);
  const brand = await readBrand(db, links, call.org_id);
  if (!isWaiting(call)) {
    const html = renderSentence(say(sentenceKeyOf(call)), { language, brand });
    return { status: isOver(call) ? 410 : 200, html, brand };
  }
  const html = renderPage({
    brand,
    language,
    question: say('confirm_question'),
    fields: fieldsOf(call.arguments ?? {}),
    confirmButton: say('confirm_button'),
    rejectButton: say('reject_button'),
  });
  return { status: 200, html, brand };
}

/** Decides by a link, once, and returns the page that says so. Throws notFound. */
export async function decideByLink(
  db: Db,
  links: MediaLinks,
  { token, decision }: { token: string; decision: 'confirm' | 'reject' },
): Promise<LinkPage> {
  const { org_id, id } = await getConfirmationByToken(db, token);
  const status = await decideConfirmation(db, org_id, id, { decision, by: 'link' }).then(
    () => 200 as const,
    (error: unknown) => {
      if (!(error instanceof DomainError)) throw error;
      return error.kind === 'gone' ? (410 as const) : (409 as const);
    },
  );
  const call = await getConfirmationByToken(db, token);
  const { language, say } = await wordsOf(db, call);
  const brand = await readBrand(db, links, org_id);
  return { status, html: renderSentence(say(sentenceKeyOf(call)), { language, brand }), brand };
}

const isOver = ({ state, is_expired }: LinkedCall): boolean =>
  state === 'expired' || (state === 'needs_confirmation' && is_expired === true);

const isWaiting = (call: LinkedCall): boolean =>
  call.state === 'needs_confirmation' && call.needs === 'customer' && !isOver(call);

/** Returns the sentence about a call that nothing can be decided about. People answer where the AI does nothing. */
function sentenceKeyOf(call: LinkedCall): SentenceKey {
  if (isOver(call)) return 'confirmation_expired';
  if (call.state === 'rejected') return 'rejected_confirmation';
  if (call.state !== 'needs_confirmation') return 'confirmed';
  return call.needs === 'agent' ? 'action_in_progress' : 'handing_off';
}

async function wordsOf(db: Db, { org_id, session_id, name }: LinkedCall) {
  const [session, fallback, { phrases: overrides }] = await Promise.all([
    getSession(db, org_id, session_id),
    getOrgLanguage(db, org_id),
    getPublishedAiSettings(db, org_id),
  ]);
  const say = (key: SentenceKey) => sentenceOf(key, session.language, { fallback, overrides, action: name });
  return { language: languageWithPhrases(session.language, fallback), say };
}
