const GREETING =
  /^[\s¡¿*]*(?:hi|hiya|hey|hello|dear|greetings|good (?:morning|afternoon|evening|day)|hallo|moin|servus|guten (?:morgen|tag|abend)|grüß gott|sehr geehrter?|liebe[rs]?|bonjour|bonsoir|salut|coucou|chère?s?|hola|buen(?:os|as) (?:días|tardes|noches)|estimad[oa]s?|ciao|salve|buongiorno|buonasera|gentile|olá|oi|bom dia|boa (?:tarde|noite)|prezad[oa]s?|hoi|goede(?:morgen|middag|navond|ndag)|beste|geachte|cześć|hej|dzień dobry|witam|szanowni|hejsan|god (?:morgen|morgon|dag|kveld|kväll|aften)|kære|kjære|moi|hei|terve|päivää|ahoj|dobrý den|dobré ráno|zdravím|szia|sziasztok|jó napot|tisztelt|bună(?: ziua)?|merhaba|selam|iyi günler|günaydın|sayın|γεια(?: σας| σου)?|καλημέρα|καλησπέρα|привет|здравствуйте|добрый (?:день|вечер)|доброе утро|привіт|вітаю|добрий день|здравейте|добър ден|שלום|היי|בוקר טוב|ערב טוב|السلام عليكم|مرحب[اًا]+|أهلا|صباح الخير|مساء الخير|سلام|नमस्ते|नमस्कार|こんにちは|こんばんは|おはようございます|はじめまして|お世話になっております|안녕하세요|안녕|你好|您好|大家好|早上好|下午好|halo|selamat (?:pagi|siang|sore|malam)|xin chào|chào|สวัสดี(?:ครับ|ค่ะ)?)(?![\p{L}\p{M}\p{N}])/iu;
/** The people greeted: names, or words for people. After it the greeting ends. */
const GREETED =
  /^(?:[^\S\n]+(?:there|all|everyone|everybody|folks|guys|team|support|again|or|and|zusammen|leute|nochmal|und|oder|à tous|a todos|tutti|allemaal|\p{Lu}[\p{L}\p{M}.'’-]*)){0,4}[^\S\n]*(?:[,!.:;،，。！、…]+|\n|$)/u;
const MAX_GREETINGS = 2;

/** Returns a text without the greetings at its beginning. */
export function withoutGreeting(text: string): string {
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
