import { asksForPerson } from '../../src/recognition/recognition.rules.ts';
import { LANGUAGES_WITH_PHRASES } from '../../src/recognition/sentences.rules.ts';

/** Five messages of each language that ask for a person, and five that do not. */
const MESSAGES: Record<string, { asks: string[]; others: string[] }> = {
  en: {
    asks: [
      'I want to talk to a human',
      'Can I speak with a real person, please?',
      'AGENT PLEASE!',
      'Connect me to an agent',
      'this is not helpful I want to talk to someone',
    ],
    others: [
      'Is your humanity real?',
      'No human was there when I arrived',
      'Do I need an agent to sell my house?',
      "I don't want to talk to a person",
      'How do I add a person to my account?',
    ],
  },
  de: {
    asks: [
      'Ich möchte mit einem Menschen sprechen',
      'Kann ich bitte mit einem echten Mitarbeiter reden?',
      'Verbinden Sie mich mit einem Berater',
      'Mitarbeiter bitte',
      'Nein, ich will mit jemandem sprechen!',
    ],
    others: [
      'Ich will nicht mit einem Menschen sprechen',
      'Wie füge ich einen Mitarbeiter hinzu?',
      'Wie viele Menschen arbeiten bei euch?',
      'Kostet eine zweite Person extra?',
      'Ich spreche kein Englisch',
    ],
  },
  fr: {
    asks: [
      'Je veux parler à un humain',
      'Puis-je parler à un conseiller ?',
      'Passez-moi un conseiller',
      'Un conseiller s’il vous plaît',
      'je voudrais parler avec une vraie personne',
    ],
    others: [
      'Je ne veux pas parler à un humain',
      'Comment devenir conseiller ?',
      'Combien de personnes par chambre ?',
      'Quels sont les droits humains ?',
      'Sans parler à un agent, puis-je annuler ?',
    ],
  },
  es: {
    asks: [
      'Quiero hablar con una persona',
      '¿Puedo hablar con un agente?',
      'Páseme con un operador',
      'Agente, por favor',
      'necesito hablar con alguien real',
    ],
    others: [
      'No quiero hablar con una persona',
      '¿Cuántas personas caben en la habitación?',
      '¿Cómo añado un agente a mi cuenta?',
      '¿Qué son los recursos humanos?',
      'Hablo español',
    ],
  },
  it: {
    asks: [
      'Voglio parlare con un operatore',
      'Posso parlare con una persona reale?',
      'Mi passi un operatore',
      'Operatore per favore',
      'Vorrei parlare con qualcuno',
    ],
    others: [
      'Non voglio parlare con un operatore',
      'Quante persone possono entrare?',
      'Come aggiungo un operatore?',
      'Parlate italiano?',
      'Posso annullare senza parlare con un operatore?',
    ],
  },
  pt: {
    asks: [
      'Quero falar com um atendente',
      'Posso falar com uma pessoa?',
      'Me transfira para um atendente',
      'Atendente, por favor',
      'gostaria de falar com alguém',
    ],
    others: [
      'Não quero falar com um atendente',
      'Quantas pessoas cabem no quarto?',
      'Como adiciono um agente?',
      'Falo português',
      'O que são recursos humanos?',
    ],
  },
  nl: {
    asks: [
      'Ik wil met een mens praten',
      'Kan ik een medewerker spreken? Ik wil met een medewerker spreken',
      'Verbind me met een medewerker',
      'Medewerker alstublieft',
      'ik wil graag iemand, met een echt persoon praten',
    ],
    others: [
      'Ik wil niet met een mens praten',
      'Hoe voeg ik een medewerker toe?',
      'Hoeveel mensen passen erin?',
      'Wat kost een extra persoon?',
      'Ik spreek geen Engels',
    ],
  },
  pl: {
    asks: [
      'Chcę porozmawiać z człowiekiem',
      'Czy mogę rozmawiać z konsultantem?',
      'Proszę połączyć mnie z konsultantem',
      'Konsultant proszę',
      'chce rozmawiac z zywym czlowiekiem',
    ],
    others: [
      'Nie chcę rozmawiać z człowiekiem',
      'Ile osób zmieści się w pokoju?',
      'Jak dodać pracownika?',
      'Czy mówicie po polsku?',
      'Co to są prawa człowieka?',
    ],
  },
  sv: {
    asks: [
      'Jag vill prata med en människa',
      'Kan jag få tala med en handläggare?',
      'Koppla mig till kundtjänst',
      'Handläggare tack',
      'vill prata med någon',
    ],
    others: [
      'Jag vill inte prata med en människa',
      'Hur lägger jag till en medarbetare?',
      'Hur många personer får plats?',
      'Vad är mänskliga rättigheter?',
      'Kostar en extra person mer?',
    ],
  },
  da: {
    asks: [
      'Jeg vil gerne tale med et menneske',
      'Kan jeg snakke med en medarbejder?',
      'Stil mig om til kundeservice',
      'Medarbejder, tak',
      'jeg vil snakke med nogen',
    ],
    others: [
      'Jeg vil ikke tale med et menneske',
      'Hvordan tilføjer jeg en medarbejder?',
      'Hvor mange personer er der plads til?',
      'Hvad er menneskerettigheder?',
      'Koster en ekstra person mere?',
    ],
  },
  no: {
    asks: [
      'Jeg vil snakke med et menneske',
      'Kan jeg få prate med en kundebehandler?',
      'Sett meg over til kundeservice',
      'Kundebehandler, takk',
      'jeg vil snakke med noen',
    ],
    others: [
      'Jeg vil ikke snakke med et menneske',
      'Hvordan legger jeg til en medarbeider?',
      'Hvor mange personer er det plass til?',
      'Hva er menneskerettigheter?',
      'Koster en ekstra person mer?',
    ],
  },
  fi: {
    asks: [
      'Haluan puhua ihmisen kanssa',
      'Voinko jutella asiakaspalvelijan kanssa?',
      'Yhdistä minut asiakaspalveluun',
      'Asiakaspalvelija, kiitos',
      'haluan puhua oikealle ihmiselle',
    ],
    others: [
      'En halua puhua ihmisen kanssa',
      'Montako ihmistä huoneeseen mahtuu?',
      'Miten lisään käyttäjän?',
      'Puhutteko suomea?',
      'Mitä ihmisoikeudet ovat?',
    ],
  },
  cs: {
    asks: [
      'Chci mluvit s člověkem',
      'Mohu mluvit s operátorem?',
      'Přepojte mě na operátora',
      'Operátor prosím',
      'chtěl bych mluvit s někým',
    ],
    others: [
      'Nechci mluvit s člověkem',
      'Kolik lidí se vejde do pokoje?',
      'Jak přidám pracovníka?',
      'Mluvíte česky?',
      'Co jsou lidská práva?',
    ],
  },
  tr: {
    asks: [
      'Bir insanla konuşmak istiyorum',
      'Müşteri temsilcisiyle görüşebilir miyim?',
      'Beni temsilciye bağlayın',
      'Temsilci lütfen',
      'canlı destek istiyorum',
    ],
    others: [
      'Bir insanla konuşmak istemiyorum',
      'Odaya kaç kişi sığar?',
      'Nasıl temsilci olurum?',
      'Türkçe konuşuyor musunuz?',
      'İnsan hakları nedir?',
    ],
  },
  ru: {
    asks: [
      'Хочу поговорить с человеком',
      'Можно поговорить с оператором?',
      'Соедините меня с оператором',
      'Оператор, пожалуйста',
      'позовите живого человека',
    ],
    others: [
      'Я не хочу говорить с человеком',
      'Сколько человек помещается в номер?',
      'Как добавить сотрудника?',
      'Вы говорите по-русски?',
      'Что такое права человека?',
    ],
  },
  ar: {
    asks: [
      'أريد التحدث مع شخص',
      'هل يمكنني التحدث إلى موظف؟',
      'حولني إلى موظف',
      'موظف من فضلك',
      'أريد أن أتحدث مع شخص حقيقي',
    ],
    others: [
      'لا أريد التحدث مع شخص',
      'كم شخصا تتسع الغرفة؟',
      'كيف أضيف موظفا؟',
      'هل تتحدثون العربية؟',
      'ما هي حقوق الإنسان؟',
    ],
  },
  he: {
    asks: ['אני רוצה לדבר עם נציג', 'אפשר לדבר עם בן אדם?', 'תעבירו אותי לנציג', 'נציג בבקשה', 'אפשר מענה אנושי'],
    others: [
      'אני לא רוצה לדבר עם נציג',
      'כמה אנשים נכנסים לחדר?',
      'איך מוסיפים עובד?',
      'אתם מדברים עברית?',
      'מה הן זכויות אדם?',
    ],
  },
  hi: {
    asks: [
      'मुझे इंसान से बात करनी है',
      'क्या मैं किसी एजेंट से बात कर सकता हूँ?',
      'मुझे एक इंसान चाहिए',
      'एजेंट कृपया',
      'किसी व्यक्ति से बात कराइए',
    ],
    others: [
      'मुझे इंसान से बात नहीं करनी',
      'कमरे में कितने लोग रह सकते हैं?',
      'मैं कर्मचारी कैसे जोड़ूँ?',
      'क्या आप हिंदी बोलते हैं?',
      'मानव अधिकार क्या हैं?',
    ],
  },
  ja: {
    asks: [
      '人と話したいです',
      '担当者に代わってください',
      'オペレーターにつないでください',
      'オペレーターお願いします',
      '有人対応を希望します',
    ],
    others: [
      '人と話したくないです',
      '何人まで泊まれますか？',
      '担当者を追加する方法は？',
      '日本語は話せますか',
      '人気の商品はどれですか',
    ],
  },
  ko: {
    asks: [
      '사람과 이야기하고 싶어요',
      '상담원과 통화할 수 있나요?',
      '상담원 연결해 주세요',
      '상담원 부탁드려요',
      '직원이랑 얘기하고 싶습니다',
    ],
    others: [
      '사람과 이야기하고 싶지 않아요',
      '몇 사람까지 가능한가요?',
      '직원을 어떻게 추가하나요?',
      '한국어 하세요?',
      '인기 상품이 뭐예요?',
    ],
  },
  zh: {
    asks: ['我想和真人说话', '转人工', '请帮我转接人工客服', '人工客服', '我要找客服人员'],
    others: ['我不想和真人说话', '一个房间可以住几个人？', '怎么添加员工？', '你会说中文吗？', '人工智能是什么？'],
  },
};

const ROWS = Object.entries(MESSAGES).flatMap(([language, { asks, others }]) =>
  [asks.map((text) => [language, true, text]), others.map((text) => [language, false, text])].flat(),
) as [string, boolean, string][];

describe('a wish for a person', () => {
  it('has five messages that match and five that do not, in each language', () => {
    for (const { asks, others } of Object.values(MESSAGES)) expect([asks.length, others.length]).toEqual([5, 5]);
  });

  it.each(ROWS)('in %s is found (%s): %s', (language, isFound, text) => {
    expect(asksForPerson(text, language)).toBe(isFound);
    expect(asksForPerson(text, 'en', LANGUAGES_WITH_PHRASES)).toBe(isFound);
  });

  it.each([
    ['pt-BR', 'quero falar com um atendente'],
    ['nb', 'jeg vil snakke med et menneske'],
    ['xx', 'I want to speak to a human'],
    [null, 'human please'],
    ['ja', 'I want to talk to an agent'],
    ['uk', 'Хочу поговорити з людиною'],
    ['bg', 'Искам да говоря с човек'],
    ['el', 'Θέλω να μιλήσω με έναν άνθρωπο'],
    ['hu', 'Egy ügyintézővel szeretnék beszélni'],
    ['ro', 'Vreau să vorbesc cu un operator'],
    ['sk', 'Chcem hovoriť s operátorom'],
    ['hr', 'Želim razgovarati s osobom'],
    ['fa', 'می‌خواهم با یک انسان صحبت کنم'],
    ['id', 'Saya ingin bicara dengan manusia'],
    ['vi', 'Tôi muốn nói chuyện với nhân viên'],
    ['th', 'อยากคุยกับเจ้าหน้าที่ค่ะ'],
  ])('is found in %s: %s', (language, text) => {
    expect(asksForPerson(text, language)).toBe(true);
  });

  it.each([
    ['en', 'I want a human readable export'],
    ['en', 'Can I get a person added to my booking?'],
    ['de', 'Ich möchte einen Mitarbeiter anlegen'],
    ['es', 'Quiero un agente de viajes'],
    ['fr', 'Je voudrais un conseiller immobilier'],
    ['it', 'Vorrei un operatore turistico'],
    ['pl', 'Potrzebuję pracownika do biura'],
    ['zh', '我在找人工作'],
  ])('is not the name of such a person with more words after it, in %s: %s', (language, text) => {
    expect(asksForPerson(text, language)).toBe(false);
  });

  it('is not turned around by a negation of another clause', () => {
    expect(asksForPerson('No, I want to speak to a person.', 'en')).toBe(true);
    expect(asksForPerson('It does not work. Connect me to a human', 'en')).toBe(true);
  });
});
