/**
 * Words that people use in questions about anything, in addition to the stop words of the database: to want, to need, to
 * get, how long. A small index has few of them, so they would look rare. Lower case, without marks.
 */
const WORDS: Record<string, string> = {
  ca: 'vull voldria necessito tinc fer faig puc quant quanta molt temps gracies hola ajuda problema pregunta',
  cs: 'chci chtel chtela potrebuji mohu muzu muze dostat udelat delat kolik dlouho jak kdy kde jeste uz take prosim dekuji dobry den pomoc dotaz',
  da: 'vil gerne brug behov fa far gor gore tager tage lang laenge meget mange hvordan stadig altid ogsa hjaelp tak hej sporgsmal muligt',
  de: 'mochte mochten brauche brauchen braucht bekomme bekommen bekommt kriege kriegen machen mache macht geht gehen gibt geben nehmen nimmt komme kommen kommt weiss sagen lange lang oft viel viele schon immer noch bitte danke hallo hilfe frage moglich passiert',
  el: 'θελω χρειαζομαι μπορω κανω παρω ποσο ποσος πολυ καιρο ευχαριστω παρακαλω γεια βοηθεια ερωτηση',
  en: 'want wants wanted need needs needed get gets got getting take takes took make makes made like know go goes going come comes came see tell say said give put let use way thing things something anything someone anyone still long much many often soon already always also even maybe please thanks thank hello hi help question possible happens happen cant wont dont doesnt isnt whats wheres hows im ive',
  es: 'quiero quisiera necesito tener tengo hacer hago hace puedo puede poder podria puedes conseguir obtener cuanto cuanta cuantos cuantas tiempo tarda tardan mucho muchos dar poner pongo pasa decir saber ver ir voy siempre todavia favor gracias hola ayuda pregunta posible',
  fi: 'haluan haluaisin tarvitsen saan saada voin voinko tehda teen menee kestaa kauan paljon usein viela kiitos hei apua kysymys miten',
  fr: 'veux voudrais besoin avoir faire fait fais peux peut pouvoir obtenir recevoir combien temps longtemps prendre prend beaucoup mettre donner dire savoir voir aller vais encore deja toujours aussi merci bonjour aide question possible passe',
  hr: 'zelim trebam treba dobiti mogu moze napraviti koliko dugo jos vec uvijek molim hvala bok pomoc pitanje',
  hu: 'szeretnek szeretnem kell kapni kapok tudok lehet csinalni mennyi mennyit meddig sokaig meg mindig kerem koszonom szia segitseg kerdes',
  id: 'ingin mau butuh perlu dapat dapatkan bisa buat berapa lama banyak masih selalu tolong terima kasih halo bantuan pertanyaan',
  it: 'voglio vorrei bisogno avere fare faccio posso puo potrei ottenere quanto quanta quanti tempo molto prendere prende mettere dare dire sapere vedere andare ancora gia sempre anche grazie ciao aiuto domanda possibile succede',
  nl: 'wil willen graag nodig krijg krijgen doen maken maak gaat gaan kom komt nemen neemt duurt lang veel vaak nog altijd ook bedankt hallo hulp vraag mogelijk gebeurt weten zien zeggen',
  no: 'vil gjerne trenger fa far gjore gjor tar lang lenge mye mange hvordan fortsatt alltid ogsa hjelp takk hei sporsmal mulig',
  pl: 'chce chcialbym chcialabym potrzebuje moge mozna mozemy dostac zrobic robic ile dlugo jak kiedy gdzie czy jeszcze juz zawsze tez prosze dziekuje czesc dzien dobry pomoc pytanie mozliwe jest sa sie mam macie',
  pt: 'quero queria gostaria preciso ter tenho fazer faco posso pode poder conseguir obter quanto quanta quantos tempo demora muito dar por dizer saber ver ir vou ainda sempre tambem favor obrigado obrigada ola ajuda pergunta possivel acontece',
  ro: 'vreau doresc nevoie am face fac pot poate obtine cat cata timp dureaza mult inca mereu multumesc buna ajutor intrebare posibil',
  ru: 'хочу хотел хотела нужно надо получить сделать делать могу можно сколько долго время много еще уже всегда пожалуйста спасибо привет помощь вопрос',
  sk: 'chcem potrebujem mozem moze dostat urobit kolko dlho ako kedy kde este uz prosim dakujem dobry den pomoc otazka',
  sv: 'vill behover fa far gora gor tar lang lange mycket manga hur fortfarande alltid ocksa hjalp tack hej fraga mojligt',
  tr: 'istiyorum ihtiyacim lazim almak yapmak yapabilirim olur kac kadar uzun zaman hala her lutfen tesekkurler merhaba yardim soru mumkun nasil',
  uk: 'хочу потрібно треба отримати зробити робити можу можна скільки довго час багато ще вже завжди будь ласка дякую привіт допомога питання',
};

const byLanguage = new Map(Object.entries(WORDS).map(([language, words]) => [language, new Set(words.split(' '))]));

/** Returns a word as it is listed here. */
const folded = (word: string): string => word.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

/** Returns whether a word is common in questions of any of the languages. */
export const isCommonWord = (word: string, languages: Iterable<string>): boolean =>
  [...languages].some((language) => byLanguage.get(language)?.has(folded(word)) === true);
