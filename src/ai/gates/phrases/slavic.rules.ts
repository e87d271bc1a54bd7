import type { LanguagePhrases } from './phrases.rules.ts';

export const pl: LanguagePhrases = {
  person: `
    porozmawiać z człowiekiem | rozmawiać z człowiekiem | porozmawiać z konsultantem | rozmawiać z konsultantem
    porozmawiać z kimś | rozmawiać z kimś | porozmawiać z osobą | z prawdziwym człowiekiem | prawdziwą osobą
    połącz mnie | połączcie mnie | proszę o konsultanta | z pracownikiem | konsultanta proszę`,
  not: 'nie | bez | nigdy',
  thanks: `
    dzięki | dziękuję | dziękuje | dziękuję bardzo | super | świetnie | ok | okej | dobrze | idealnie | bardzo
    wielkie`,
  solved: 'już działa | teraz działa | problem rozwiązany | rozwiązało | udało się | pomogło',
  sentences: {
    handing_off: 'Łączę z naszym zespołem. Odpowiedź pojawi się tutaj.',
    found: 'Oto, co udało się znaleźć:',
    may_help: 'Te strony mogą pomóc:',
    not_found: 'Nie udało się znaleźć odpowiedzi na to pytanie.',
    ask_details: 'Czy można prosić o nieco więcej szczegółów?',
    unreadable: 'Nie mogę odczytać tego załącznika. Zajmie się nim ktoś z naszego zespołu.',
    prohibited_topic: 'Nie mogę w tym pomóc. Odpowie tutaj ktoś z naszego zespołu.',
    failed: 'Coś poszło nie tak po naszej stronie. Odpowie tutaj ktoś z naszego zespołu.',
  },
};

export const cs: LanguagePhrases = {
  person: `
    mluvit s člověkem | mluvit s někým | mluvit s operátorem | mluvit s pracovníkem | mluvit s osobou
    promluvit s člověkem | promluvit s někým | skutečným člověkem | živým člověkem | spojte mě | přepojte mě
    operátora prosím | člověka prosím | s podporou mluvit`,
  not: 'ne | nechci | bez | nikdy | nepotřebuji',
  thanks: `
    díky | děkuji | děkuju | díky moc | moc děkuji | super | skvělé | ok | dobře | výborně | moc | mockrát`,
  solved: 'už to funguje | teď to funguje | problém vyřešen | je to vyřešené | pomohlo to | vyřešilo se',
  sentences: {
    handing_off: 'Spojuji vás s naším týmem. Odpověď přijde sem.',
    found: 'Toto se podařilo najít:',
    may_help: 'Tyto stránky mohou pomoci:',
    not_found: 'Odpověď na toto se nepodařilo najít.',
    ask_details: 'Můžete prosím upřesnit, co potřebujete?',
    unreadable: 'Tuto přílohu nemohu přečíst. Podívá se na ni někdo z našeho týmu.',
    prohibited_topic: 'S tímto nemohu pomoci. Odpoví vám zde někdo z našeho týmu.',
    failed: 'Na naší straně se něco pokazilo. Odpoví vám zde někdo z našeho týmu.',
  },
};

export const sk: LanguagePhrases = {
  person: `
    hovoriť s človekom | hovoriť s niekým | hovoriť s operátorom | hovoriť s pracovníkom | rozprávať s človekom
    rozprávať s niekým | skutočným človekom | živým človekom | spojte ma | prepojte ma | operátora prosím`,
  not: 'nie | nechcem | bez | nikdy | nepotrebujem',
  thanks: 'ďakujem | vďaka | ďakujem pekne | super | skvelé | ok | dobre | výborne | veľmi pekne',
  solved: 'už to funguje | teraz to funguje | problém vyriešený | je to vyriešené | pomohlo to',
  sentences: {
    handing_off: 'Spájam vás s naším tímom. Odpoveď príde sem.',
    found: 'Toto sa podarilo nájsť:',
    may_help: 'Tieto stránky môžu pomôcť:',
    not_found: 'Odpoveď na toto sa nepodarilo nájsť.',
    ask_details: 'Môžete prosím upresniť, čo potrebujete?',
    unreadable: 'Túto prílohu neviem prečítať. Pozrie sa na ňu niekto z nášho tímu.',
    prohibited_topic: 'S týmto neviem pomôcť. Odpovie vám tu niekto z nášho tímu.',
    failed: 'Na našej strane sa niečo pokazilo. Odpovie vám tu niekto z nášho tímu.',
  },
};

export const ru: LanguagePhrases = {
  person: `
    поговорить с человеком | поговорить с оператором | поговорить с кем | поговорить с сотрудником
    поговорить с менеджером | говорить с человеком | соедините с | соедините меня | переключите на
    позовите оператора | живой человек | живым человеком | реальным человеком | нужен оператор
    оператора пожалуйста | связаться с оператором`,
  not: 'не | без | никогда',
  thanks: `
    спасибо | большое спасибо | благодарю | отлично | супер | ок | окей | хорошо | понятно | ясно | огромное`,
  solved: `
    теперь работает | все работает | всё работает | проблема решена | помогло | вопрос решен | получилось`,
  sentences: {
    handing_off: 'Соединяю вас с нашей командой. Ответ придёт сюда.',
    found: 'Вот что удалось найти:',
    may_help: 'Эти страницы могут помочь:',
    not_found: 'Ответа на этот вопрос найти не удалось.',
    ask_details: 'Расскажите, пожалуйста, чуть подробнее, что вам нужно.',
    unreadable: 'Я не могу прочитать это вложение. Его посмотрит кто-то из нашей команды.',
    prohibited_topic: 'С этим я не могу помочь. Вам ответит здесь кто-то из нашей команды.',
    failed: 'У нас что-то пошло не так. Вам ответит здесь кто-то из нашей команды.',
  },
};

export const uk: LanguagePhrases = {
  person: `
    поговорити з людиною | поговорити з оператором | поговорити з кимось | поговорити з працівником
    говорити з людиною | з’єднайте | зєднайте мене | жива людина | живою людиною | реальною людиною
    потрібен оператор | оператора будь ласка | зв’язатися з оператором`,
  not: 'не | без | ніколи',
  thanks: 'дякую | щиро дякую | велике дякую | чудово | супер | ок | добре | зрозуміло | дуже',
  solved: 'тепер працює | все працює | проблему вирішено | допомогло | вирішено',
  sentences: {
    handing_off: 'З’єдную вас із нашою командою. Відповідь надійде сюди.',
    found: 'Ось що вдалося знайти:',
    may_help: 'Ці сторінки можуть допомогти:',
    not_found: 'Відповіді на це знайти не вдалося.',
    ask_details: 'Розкажіть, будь ласка, трохи докладніше, що вам потрібно.',
    unreadable: 'Я не можу прочитати це вкладення. Його перегляне хтось із нашої команди.',
    prohibited_topic: 'Із цим я не можу допомогти. Вам відповість тут хтось із нашої команди.',
    failed: 'У нас щось пішло не так. Вам відповість тут хтось із нашої команди.',
  },
};
