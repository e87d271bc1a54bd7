/** Claims of the speaker to have done something for the customer, by language. */
const DEEDS: Readonly<Record<string, RegExp>> = {
  en: /\b(?:i|we)(?:['’]ve|\s+have|\s+just|\s+already|\s+went)\s+(?:now\s+|just\s+|already\s+|successfully\s+|also\s+)*\p{L}{2,}|\b(?:i|we)\s+(?:successfully\s+)?(?:cancel|refund|book|chang|updat|creat|process|issu|schedul|resett?|remov|add|delet|approv|submitt|initiat|complet|confirm|activat|upgrad|transferr?)(?:l?ed|ed)\b|\b(?:i|we)\s+(?:sent|made|set|put|did|took)\b|\b(?:has|have)\s+been\s+(?:successfully\s+)?(?:cancel|refund|book|chang|updat|creat|process|issu|schedul|reset|remov|add|delet|approv|submitt|initiat|complet|confirm|activat|upgrad|transferr?|sent)(?:l?ed|ed)?\b/iu,
  de: /\b(?:ich|wir)\s+(?:habe|haben|hab)\b|\b(?:habe|haben)\s+(?:ich|wir)\b|\bwurden?\s+(?:\p{L}+\s+){0,4}(?:storniert|erstattet|gebucht|geändert|aktualisiert|erstellt|gelöscht|bestätigt|gesendet|versendet|veranlasst)\b/iu,
  fr: /\bj['’]ai\s+(?:bien\s+|déjà\s+)?\p{L}{3,}|\bnous\s+avons\s+(?:bien\s+|déjà\s+)?\p{L}{3,}|\ba\s+(?:bien\s+)?été\s+\p{L}{4,}/iu,
  es: /\b(?:he|hemos)\s+\p{L}{3,}(?:do|to|cho)\b|\bha\s+sido\s+\p{L}{4,}|\b(?:cancelé|reembolsé|reservé|cambié|actualicé|envié)(?!\p{L})/iu,
  it: /\b(?:ho|abbiamo)\s+(?:già\s+)?\p{L}{3,}(?:to|so|tto)\b|\bè\s+stat[oa]\s+\p{L}{4,}/iu,
  pt: /\b(?:cancelei|reembolsei|reservei|alterei|atualizei|enviei|criei|processei|fiz)\b|\b(?:cancelamos|reembolsamos|reservamos|alteramos|atualizamos|enviamos)\b|\bfoi\s+(?:cancelad|reembolsad|reservad|alterad|atualizad|enviad|criad|processad)[oa]\b/iu,
  nl: /\b(?:ik|we|wij)\s+(?:heb|hebben)\b|\b(?:heb|hebben)\s+(?:ik|we|wij)\b|\bis\s+(?:\p{L}+\s+){0,3}(?:geannuleerd|terugbetaald|geboekt|gewijzigd|bijgewerkt|verzonden|aangemaakt)\b/iu,
  pl: /\b(?:anulowałe?a?m|zwróciłe?a?m|zarezerwowałe?a?m|zmieniłe?a?m|zaktualizowałe?a?m|wysłałe?a?m|utworzyłe?a?m)(?!\p{L})|\bzostał[aoy]?\s+\p{L}{4,}/iu,
};

/** Returns whether a text claims a deed. Only a receipt can prove one. Looks in the text's language and in English. */
export const claimsDeed = (text: string, language: string): boolean =>
  [language, 'en'].some((code) => DEEDS[code]?.test(text.slice(0, 4_000)) === true);
