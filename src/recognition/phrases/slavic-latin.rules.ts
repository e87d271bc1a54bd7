import type { LanguagePhrases } from './phrases.rules.ts';

export const pl: LanguagePhrases = {
  person: `
    (porozmawiać|rozmawiać|pogadać|pomówić|mówić|porozmawiam|rozmowa|rozmowę|rozmowy|kontakt|czatować) z ?(kimś|jakimś|żywym|prawdziwym|innym|waszym|państwa|prawdziwą) ?(żywym|prawdziwym) (człowiekiem|osobą|konsultantem|konsultantką|pracownikiem|agentem|kimś|operatorem|doradcą|przedstawicielem|obsługą|biurem obsługi)
    porozmawiać z kimś
    (połącz|połączcie|przełącz|przełączcie|proszę połączyć|proszę przełączyć|przekieruj|połączyć|przekierować) ?(mnie|nas) ?(proszę) (z|do|na) ?(żywym|prawdziwym) (człowiekiem|konsultantem|konsultantką|pracownikiem|agentem|kimś|operatorem|doradcą|osobą|konsultanta|człowieka|obsługą klienta|operatora)
    (chcę|potrzebuję|żądam|poproszę|proszę o) (człowieka|konsultanta|żywego człowieka|prawdziwego człowieka|kontakt z człowiekiem|kontakt z konsultantem|prawdziwą osobę|pracownika) ?(proszę|teraz) $
    czy jest (tu|tam) ?(jakiś) (człowiek|konsultant|żywy człowiek)`,
  personAlone: `?(żywy|prawdziwy) (człowiek|konsultant|konsultanta|człowieka|operator|agent|doradca); prawdziwa osoba`,
  notBefore: `nie ?(chcę|muszę|potrzebuję|zamierzam|trzeba|chciałbym|chciałabym|chciałem|lubię) ?(już|wcale); bez ?(konieczności|potrzeby); zamiast; nigdy; nie`,
  notAfter: `nie (jest|trzeba|potrzebuję) ?(potrzebny|potrzebna|konieczny); nie chcę`,
  polite: `proszę; poproszę; dziękuję; dzięki; cześć; witam; dzień dobry; dobry; teraz; z; chcę; bardzo`,
  thanks: `?bardzo (dziękuję|dziękujemy|dzięki|dzieki|dziekuje) ?(bardzo|wielkie|serdecznie|ślicznie|za (pomoc|odpowiedź|informację|informacje|wszystko|szybką odpowiedź)); wielkie dzięki; serdeczne dzięki; ok; okej; okay; dobrze; dobra; super; świetnie; doskonale; rozumiem; jasne; w porządku; idealnie; zrozumiałem; zrozumiałam; zrozumiano; nie dziękuję; to wszystko; miłego dnia; wspaniale; spoko; bardzo dobrze; do widzenia; wzajemnie; pozdrawiam`,
  yes: `tak; tak tak; tak (oczywiście|zgadza się|proszę|jasne|dokładnie|potwierdzam|zgoda); ?tak potwierdzam; potwierdź; potwierdzić; potwierdzone; zgadza się; oczywiście; zgoda; zgadzam się`,
  no: `nie; nie nie; nie (dziękuję|anuluj|chcę|rób tego|potwierdzam|zgadzam się); anuluj; anulować; proszę anulować; lepiej nie; odrzuć; odrzucam; absolutnie nie; rezygnuję`,
  unclear: 'no; no no',
  solved: `(problem|sprawa|wszystko|to|już) ?(został|została|jest|już) (rozwiązany|rozwiązana|rozwiązane|rozwiązało|załatwiona|załatwione|naprawione); (rozwiązało|naprawiło|załatwiło) (to|problem|mój problem|sprawę); (już|teraz) ?(wszystko) (działa|działają|zadziałało); (działa|zadziałało) (już|teraz|dzięki|świetnie); udało się; ^ (rozwiązane|zadziałało|działa) $; to pomogło`,
  notSolved: `nie; nic; nigdy; ale; jednak; nadal; wciąż; dalej; niestety; jeszcze; bez; oprócz; jeśli; jeżeli; kiedy; gdy; dopóki; prawie; ani; jak; aż`,
  sentences: {
    handing_off: 'Łączymy z osobą z naszego zespołu. Odpowiedź pojawi się tutaj.',
    found: 'Oto, co znajduje się na naszych stronach:',
    may_help: 'Te strony mogą pomóc:',
    not_found: 'Nie udało mi się znaleźć odpowiedzi na to pytanie.',
    ask_details: 'Czy można prosić o trochę więcej szczegółów na temat tego, co jest potrzebne?',
    prohibited_topic: 'Nie mogę pomóc w tym temacie. Odpowie tutaj osoba z naszego zespołu.',
    unreadable: 'Nie mogę odczytać tego załącznika. Zajrzy do niego osoba z naszego zespołu.',
    failed: 'Po naszej stronie wystąpił błąd. Odpowie tutaj osoba z naszego zespołu.',
    action_done: 'Gotowe.',
    action_failed: 'Nie udało się tego zrobić. Nic nie zostało zmienione.',
    action_unknown: 'Nie wiemy jeszcze, czy to się udało. Sprawdzi to osoba z naszego zespołu.',
    action_in_progress: 'Pracujemy nad tym. Damy znać tutaj.',
    confirm_question: 'Prosimy o potwierdzenie: {action}',
    confirm_yes_hint: 'Odpowiedz „tak”, aby potwierdzić, lub „nie”, aby anulować.',
    confirmed: 'Dziękujemy, potwierdzono.',
    rejected_confirmation: 'Dobrze, nie zrobimy tego.',
    confirm_button: 'Potwierdź',
    reject_button: 'Anuluj',
    confirmation_expired: 'Ten link wygasł. Nic nie zostało wykonane.',
    identity_required: 'Aby to zrobić, musimy najpierw potwierdzić Twoją tożsamość.',
    budget: 'Nie mogę teraz kontynuować tej rozmowy. Odpowie tutaj osoba z naszego zespołu.',
  },
};

export const cs: LanguagePhrases = {
  person: `
    (mluvit|promluvit|hovořit|bavit se|pobavit se|popovídat si|promluvil|promluvila|komunikovat|chatovat|mluvil|mluvila) ?(si|přímo) (s|se) ?(nějakým|skutečným|živým|opravdovým|jiným|vaším|skutečnou|živou) ?(živým) (člověkem|osobou|operátorem|operátorkou|pracovníkem|zaměstnancem|někým|agentem|poradcem|zástupcem|kolegou|zákaznickou podporou|podporou)
    (přepojte|spojte|přepoj|spoj|propojte|předejte) (mě|mne|nás) ?(prosím) (na|s|se|k) ?(nějakým|živým|skutečným|živého|skutečného|živou) ?(člověkem|člověka|osobou|operátorem|operátora|pracovníkem|pracovníka|někým|agentem|poradcem|podporu|podporou)
    (chci|potřebuji|potřebuju|chtěl bych|chtěla bych|požaduji) ?(nějakého|živého|skutečného|živou) (operátora|člověka|osobu) ?(prosím|teď|hned) $
    je tam (někdo živý|živý člověk|nějaký člověk)`,
  personAlone: `?(živý|skutečný) (člověk|operátor|operátora|člověka|pracovník|agent); živá osoba`,
  notBefore: `(nechci|nepotřebuji|nepotřebuju|nemusím|nechtěl bych|nechtěla bych|nemám zájem|nechtěl|nehodlám) ?(už|teď); bez ?(nutnosti|toho abych); místo ?(abych); nikdy; aniž ?(bych)`,
  notAfter: `(není|nebude) (nutné|potřeba|třeba|nutný); nechci; nepotřebuji; nepotřebuju`,
  polite: `prosím; díky; děkuji; děkuju; ahoj; dobrý den; zdravím; hned; teď; s; chci; moc`,
  thanks: `?(moc|mockrát|velmi) (děkuji|děkuju|děkujeme|díky|dík|dekuji|diky) ?(moc|mnohokrát|vám|ti|za (pomoc|odpověď|informaci|informace|rychlou odpověď|všechno)); ok; okej; okay; dobře; dobrá; super; skvělé; skvěle; výborně; výborné; rozumím; chápu; jasně; jasné; v pořádku; perfektní; paráda; ne (děkuji|děkuju|díky); to je vše; hezký den; fajn; velmi dobře; na shledanou; nápodobně`,
  yes: `ano; jo; ano ano; ano (prosím|souhlasí|jistě|samozřejmě|přesně|souhlasím); ?ano potvrzuji; ?ano potvrzuju; potvrdit; potvrzeno; potvrďte; souhlasí; souhlasím; jistě; samozřejmě`,
  no: `ne; ne ne; nikoliv; nikoli; ne (děkuji|děkuju|díky|zrušit|zrušte|nechci|nepotvrzuji); zrušit; zrušte; raději ne; radši ne; odmítám; odmítnout; nechci; rozhodně ne; nedělejte to`,
  unclear: 'no; no no; no jo',
  solved: `(problém|vše|to|už|věc|otázka) ?(je|byl|byla|se|už|to) ?(je|se) (vyřešen|vyřešený|vyřešeno|vyřešilo|vyřešil|vyřešena|opraveno|zodpovězena); (už|teď|nyní) ?(to|vše|všechno) (funguje|jde|zafungovalo); (funguje|jde) to ?(už|teď|nyní); (to) (pomohlo|zafungovalo|fungovalo); ^ (vyřešeno|funguje|zafungovalo) $; vyřešilo (to|můj problém|problém)`,
  notSolved: `ne; nic; nikdy; ale; však; stále; pořád; bohužel; ještě; bez; kromě; pokud; když; až; dokud; skoro; ani; jak; nefung*; nejde; nepomohlo; nevyřeš*; není; nebyl*; jestli`,
  sentences: {
    handing_off: 'Spojujeme vás s někým z našeho týmu. Odpověď dostanete zde.',
    found: 'Na našich stránkách se píše:',
    may_help: 'Tyto stránky by mohly pomoci:',
    not_found: 'Odpověď na tuto otázku se mi nepodařilo najít.',
    ask_details: 'Můžete prosím trochu upřesnit, co potřebujete?',
    prohibited_topic: 'S tímto tématem nemohu pomoci. Odpoví vám zde někdo z našeho týmu.',
    unreadable: 'Tuto přílohu nemohu přečíst. Podívá se na ni někdo z našeho týmu.',
    failed: 'Na naší straně došlo k chybě. Odpoví vám zde někdo z našeho týmu.',
    action_done: 'Hotovo.',
    action_failed: 'Nepodařilo se to provést. Nic se nezměnilo.',
    action_unknown: 'Zatím nevíme, zda se to podařilo. Někdo z našeho týmu to ověří.',
    action_in_progress: 'Pracujeme na tom. Dáme vám zde vědět.',
    confirm_question: 'Potvrďte prosím: {action}',
    confirm_yes_hint: 'Odpovězte „ano“ pro potvrzení, nebo „ne“ pro zrušení.',
    confirmed: 'Děkujeme, je to potvrzeno.',
    rejected_confirmation: 'Dobře, neprovedeme to.',
    confirm_button: 'Potvrdit',
    reject_button: 'Zrušit',
    confirmation_expired: 'Platnost tohoto odkazu vypršela. Nic nebylo provedeno.',
    identity_required: 'Nejprve musíme ověřit vaši totožnost.',
    budget: 'V tomto rozhovoru teď nemohu pokračovat. Odpoví vám zde někdo z našeho týmu.',
  },
};

export const sk: LanguagePhrases = {
  person: `
    (hovoriť|porozprávať sa|rozprávať sa|rozprávať|porozprávať|hovoril|hovorila|komunikovať|chatovať|baviť sa) ?(sa|priamo) (s|so) ?(nejakým|skutočným|živým|iným|skutočnou|živou) ?(živým) (človekom|osobou|operátorom|operátorkou|pracovníkom|zamestnancom|niekým|agentom|poradcom|zástupcom|kolegom|podporou)
    (prepojte|spojte|prepoj|spoj|presmerujte) (ma|nás) ?(prosím) (na|s|so|k) ?(nejakým|živým|skutočným|živého|živou) ?(človekom|človeka|osobou|operátorom|operátora|pracovníkom|niekým|agentom|poradcom|podporu|podporou)
    (chcem|potrebujem|chcel by som|chcela by som) ?(nejakého|živého|skutočného|živú) (operátora|človeka|osobu) ?(prosím|teraz|hneď) $`,
  personAlone: `?(živý|skutočný) (človek|operátor|operátora|človeka|pracovník|agent); živá osoba`,
  notBefore: `(nechcem|nepotrebujem|nemusím|nechcel by som|nechcela by som|nemám záujem) ?(už|teraz); bez ?(nutnosti|toho aby som); namiesto; nikdy`,
  notAfter: `nie je (nutné|potrebné|treba); nechcem; nepotrebujem; netreba`,
  polite: `prosím; vďaka; ďakujem; ahoj; dobrý deň; zdravím; hneď; teraz; s; so; chcem`,
  thanks: `?(veľmi|veľká|pekne) (ďakujem|ďakujeme|vďaka|dakujem|vdaka) ?(pekne|veľmi|vám|ti|za (pomoc|odpoveď|informáciu|informácie|všetko)); ok; okej; okay; dobre; super; skvelé; skvele; výborne; rozumiem; chápem; jasné; v poriadku; perfektné; paráda; nie (ďakujem|vďaka); to je všetko; pekný deň; fajn; dovidenia; podobne`,
  yes: `áno; hej; áno áno; áno (prosím|súhlasí|iste|samozrejme|presne|súhlasím); ?áno potvrdzujem; potvrdiť; potvrdené; potvrďte; súhlasí; súhlasím; iste; samozrejme`,
  no: `nie; nie nie; nie (ďakujem|vďaka|zrušiť|zrušte|nechcem|nepotvrdzujem); zrušiť; zrušte; radšej nie; odmietam; odmietnuť; nechcem; určite nie; nerobte to`,
  unclear: 'no; no no',
  solved: `(problém|všetko|to|už|vec|otázka) ?(je|bol|bola|sa|už|to) ?(je|sa) (vyriešený|vyriešené|vyriešilo|vyriešil|vyriešená|opravené|zodpovedaná); (už|teraz) ?(to|všetko) (funguje|ide|zafungovalo); (funguje|ide) to ?(už|teraz); (to) (pomohlo|zafungovalo); ^ (vyriešené|funguje|zafungovalo) $; vyriešilo (to|môj problém|problém)`,
  notSolved: `nie; nič; nikdy; ale; však; stále; bohužiaľ; žiaľ; ešte; bez; okrem; ak; keď; kým; skoro; ani; ako; nefung*; nejde; nepomohlo; nevyrieš*; nebol*; či`,
  sentences: {
    handing_off: 'Spájame vás s niekým z nášho tímu. Odpoveď dostanete tu.',
    found: 'Na našich stránkach sa píše:',
    may_help: 'Tieto stránky by mohli pomôcť:',
    not_found: 'Odpoveď na túto otázku sa mi nepodarilo nájsť.',
    ask_details: 'Môžete, prosím, trochu spresniť, čo potrebujete?',
    prohibited_topic: 'S touto témou nemôžem pomôcť. Odpovie vám tu niekto z nášho tímu.',
    unreadable: 'Túto prílohu nemôžem prečítať. Pozrie sa na ňu niekto z nášho tímu.',
    failed: 'Na našej strane nastala chyba. Odpovie vám tu niekto z nášho tímu.',
    action_done: 'Hotovo.',
    action_failed: 'Nepodarilo sa to vykonať. Nič sa nezmenilo.',
    action_unknown: 'Zatiaľ nevieme, či sa to podarilo. Niekto z nášho tímu to overí.',
    action_in_progress: 'Pracujeme na tom. Dáme vám tu vedieť.',
    confirm_question: 'Potvrďte, prosím: {action}',
    confirm_yes_hint: 'Odpovedzte „áno“ na potvrdenie alebo „nie“ na zrušenie.',
    confirmed: 'Ďakujeme, je to potvrdené.',
    rejected_confirmation: 'Dobre, nevykonáme to.',
    confirm_button: 'Potvrdiť',
    reject_button: 'Zrušiť',
    confirmation_expired: 'Platnosť tohto odkazu vypršala. Nič sa nevykonalo.',
    identity_required: 'Najprv musíme overiť vašu totožnosť.',
    budget: 'V tomto rozhovore teraz nemôžem pokračovať. Odpovie vám tu niekto z nášho tímu.',
  },
};

export const hr: LanguagePhrases = {
  person: `
    (razgovarati|pričati|popričati|porazgovarati|razgovarao|razgovarala|razgovaram) ?(izravno|direktno) (s|sa) ?(nekom|stvarnom|pravom|živom|nekim|stvarnim|pravim|živim) (osobom|čovjekom|operaterom|agentom|djelatnikom|zaposlenikom|predstavnikom|nekim|podrškom)
    razgovarati (s|sa) (nekim|osobom|čovjekom|operaterom|agentom)
    (spojite|prebacite|spoji|prebaci|povežite) (me|nas) ?(molim) (s|sa|na) ?(osobom|čovjekom|operaterom|operatera|agentom|agenta|nekim|djelatnikom|stvarnom osobom|stvarnu osobu|pravom osobom)
    (želim|trebam|hoću|htio bih|htjela bih) ?(stvarnu|pravu|živu|pravog) (operatera|osobu|čovjeka) ?(molim|sada|odmah) $`,
  personAlone: `?(stvarna|prava|živa) osoba; operater; operatera; agent; agenta; pravi čovjek`,
  notBefore: `ne ?(želim|trebam|moram|bih želio|bih željela|namjeravam); (neću|nemam potrebu) ?(više); bez ?(potrebe); umjesto; nikad; nikada; ne`,
  notAfter: `nije (potrebno|nužno|potreban); ne želim; ne trebam`,
  polite: `molim; molim vas; hvala; bok; dobar dan; sada; odmah; s; sa; želim`,
  thanks: `?(puno|najljepša|velika) hvala ?(puno|lijepa|lijepo|vam|ti|na (pomoći|odgovoru|informaciji)); zahvaljujem ?(se); ok; okej; u redu; dobro; super; odlično; savršeno; razumijem; shvaćam; jasno; izvrsno; ne hvala; to je sve; može; vrlo dobro; ugodan dan; doviđenja`,
  yes: `da; da da; da (molim|točno|naravno|slažem se|potvrđujem|svakako); ?da potvrđujem; potvrdi; potvrditi; potvrđeno; točno; naravno; slažem se; svakako`,
  no: `ne; ne ne; ne (hvala|otkaži|otkažite|želim|potvrđujem); otkaži; otkažite; otkazati; odustajem; odbijam; bolje ne; nikako; nemojte`,
  solved: `(problem|sve|to|pitanje) ?(je|se) ?(sada|već) (riješen|riješeno|riješio|riješilo|popravljeno|odgovoreno); (sada|sad) ?(sve) (radi|funkcionira); (radi|funkcionira) (sada|sad|opet); (upalilo|uspjelo|pomoglo) je; to je (upalilo|uspjelo|pomoglo|riješilo); ^ (riješeno|radi) $`,
  notSolved: `ne; ništa; nikad; nikada; ali; ipak; još; nažalost; bez; osim; ako; kad; kada; dok; skoro; ni; kako; nije; nisam; nisu; možda`,
  sentences: {
    handing_off: 'Povezujemo vas s nekim iz našeg tima. Odgovor ćete dobiti ovdje.',
    found: 'Na našim stranicama piše:',
    may_help: 'Ove bi stranice mogle pomoći:',
    not_found: 'Nisam uspio pronaći odgovor na ovo pitanje.',
    ask_details: 'Možete li malo pobliže opisati što trebate?',
    prohibited_topic: 'Ne mogu pomoći s ovom temom. Ovdje će vam odgovoriti netko iz našeg tima.',
    unreadable: 'Ne mogu pročitati ovaj privitak. Pogledat će ga netko iz našeg tima.',
    failed: 'Na našoj je strani došlo do pogreške. Ovdje će vam odgovoriti netko iz našeg tima.',
    action_done: 'Gotovo.',
    action_failed: 'To se nije moglo izvršiti. Ništa nije promijenjeno.',
    action_unknown: 'Još ne znamo je li uspjelo. Provjerit će netko iz našeg tima.',
    action_in_progress: 'Radimo na tome. Obavijestit ćemo vas ovdje.',
    confirm_question: 'Molimo potvrdite: {action}',
    confirm_yes_hint: 'Odgovorite s „da” za potvrdu ili s „ne” za otkazivanje.',
    confirmed: 'Hvala, potvrđeno je.',
    rejected_confirmation: 'U redu, nećemo to učiniti.',
    confirm_button: 'Potvrdi',
    reject_button: 'Odustani',
    confirmation_expired: 'Ova je poveznica istekla. Ništa nije učinjeno.',
    identity_required: 'Za to prvo moramo provjeriti vaš identitet.',
    budget: 'Trenutačno ne mogu nastaviti ovaj razgovor. Ovdje će vam odgovoriti netko iz našeg tima.',
  },
};
