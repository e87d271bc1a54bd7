/** An answer to an e-mail starts with such a word for "from", before an address. */
const FROM =
  /^[*\s]*(?:from|von|de|da|van|fra|från|frå|od|lähettäjä|feladó|kimden|από|от|від|dari|từ|מאת|من|از|发件人|寄件者|差出人|보낸 사람)\s*[:：]/iu;
/** The line before a quotation says so and has a date, such as "On 1 May Ann wrote:". */
const WROTE =
  /(?<!\p{L})(?:wrote|schrieb|geschrieben|a écrit|escribió|ha scritto|escreveu|schreef|skrev|kirjoitti|napsala?|napísala?|napisała?|napisao|írta|scris|yazdı|έγραψε|писала?|написала?|написав|כתב|كتب|ने लिखा|menulis|đã viết|写道|작성)(?!\p{L})/iu;
/** Lines that begin another message, such as "-----Original Message-----" and the line of underscores above a header. */
const DIVIDER = /^(?:-{2,}[^-].*[^-]-{2,}|_{8,}|={8,})$/u;

const SIGNATURE = /^(?:--|—)$/u;
/** The last line before a name. Only a line with nothing else is one. */
const SIGN_OFF =
  /^(?:(?:with |my )?(?:best|kind|kindest|warm|warmest) (?:regards|wishes)|regards|best|cheers|sincerely|yours (?:sincerely|truly|faithfully)|(?:mit )?(?:freundlichen?|besten?|herzlichen?|vielen|liebe|viele|schönen?) grü(?:ß|ss)en?|mfg|(?:bien )?cordialement|bien à vous|salutations(?: distinguées)?|(?:un )?(?:cordial )?saludos?(?: cordiales)?|atentamente|(?:cordiali|distinti) saluti|saluti|atenciosamente|cumprimentos|abraços?|(?:met )?vriendelijke groeten?|groet(?:en|jes)?|(?:z )?poważaniem|pozdrawiam|med venlig hilsen|med vänliga? hälsning(?:ar)?|(?:vennlig|venlig) hilsen|mvh|ystävällisin terveisin|s pozdravem|s pozdravom|üdvözlettel|cu stimă|saygılarımla|με εκτίμηση|с уважением|з повагою|с уважение|с наилучшими пожеланиями|בברכה|مع (?:أطيب )?التحيات?|تحياتي|با احترام|salam hormat|trân trọng|此致|祝好|よろしくお願いします|よろしくお願いいたします|以上)[\s,.!،，。]*$/iu;
/** A line that a phone adds. */
const SENT_FROM =
  /^(?:sent from|get outlook for|(?:von meinem .{1,40} gesendet)|gesendet von|envoyé de(?:puis)?|enviado (?:desde|do|de) |inviato da|verzonden vanaf|wysłane z|skickat från|sendt fra|отправлено с)/iu;

const GREETING =
  /^[\s¡¿*]*(?:hi|hiya|hey|hello|dear|greetings|good (?:morning|afternoon|evening|day)|hallo|moin|servus|guten (?:morgen|tag|abend)|grüß gott|sehr geehrter?|liebe[rs]?|bonjour|bonsoir|salut|coucou|chère?s?|hola|buen(?:os|as) (?:días|tardes|noches)|estimad[oa]s?|ciao|salve|buongiorno|buonasera|gentile|olá|oi|bom dia|boa (?:tarde|noite)|prezad[oa]s?|hoi|goede(?:morgen|middag|navond|ndag)|beste|geachte|cześć|hej|dzień dobry|witam|szanowni|hejsan|god (?:morgen|morgon|dag|kveld|kväll|aften)|kære|kjære|moi|hei|terve|päivää|ahoj|dobrý den|dobré ráno|zdravím|szia|sziasztok|jó napot|tisztelt|bună(?: ziua)?|merhaba|selam|iyi günler|günaydın|sayın|γεια(?: σας| σου)?|καλημέρα|καλησπέρα|привет|здравствуйте|добрый (?:день|вечер)|доброе утро|привіт|вітаю|добрий день|здравейте|добър ден|שלום|היי|בוקר טוב|ערב טוב|السلام عليكم|مرحب[اًا]+|أهلا|صباح الخير|مساء الخير|سلام|नमस्ते|नमस्कार|こんにちは|こんばんは|おはようございます|はじめまして|お世話になっております|안녕하세요|안녕|你好|您好|大家好|早上好|下午好|halo|selamat (?:pagi|siang|sore|malam)|xin chào|chào|สวัสดี(?:ครับ|ค่ะ)?)(?![\p{L}\p{M}\p{N}])/iu;
/** Who is greeted: names, or words for people. After it the greeting ends. */
const GREETED =
  /^(?:[^\S\n]+(?:there|all|everyone|everybody|folks|guys|team|support|again|or|and|zusammen|leute|nochmal|und|oder|à tous|a todos|tutti|allemaal|\p{Lu}[\p{L}\p{M}.'’-]*)){0,4}[^\S\n]*(?:[,!.:;،，。！、…]+|\n|$)/u;
const MAX_GREETINGS = 2;

/**
 * Returns what the author of a message wrote anew: without quotations, the signature, and the greeting at its
 * beginning.
 */
export function ownWordsOf(text: string): string {
  const lines = withoutQuotations(text.split(/\r\n?|\n/).map((line) => line.trim()));
  const end = lines.findIndex((line, nth) => endsOwnWords(line, lines[nth + 1] ?? ''));
  return withoutGreeting(lines.slice(0, end === -1 ? undefined : end).join('\n'));
}

const isQuoted = (line: string | undefined): boolean => line?.startsWith('>') === true;

/** Drops quoted lines, and the line that introduces them. */
function withoutQuotations(lines: string[]): string[] {
  return lines.filter((line, nth) => {
    const next = lines[nth + 1] === '' ? lines[nth + 2] : lines[nth + 1];
    return !isQuoted(line) && !(/[:：]$/u.test(line) && isQuoted(next));
  });
}

const endsOwnWords = (line: string, next: string): boolean =>
  [DIVIDER, SIGNATURE, SIGN_OFF, SENT_FROM].some((pattern) => pattern.test(line)) ||
  isAttribution(line) ||
  (FROM.test(line) && /^[*\p{L}\s]{1,20}[:：]/u.test(next));

const isAttribution = (line: string): boolean => /[:：]$/u.test(line) && /\d/.test(line) && WROTE.test(line);

function withoutGreeting(text: string): string {
  let left = text;
  for (let greetings = 0; greetings < MAX_GREETINGS; greetings++) {
    const [hello] = GREETING.exec(left) ?? [];
    if (hello === undefined) return left;
    const after = left.slice(hello.length);
    const [greeted] = GREETED.exec(after) ?? [];
    if (greeted === undefined) return left;
    left = after.slice(greeted.length);
  }
  return left;
}
