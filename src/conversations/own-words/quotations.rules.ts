import type { LineParser } from './reply-parser.rules.ts';

/** The label of the sender above an earlier message. */
const FROM =
  /^[*\s]*(?:from|von|de|da|van|fra|från|frå|od|lähettäjä|feladó|kimden|από|от|від|dari|từ|מאת|من|از|发件人|寄件者|差出人|보낸 사람)[*\s]*[:：]/iu;
/** The label of the subject. */
const SUBJECT =
  /^[*\s]*(?:subject|betreff|objet|sujet|asunto|oggetto|assunto|onderwerp|temat|ämne|emne|aihe|předmět|predmet|tárgy|subiect|konu|θέμα|тема|subjek|subyek|chủ đề|נושא|الموضوع|موضوع|主题|主旨|件名|제목)[*\s]*[:：]/iu;
/** The label of the time of sending. */
const SENT =
  /^[*\s]*(?:sent|date|gesendet|datum|envoyé|enviado(?: el| em)?|fecha|inviato|data|verzonden|wysłan[oey]|skickat|sendt|dato|lähetetty|odesláno|odoslané|elküldve|trimis|gönderildi|tarih|στάλθηκε|отправлено|дата|надіслано|dikirim|đã gửi|נשלח|تاريخ الإرسال|发送时间|發送時間|日期|送信日時|日付|보낸 날짜|날짜)[*\s]*[:：]/iu;
const LABEL = /^[*\p{L}\s-]{1,20}[:：]/u;
/** A sender's address on a line by itself: the name filled the line before. */
const ADDRESS_ALONE = /^<[^\s<>@]+@[^\s<>@]+>$/u;
const MAX_HEADER_LINES = 7;
/** Some programs begin with the time. */
const MAX_LINES_TO_FROM = 2;

/** The line before a quotation names its writer. */
const WROTE =
  /(?<!\p{L})(?:wrote|schrieb|geschrieben|a écrit|escribió|ha scritto|escreveu|schreef|skrev|kirjoitti|napsala?|napísala?|napisał(?:a|\(a\))?|pisze|napisao|írta|scris|yazdı|έγραψε|писала?|написал(?:а|\(а\))?|пише|написав|כתב|كتب|ने लिखा|menulis|đã viết)(?!\p{L})|写道|寫道|のメッセージ|さんが書きました|작성/iu;
const ADDRESS = /@[\p{L}\p{N}-]/u;
/** A program dates its quotations by the year or the time. */
const DATE = /(?:19|20)\d{2}|\d{1,2}[:.：時点点h]\d{2}/u;
/**
 * The beginning of a header broken into several lines. A word such as "Hi," is none: a day's name is followed by its
 * date.
 */
const BROKEN_HEADER =
  /^(?:(?:on|am|le|el|il|em|op|den|w dniu|dnia|dne|pe|στις|la|pada|vào|\d|在|于|於)(?![\p{L}\p{M}])|\p{L}{2,4}[.,](?=.*\d)|.{1,80}<[^\s<>@]+@[^\s<>@]+> ?(?:schrieb|skrev|wrote)(?!\p{L}))/iu;
const MAX_BROKEN_LINES = 3;

/** Lines such as "-----Original Message-----". */
const ORIGINAL =
  /^[-–—_=*]{2,40}\s?(?:original message|(?:ursprüngliche|originale) nachricht|originalnachricht|message d['’]origine|mensaje original|mensagem original|messaggio originale|oorspronkelijk bericht|wiadomość oryginalna|oryginalna wiadomość|ursprungligt meddelande|originalmeddelande|oprindelig (?:besked|meddelelse)|opprinnelig melding|původní (?:zpráva|e-mail)|eredeti üzenet|исходное сообщение|元のメッセージ|原始(?:邮件|郵件|信息)|원본 메[시일]지?)\s?[-–—_=*]{2,40}$/iu;
const RULE = /^(?:[-_=*–—]{8,}|={4,})$/u;
/** A forwarded message is none of ours: its text is found nowhere else. */
const FORWARDED =
  /^(?:[-–—_=*]{3,40}\s?|begin |début du |inizio |anfang der )(?:forwarded|weitergeleitet|transféré|réexpédié|message (?:transféré|réexpédié)|mensaje reenviado|messaggio inoltrato|mensagem (?:encaminhada|reencaminhada)|doorgestuurd|doorgezonden|przekazan|wiadomość przekazana|vidarebefordra|videresendt|転送|轉寄|转发)/iu;

/** The end of a header broken within the angle brackets of its address. */
const BROKEN_BRACKET = /^>[^>]{0,20}[:：]$/u;
/** A sender with an address and a verb, and nothing else: it needs no date. */
const ADDRESS_WROTE =
  /^[^<>]{1,80}<[^\s<>@]+@[^\s<>@]+>\s?(?:wrote|schrieb|a écrit|escribió|ha scritto|escreveu|schreef|skrev)\s?[:：]$/iu;
/** An older Gmail introduces by the day and the sender alone. */
const DATED_ADDRESS = /^\d{4}[-/.]\d{1,2}[-/.]\d{1,2}[^<>]{0,80}<[^\s<>@]+@[^\s<>@]+>:?$/u;

export const isQuoted = (line: string | undefined): boolean => line?.startsWith('>') === true;

export const isForwarded = (line: string): boolean => FORWARDED.test(line);

/** Returns how many lines from a place on introduce an earlier message. 0: none does. */
export function headerLinesAt(lines: readonly string[], at: number, parser: LineParser): number {
  const line = lines[at] ?? '';
  if (ORIGINAL.test(line) || (/^-.*\p{L}/u.test(line) && parser.isHeader([line]))) return 1;
  if (isHeaderBlock(lines, at)) return 1;
  if (RULE.test(line)) {
    const next = nextFilled(lines, at + 1);
    return isHeaderBlock(lines, next) ? next - at : 0;
  }
  const broken = attributionLines(lines, at, parser);
  if (broken > 0) return broken;
  return namesWriter(line) && isQuoted(lines[nextFilled(lines, at + 1)]) ? 1 : 0;
}

/** Returns whether a line above a quotation may introduce it. "My answers to your points:" is the author's own. */
const namesWriter = (line: string): boolean =>
  /[:：]$/u.test(line) && (WROTE.test(line) || ADDRESS.test(line) || /\d/u.test(line));

/** Returns the place of the first non-empty line from a place on. */
export function nextFilled(lines: readonly string[], from: number): number {
  let at = from;
  while (lines[at] === '') at++;
  return at;
}

/**
 * Returns whether labels of an earlier message begin at a line: its sender, and its subject, or its time and address.
 */
function isHeaderBlock(lines: readonly string[], at: number): boolean {
  if (!LABEL.test(lines[at] ?? '')) return false;
  const block = unbroken(lines.slice(at, at + MAX_HEADER_LINES));
  if (!LABEL.test(block[1] ?? '')) return false;
  const from = block.slice(0, MAX_LINES_TO_FROM).find((line) => FROM.test(line));
  if (from === undefined) return false;
  return block.some((line) => SUBJECT.test(line)) || (ADDRESS.test(from) && block.some((line) => SENT.test(line)));
}

/** Returns the lines of a block with an address on a separate line joined to its name. */
function unbroken(block: readonly string[]): string[] {
  const [first = '', second = '', ...others] = block;
  return ADDRESS_ALONE.test(second) ? [`${first} ${second}`, ...others] : [...block];
}

/**
 * Returns the number of lines with the author and the time of the following text, such as "On 1 May 2026 Ann wrote:".
 */
function attributionLines(lines: readonly string[], at: number, parser: LineParser): number {
  for (let count = 1; count <= MAX_BROKEN_LINES; count++) {
    const part = lines.slice(at, at + count);
    const last = part.at(-1) ?? '';
    const isEnd = count > 1 && BROKEN_BRACKET.test(last);
    if (last === '' || (isQuoted(last) && !isEnd) || (count > 1 && !BROKEN_HEADER.test(part[0] ?? ''))) return 0;
    if (isAttribution(part, parser)) return count;
  }
  return 0;
}

function isAttribution(lines: readonly string[], parser: LineParser): boolean {
  const line = lines.join(' ');
  if (lines.length === 1 && (ADDRESS_WROTE.test(line) || DATED_ADDRESS.test(line))) return true;
  if (!DATE.test(line) && !(ADDRESS.test(line) && /\d/.test(line))) return false;
  const isWritten = WROTE.test(line);
  if (/[:：]$/u.test(line) && (isWritten || (ADDRESS.test(line) && DATE.test(line) && /[>\])]\s?[:：]$/u.test(line))))
    return true;
  return (isWritten || ADDRESS.test(line)) && parser.isHeader(lines);
}
