import type { LineParser } from './reply-parser.rules.ts';

const SEPARATOR = /^—+$/u;
/** The rule above a mailing list's addition to each mail. */
const LIST_RULE = /^_{2,}$/u;
const LIST_FOOTER = /mailing list|mailman|listinfo|list-unsubscribe/iu;
const LIST_FOOTER_LINES = 4;
/** The last line before a name. Only a line with nothing else is one. */
const SIGN_OFF =
  /^(?:(?:(?:many )?thanks|thank you|vielen dank|danke|merci|grazie|gracias) (?:and|&|und|et|e|y) )?(?:(?:with |my )?(?:best|kind|kindest|warm|warmest) (?:regards|wishes)|regards|best|cheers|sincerely|yours (?:sincerely|truly|faithfully)|(?:mit )?(?:freundlichen?|besten?|herzlichen?|vielen|liebe|viele|schönen?) grü(?:ß|ss)en?|gru(?:ß|ss)|mfg|(?:bien )?cordialement|bien à vous|bonne (?:journée|soirée)|salutations(?: distinguées)?|(?:un )?(?:cordial )?saludos?(?: cordiales)?|atentamente|(?:cordiali|distinti) saluti|saluti|atenciosamente|(?:com os melhores )?cumprimentos|abraços?|(?:met )?vriendelijke groet(?:en)?|groet(?:en|jes)?|(?:z )?poważaniem|pozdrawiam|(?:med )?venlig hilsen|(?:med )?vänlig(?:a|en)? hälsning(?:ar)?|vänligen|hälsningar|(?:med )?(?:vennlig|venlig) hilsen|mvh|ystävällisin terveisin|s pozdravem|s pozdravom|üdvözlettel|cu stimă|saygılarımla|με εκτίμηση|с уважением|з повагою|с уважение|с наилучшими пожеланиями|בברכה|مع (?:أطيب )?التحيات?|تحياتي|با احترام|salam hormat|trân trọng|此致|敬礼|祝好|よろしくお願いします|よろしくお願いいたします|敬具|以上)[\s,.!،，。]*$/iu;
/** A line added by a phone or a mail program. */
const SENT_FROM =
  /^(?:sent from|get outlook for|(?:von meinem .{1,40} gesendet)|gesendet (?:von|mit der)|envoyé de(?:puis)?|enviado (?:desde|do|de) |inviato da|verzonden vanaf|verstuurd vanaf|wysłan[eo] z|skickat från|sendt fra|отправлено с|从我的.{1,20}发送|发自我的|iphoneから送信)/iu;
/** Thanks right above a name are words, and the name is none. */
const THANKS =
  /^(?:(?:many |best )?thanks(?: in advance)?|thank you(?: in advance)?|thx|(?:vielen |besten )?dank(?:e)?(?: im voraus)?|merci(?: d'avance)?|(?:muchas )?gracias|grazie(?: mille)?|obrigad[oa]|bedankt|dank je wel|dank u wel|dziękuję|dzięki|tack|(?:mange )?tak)[,!.]?$/iu;
const NAME = /^\p{Lu}[\p{L}.'’-]*(?: \p{Lu}[\p{L}.'’-]*){0,3}$/u;
const POSTSCRIPT = /^(?:p\.?\s?p?\.?\s?s\.?|n\.?b\.?)(?:[:,\s]|$)/iu;
/** The line above a signature (RFC 3676, section 4.3). */
export const DELIMITER = '-- ';
/** The same where a program has removed the space at its end. Somebody may also have written it between two paragraphs. */
const BARE_DELIMITER = '--';
const MIN_WORDS_OF_SENTENCE = 4;
/** Below more lines than this, a line is not the beginning of a signature. */
const MAX_LINES = 25;

/** Returns whether a signature begins at a line, and reaches to the end. */
export function isSignatureAt(lines: readonly string[], at: number, parser: LineParser): boolean {
  const line = lines[at] ?? '';
  if (line === DELIMITER) return true;
  if (lines.length - at > MAX_LINES) return false;
  return (
    (line === BARE_DELIMITER && !lines.slice(at + 1).some(isSentence)) ||
    SEPARATOR.test(line) ||
    isListFooterAt(lines, at) ||
    SIGN_OFF.test(line) ||
    SENT_FROM.test(line) ||
    (at > 0 && /\p{L}/u.test(line) && parser.isSignature(line)) ||
    isNameAfterThanks(lines, at)
  );
}

/** Returns the place of a postscript below a signature, or of the end. */
export function postscriptAfter(lines: readonly string[], signature: number): number {
  const found = lines.findIndex((line, at) => at > signature && POSTSCRIPT.test(line));
  return found === -1 ? lines.length : found;
}

const isSentence = (line: string): boolean =>
  /\p{L}[.?!。？！]$/u.test(line) && line.split(' ').length >= MIN_WORDS_OF_SENTENCE;

const isListFooterAt = (lines: readonly string[], at: number): boolean =>
  LIST_RULE.test(lines[at] ?? '') &&
  lines.slice(at + 1, at + 1 + LIST_FOOTER_LINES).some((line) => LIST_FOOTER.test(line));

function isNameAfterThanks(lines: readonly string[], at: number): boolean {
  const above = lines.slice(0, at).findLast((line) => line !== '');
  return THANKS.test(above ?? '') && NAME.test(lines[at] ?? '') && lines.slice(at + 1).every((line) => line === '');
}
