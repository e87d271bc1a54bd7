import type { LanguagePhrases } from './phrases.rules.ts';

export const en: LanguagePhrases = {
  person: `
    ?(i|we|i'd|can i|let me|may i) ?(really|just|still) ?(want|wanna|need|like|wish|prefer|have|would like|would prefer) ?to (talk|speak|chat|be connected|be transferred) (to|with) ?(a|an|some|your|the|another|one of your) ?(real|live|actual|human|customer|support|service|other) (human|humans|person|people|agent|agents|representative|rep|operator|someone|somebody|anyone|anybody|human being|advisor|adviser|employee|colleague|team|support team|manager|supervisor|staff)
    (connect|transfer|put|hand|pass|forward|switch) (me|us|this) ?(through|over|on) (to|with) ?(a|an|your|the|some) ?(real|live|actual|human|support|customer|service) (human|person|agent|representative|rep|operator|someone|somebody|human being|advisor|team|manager|supervisor|colleague|staff)
    (get|give|find|call|bring) me ?(a|an|your|some) ?(real|live|actual|human|support) (human|person|agent|representative|rep|operator|manager|supervisor|human being|someone|somebody)
    (i|we) ?(really|just) (want|need|demand|would like|prefer) (a|an|some) ?(real|live|actual) (human|human being|human agent|live agent|live person|real person|actual person|human operator|human representative) ?(please|now|right now|asap|instead|here|to talk to|to speak to|to speak with|to help me|to answer me|on the phone) $
    (i|we) ?(really|just) (want|need|demand|would like|prefer) (a|an) (real|live|actual) (agent|representative|operator) ?(please|now|right now|asap|instead) $
    ^ (i|we) ?(really|just) (want|need|would like) (a|an) (agent|operator|representative|person) ?(please|now|asap) $
    (is|are) there ?(a|any|an) (real|live|actual|human) (person|people|human|agent|being) ?(i|here|there|available|around)
    (can|could) (i|we) (get|have|reach) (a|an) ?(real|live|actual|human) (human|person|agent|representative|operator) ?(please|now|here|instead|on the phone) $
    (talk|speak|chat) (to|with) customer (service|support|care)`,
  personAlone: `?(real|live|actual|human) (human|person|agent|operator|representative|rep|human being); (live|human) (chat|support|help); customer service agent; speak to human; talk to human; talk to agent; speak to agent`,
  notBefore: `(don't|dont|do not|doesn't|didn't|did not|not|won't|never|no longer|wouldn't|would not) ?(really|even|actually) ?(want|need|wish|like|have|care|trying|asking|looking|required|going|to); rather not; no (need|reason|wish|desire); without; instead of; not; never; don't; dont`,
  notAfter: `is not needed; is not necessary; isn't needed; isn't necessary; to sell; to buy my; to rent`,
  polite: `please; pls; plz; thanks; thank you; thank you very much; thx; hi; hello; hey; now; asap; dear; sir; a; an; the; kindly; i; want; need`,
  thanks: `thanks; thank you; thank u; thankyou; thx; tnx; ty; tysm; cheers; ?many thanks ?again; thanks ?(a lot|so much|very much|again|anyway|for ?(your|the|all your) (help|time|answer|reply|support|quick reply|quick answer|information|info)); thank you ?(so much|very much|again|anyway|for ?(your|the|all your) (help|time|answer|reply|support|quick reply|quick answer|information|info)); ok; okay; k; kk; okey; alright; all right; all good; great; perfect; awesome; cool; excellent; wonderful; nice; fine; good; got it; understood; noted; i see; much appreciated; appreciate it; i appreciate it; very helpful; that helps; that's all; that is all; no thanks; no thank you; sounds good; will do; super; brilliant; lovely; good to know; amazing; you too; bye; goodbye; have a ?(nice|great|good) day`,
  yes: `yes; yeah; yep; yup; yes yes; ?yes i (confirm|do|agree) ?(it|this|that); confirm; confirmed; ?yes ?please (do|go ahead|do it|do so|proceed); yes (sure|of course|correct|that's right|that is right|that is correct|that's correct|absolutely|definitely); (that's|that is) (right|correct); agreed`,
  no: `no; nope; nah; no no; no (cancel|don't|stop|do not|way|thanks|thank you) ?(it|that|this); cancel ?(it|that|this); do not; don't; ?please (don't|do not) ?(do) ?(it|that|this|so); i (don't|do not) ?(confirm|agree|want ?to) ?(it|this|that); rejected; reject; stop`,
  solved: `(that|this|it|which) ?(has|just|really|actually|totally) (solved|fixed|resolved|did|worked|sorted) ?(it|my problem|the problem|this|the issue|my issue|the trick|out|that|for me); (that|it|this)'s (solved|fixed|resolved|sorted|working now|all sorted); it ?(all) (works|is working|is fixed|is solved|is resolved) ?(now|again|fine|perfectly|great); (works|working|fixed|solved|resolved|sorted) (now|again|thanks|thank you); (problem|issue|everything|that|question) ?(is|has been|was|now) ?(now|been) (solved|fixed|resolved|sorted|answered|works); that (answers|answered) my question; ^ (solved|fixed|resolved|sorted) $; i (got it working|got it to work|fixed it|solved it|figured it out|managed to fix it); you (solved|fixed) (it|my problem|my issue)`,
  notSolved: `not; don't; doesn't; didn't; dont; doesnt; didnt; isn't; isnt; hasn't; haven't; never; still; but; however; except; nothing; nor; no longer; if; until; unless; when; once; wasn't; won't; can't; cannot; almost; partly; although; hope; should; would; another; yet`,
  sentences: {
    handing_off: 'We are connecting you with a member of our team, who will answer you here.',
    found: 'Here is what our pages say:',
    may_help: 'These pages may help:',
    not_found: 'I could not find an answer to this.',
    ask_details: 'Could you say a little more about what you need?',
    prohibited_topic: 'I cannot help with this topic. A member of our team will answer you here.',
    unreadable: 'I cannot read this attachment. A member of our team will have a look at it.',
    failed: 'Something went wrong on our side. A member of our team will answer you here.',
    action_done: 'This has been done.',
    action_failed: 'This could not be done. Nothing has been changed.',
    action_unknown: 'We do not know yet whether this worked. A member of our team will check it.',
    action_in_progress: 'This is being worked on. We will let you know here.',
    confirm_question: 'Please confirm: {action}',
    confirm_yes_hint: 'Reply “yes” to confirm or “no” to cancel.',
    confirmed: 'Thank you, this is confirmed.',
    rejected_confirmation: 'All right, we will not do this.',
    confirm_button: 'Confirm',
    reject_button: 'Cancel',
    confirmation_expired: 'This link has expired. Nothing has been done.',
    identity_required: 'To do this, we first need to verify who you are.',
    budget: 'I cannot go on with this conversation now. A member of our team will answer you here.',
  },
};

export const de: LanguagePhrases = {
  person: `
    mit ?(einem|einer|einen|ner|nem|jemandem|jemand|eurem|ihrem|eurer|ihrer) ?(echten|richtigen|realen|menschlichen|anderen|euren|ihren|lebenden) (menschen|mensch|mitarbeiter|mitarbeiterin|mitarbeitern|person|berater|beraterin|agenten|agent|jemandem|jemand|ansprechpartner|kundenberater|sachbearbeiter|kollegen|support|kundendienst|kundenservice|kundenbetreuer|operator|vorgesetzten) ?(aus|von|vom) ?(dem|ihrem|support|fleisch und blut|kundenservice|kundendienst) (sprechen|reden|schreiben|chatten|telefonieren|verbinden|verbunden|kommunizieren|verbinde|verbindet)
    mit jemandem (sprechen|reden|chatten|telefonieren|verbinden)
    (verbinden sie|verbinde|verbindet) (mich|uns) ?(bitte) ?(doch) (mit|zu)
    ich (will|möchte|brauche|hätte gern|hätte gerne|wünsche|verlange) ?(bitte|gern|gerne|jetzt|endlich) (einen|eine) ?(echten|echte|richtigen|menschlichen|lebenden) (menschen|mitarbeiter|mitarbeiterin|person|ansprechpartner|menschlichen mitarbeiter|kundenberater) ?(sprechen|bitte|jetzt|am telefon|erreichen) $
    (gibt es|ist) (hier|da|dort) ?(auch|einen|denn) ?(auch|einen) (echten|echte|richtigen|richtige|menschen) ?(mitarbeiter|menschen|person|personen)
    an ?(einen|eine) ?(echten|menschlichen) (mitarbeiter|menschen|person|mitarbeiterin|kundenberater) (weiterleiten|übergeben|weitergeben|weitergeleitet)
    (sprechen|reden) mit (einem|einer) ?(echten|richtigen|menschlichen) (menschen|mitarbeiter|mitarbeiterin|person|berater)`,
  personAlone: `?(echter|echten|menschlicher) (mensch|menschen|mitarbeiter|mitarbeiterin|ansprechpartner|kundenberater|berater); (echte|reale|menschliche) person; operator; agent`,
  notBefore: `(will|möchte|muss|brauche|wollte|soll|sollte|würde|werde|mag) ?(jetzt|heute|gerade|aber|lieber|wirklich|doch|unbedingt|gar|auch) (nicht|nie|niemals) ?(schon|unbedingt|wieder|mehr|extra|erst); ohne; statt; anstatt; nicht; nie; niemals`,
  notAfter: `(will|möchte|muss|brauche|wollte|soll) ich ?(aber|gar|jetzt) nicht; ist nicht (nötig|notwendig|erforderlich); brauche ich nicht; zu müssen; nicht nötig`,
  polite: `bitte; danke; danke schön; dankeschön; vielen dank; hallo; hi; guten tag; moin; servus; jetzt; sofort; einen; ein; eine; einem; den; gern; gerne; mit; ich; will; brauche; möchte`,
  thanks: `danke ?(schön|sehr|dir|ihnen|euch|vielmals|nochmal|nochmals|für die (hilfe|antwort|info|auskunft|schnelle antwort|schnelle hilfe)); dankeschön; vielen ?(lieben|herzlichen) dank ?(für die (hilfe|antwort|info|auskunft|schnelle antwort|schnelle hilfe)); besten dank; herzlichen dank; lieben dank; tausend dank; merci; ok; okay; alles klar; alles gut; in ordnung; gut; super; perfekt; prima; klasse; toll; top; spitze; verstanden; verstehe; passt; gern; gerne; sehr gut; das hilft ?(mir) ?(sehr|weiter); nein danke; das war alles; das war's; wunderbar; tschüss; ciao; schönen tag ?(noch); jo; das ist nett; ebenfalls; geht klar`,
  yes: `ja; jawohl; jep; jo; jup; ja ja; ja (gern|gerne|klar|genau|natürlich|sicher|stimmt|richtig|mach das|machen sie das); ?ja ich (bestätige|stimme zu) ?(das|es|dies); bestätigt; bestätigen; bestätige; einverstanden; (das) (stimmt|ist richtig|passt so); auf jeden fall`,
  no: `nein; nee; nö; ne; nein nein; abbrechen; stornieren; nein (lieber nicht|nicht|auf keinen fall|abbrechen|stopp); lieber nicht; bitte nicht; nicht (machen|ausführen|bestätigen); auf keinen fall; stopp; ablehnen; abgelehnt`,
  solved: `(das|es|problem|frage|thema|sache|anliegen|alles|hat sich) ?(hat|ist|wurde|sich|damit|nun) ?(jetzt|nun|damit|hiermit|mein problem|das problem|die frage|sich|schon|bereits) (gelöst|behoben|erledigt|geklärt|beantwortet); (funktioniert|geht|klappt|läuft) (jetzt|nun|wieder|alles|einwandfrei|super|prima) ?(wieder); (jetzt|nun) (funktioniert|geht|klappt|läuft) (es|alles|das) ?(wieder); hat (funktioniert|geklappt); ^ ?(hat sich) (gelöst|erledigt|geklärt|behoben) $; das war die lösung; das hat ?(mir) ?(sehr) geholfen`,
  notSolved: `nicht; nichts; kein*; nie; noch; aber; leider; jedoch; trotzdem; ohne; außer; bis; wenn; falls; sobald; wann; obwohl; nur; hoffe; sollte; kaum; teilweise`,
  sentences: {
    handing_off: 'Wir verbinden Sie mit jemandem aus unserem Team. Die Antwort erhalten Sie hier.',
    found: 'Das steht dazu auf unseren Seiten:',
    may_help: 'Diese Seiten könnten weiterhelfen:',
    not_found: 'Dazu habe ich leider keine Antwort gefunden.',
    ask_details: 'Können Sie etwas genauer beschreiben, was Sie brauchen?',
    prohibited_topic: 'Bei diesem Thema kann ich nicht helfen. Jemand aus unserem Team antwortet Ihnen hier.',
    unreadable: 'Diesen Anhang kann ich nicht lesen. Jemand aus unserem Team sieht ihn sich an.',
    failed: 'Bei uns ist etwas schiefgegangen. Jemand aus unserem Team antwortet Ihnen hier.',
    action_done: 'Das ist erledigt.',
    action_failed: 'Das hat nicht geklappt. Es wurde nichts geändert.',
    action_unknown: 'Wir wissen noch nicht, ob das geklappt hat. Jemand aus unserem Team prüft es.',
    action_in_progress: 'Das ist in Arbeit. Wir melden uns hier.',
    confirm_question: 'Bitte bestätigen Sie: {action}',
    confirm_yes_hint: 'Antworten Sie mit „Ja“ zum Bestätigen oder mit „Nein“ zum Abbrechen.',
    confirmed: 'Vielen Dank, das ist bestätigt.',
    rejected_confirmation: 'In Ordnung, wir führen das nicht aus.',
    confirm_button: 'Bestätigen',
    reject_button: 'Abbrechen',
    confirmation_expired: 'Dieser Link ist abgelaufen. Es wurde nichts ausgeführt.',
    identity_required: 'Dafür müssen wir zuerst Ihre Identität prüfen.',
    budget: 'Ich kann dieses Gespräch gerade nicht fortsetzen. Jemand aus unserem Team antwortet Ihnen hier.',
  },
};

export const nl: LanguagePhrases = {
  person: `
    ?(ik) ?(wil|zou) ?(graag|nu|gewoon) met ?(een|iemand|jullie|uw) ?(echt|echte|menselijke|levend|andere) (mens|persoon|medewerker|iemand|klantenservice|agent|adviseur|collega|team|support|klantenservicemedewerker) ?(van|uit) ?(de|het|jullie|uw) ?(klantenservice|support|team) ?(wil|willen) ?(ik) (spreken|praten|chatten|bellen|doorverbonden|verbonden)
    (spreken|praten|chatten) met ?(een|jullie) ?(echt|echte|menselijke) (mens|persoon|medewerker|iemand|agent|adviseur|collega)
    met iemand ?(willen|wil) (spreken|praten|chatten|bellen)
    (verbind|schakel) (me|mij|ons) ?(alsjeblieft|aub|svp|even|nu) ?(door) (met|naar)
    (ik) (wil|wens|zoek) ?(graag|nu) een (echt mens|echte persoon|mens|medewerker|menselijke medewerker|echte medewerker) ?(spreken|aub|alsjeblieft|alstublieft|nu) $
    (doorverbinden|doorverbonden worden|doorgeschakeld worden) (met|naar) ?(een) ?(echte|menselijke|echt) (medewerker|persoon|mens|collega|agent)
    (ik) heb een (echt mens|echte persoon|echte medewerker|menselijke medewerker) nodig`,
  personAlone: `?(echt|echte|menselijke) (mens|persoon|medewerker|agent|klantenservicemedewerker); iemand van de klantenservice`,
  notBefore: `(wil|hoef|moet|ga|zou|wilde|hoeft) ?(ik|nu|echt|liever) (niet|nooit) ?(per se|perse|meer|nu|echt); zonder; in plaats van; niet; nooit`,
  notAfter: `hoeft niet; is niet nodig; hoef ik niet; wil ik niet; te hoeven`,
  polite: `alsjeblieft; alstublieft; aub; svp; graag; dank; bedankt; dank je; dank u; dankjewel; dank je wel; hallo; hoi; goedendag; nu; een; de; ik; wil`,
  thanks: `bedankt ?(voor (de|uw|je|jullie) (hulp|info|informatie|reactie|antwoord|snelle reactie)); dank; dank je ?wel; dank u ?wel; dankjewel; dankuwel; hartelijk dank; heel erg bedankt; hartelijk bedankt; veel dank; super bedankt; ok; oké; oke; okee; prima; goed; top; super; perfect; mooi; fijn; helder; duidelijk; begrepen; geweldig; heel; erg; nee (bedankt|dank je|dank u|dank je wel|dank u wel); akkoord; dat was alles; dat was het; fijne dag ?nog; in orde; komt goed; is goed; merci; thanks`,
  yes: `ja; jep; jawel; jazeker; ja ja; ja (graag|hoor|zeker|klopt|natuurlijk|prima|doe maar); ?ja ?(dat) klopt; ?ja ik bevestig ?(het|dit|dat); bevestigd; bevestigen; bevestig; akkoord; zeker`,
  no: `nee; neen; nee nee; annuleren; annuleer; nee (hoor|niet doen|liever niet|annuleren|annuleer|stop|bedankt|dank je); liever niet; niet doen; doe maar niet; stop; weigeren`,
  solved: `(dat|het|probleem|dit|alles|vraag) ?(heeft|is|werd|probleem|het|mijn|nu) ?(is|nu|het|mijn|daarmee|inmiddels|hiermee) ?(probleem|vraag|al) (opgelost|verholpen|beantwoord|gelukt|geregeld); (werkt|lukt|doet het) (nu|weer|inmiddels|perfect); (nu|inmiddels) (werkt|lukt) (het|alles|dat) ?weer; het doet het ?(nu) weer; ^ (opgelost|gelukt) $; het is gelukt; dat heeft ?(mij|me) ?(goed|echt) geholpen`,
  notSolved: `niet; niets; geen; nooit; nog; maar; helaas; echter; toch; zonder; behalve; tot; als; wanneer; hoewel; hoop; zodra; zou; bijna; deels`,
  sentences: {
    handing_off: 'We verbinden u met iemand van ons team. U krijgt hier antwoord.',
    found: 'Dit staat hierover op onze pagina’s:',
    may_help: 'Deze pagina’s kunnen misschien helpen:',
    not_found: 'Ik heb hier helaas geen antwoord op gevonden.',
    ask_details: 'Kunt u iets meer vertellen over wat u nodig hebt?',
    prohibited_topic: 'Met dit onderwerp kan ik niet helpen. Iemand van ons team antwoordt u hier.',
    unreadable: 'Ik kan deze bijlage niet lezen. Iemand van ons team bekijkt de bijlage.',
    failed: 'Er is bij ons iets misgegaan. Iemand van ons team antwoordt u hier.',
    action_done: 'Dit is uitgevoerd.',
    action_failed: 'Dit is niet gelukt. Er is niets gewijzigd.',
    action_unknown: 'We weten nog niet of dit gelukt is. Iemand van ons team controleert het.',
    action_in_progress: 'Hier wordt aan gewerkt. We laten het u hier weten.',
    confirm_question: 'Bevestig alstublieft: {action}',
    confirm_yes_hint: 'Antwoord met ‘ja’ om te bevestigen of met ‘nee’ om te annuleren.',
    confirmed: 'Dank u wel, dit is bevestigd.',
    rejected_confirmation: 'Goed, we voeren dit niet uit.',
    confirm_button: 'Bevestigen',
    reject_button: 'Annuleren',
    confirmation_expired: 'Deze link is verlopen. Er is niets uitgevoerd.',
    identity_required: 'Hiervoor moeten we eerst uw identiteit controleren.',
    budget: 'Ik kan dit gesprek nu niet voortzetten. Iemand van ons team antwoordt u hier.',
  },
};

export const sv: LanguagePhrases = {
  person: `
    (prata|tala|snacka|chatta|få prata|få tala) med ?(en|någon) ?(riktig|verklig|mänsklig|levande|annan) (människa|person|någon|handläggare|medarbetare|kundtjänst|agent|operatör|kundservice|rådgivare|kollega|anställd)
    (koppla|koppla över|förbind|flytta) (mig|oss) ?(vidare) (till|med)
    (jag) (vill|behöver) ?(ha|få|träffa|nå) en (riktig människa|riktig person|människa|mänsklig handläggare|verklig person) ?(tack|nu) $
    (kopplas|bli kopplad) ?(vidare) till ?(en) ?(riktig|mänsklig) (människa|person|handläggare|medarbetare|kundtjänst)
    finns det ?(någon|en) (riktig|verklig) (människa|person)`,
  personAlone: `?(riktig|mänsklig|verklig) (människa|person|handläggare|agent|medarbetare|operatör)`,
  notBefore: `(vill|behöver|ska|måste|orkar|tänker) ?(jag|verkligen) (inte|aldrig|ej) ?(behöva|alls|längre); utan ?att; istället för; slippa; inte; aldrig; ej`,
  notAfter: `behövs inte; är inte nödvändigt; behöver jag inte; vill jag inte`,
  polite: `tack; tackar; snälla; vänligen; gärna; hej; hallå; nu; en; med; är du snäll; jag; vill`,
  thanks: `tack ?(så mycket|så hemskt mycket|för (hjälpen|svaret|infon|informationen|snabbt svar)); tackar; tusen tack; stort tack; tack tack; ok; okej; okey; bra; jättebra; super; toppen; perfekt; utmärkt; fint; kanon; härligt; förstår; jag förstår; uppfattat; nej tack; det var allt; mycket bra; ha en (bra|fin|trevlig) dag; det låter bra; grymt; då så; noterat`,
  yes: `ja; jo; japp; jadå; ja ja; ja (tack|visst|absolut|gärna|det stämmer|precis|självklart); ?ja jag bekräftar ?(det|detta); bekräfta; bekräftar; bekräftat; bekräftas; det stämmer; absolut`,
  no: `nej; nä; nej nej; nej (tack|avbryt|gör inte det|inte); avbryt; gör inte det; helst inte; stopp; avböj; absolut inte`,
  solved: `(det|problemet|allt|ärendet|frågan) ?(har|är|blev) ?(nu|redan|mitt problem) (löst|löste sig|ordnat|fixat|åtgärdat|avhjälpt|besvarad); det (löste|fixade) (sig|problemet|det|mitt problem); (det|allt) (fungerar|funkar) (nu|igen|som det ska); (fungerar|funkar) (nu|igen); nu (fungerar|funkar) (det|allt) ?igen; det hjälpte; ^ (löst|fixat) $`,
  notSolved: `inte; ej; aldrig; ännu; men; fortfarande; tyvärr; dock; ingen; inget; inga; utan; förutom; om; när; tills; hoppas; borde; nästan; delvis`,
  sentences: {
    handing_off: 'Vi kopplar dig till någon i vårt team. Du får svar här.',
    found: 'Så här står det på våra sidor:',
    may_help: 'De här sidorna kan kanske hjälpa:',
    not_found: 'Jag kunde tyvärr inte hitta något svar på detta.',
    ask_details: 'Kan du berätta lite mer om vad du behöver?',
    prohibited_topic: 'Jag kan inte hjälpa till med det här ämnet. Någon i vårt team svarar dig här.',
    unreadable: 'Jag kan inte läsa den här bilagan. Någon i vårt team tittar på den.',
    failed: 'Något gick fel hos oss. Någon i vårt team svarar dig här.',
    action_done: 'Det är gjort.',
    action_failed: 'Det gick inte att genomföra. Ingenting har ändrats.',
    action_unknown: 'Vi vet ännu inte om det lyckades. Någon i vårt team kontrollerar det.',
    action_in_progress: 'Vi arbetar med detta. Du får besked här.',
    confirm_question: 'Vänligen bekräfta: {action}',
    confirm_yes_hint: 'Svara ”ja” för att bekräfta eller ”nej” för att avbryta.',
    confirmed: 'Tack, det är bekräftat.',
    rejected_confirmation: 'Okej, då gör vi inte det.',
    confirm_button: 'Bekräfta',
    reject_button: 'Avbryt',
    confirmation_expired: 'Länken har gått ut. Inget har utförts.',
    identity_required: 'För att göra detta behöver vi först kontrollera vem du är.',
    budget: 'Jag kan inte fortsätta samtalet just nu. Någon i vårt team svarar dig här.',
  },
};

export const da: LanguagePhrases = {
  person: `
    (tale|snakke|chatte|talt|snakket) med ?(et|en|nogen|jeres) ?(rigtigt|rigtig|ægte|virkelig|levende|anden) (menneske|person|nogen|medarbejder|kundeservice|agent|rådgiver|kundeservicemedarbejder|kollega|operatør)
    (stil|omstil|viderestil|forbind|send) (mig|os) ?(venligst|om|videre) (til|med)
    (jeg) (vil|ønsker) ?(gerne) ?(have) (et rigtigt menneske|en rigtig person|et menneske|en medarbejder) ?(tak|nu) $
    jeg har brug for (et rigtigt menneske|en rigtig person|et menneske)
    (stilles|viderestilles|omstilles) ?(om|videre) til ?(en|et) ?(rigtigt|rigtig) (menneske|person|medarbejder|kundeservice)
    er der ?(et|en) (rigtigt menneske|rigtig person)`,
  personAlone: `?(rigtigt|rigtig|ægte) (menneske|person|medarbejder|agent|operatør|kundeservicemedarbejder)`,
  notBefore: `(vil|ønsker|behøver|skal|gider|orker) ?(jeg|virkelig) (ikke|aldrig) ?(gerne|længere|have); uden ?at; i stedet for; slippe for; ikke; aldrig`,
  notAfter: `er ikke nødvendigt; behøves ikke; vil jeg ikke; behøver jeg ikke`,
  polite: `tak; venligst; gerne; hej; goddag; nu; en; et; vær venlig; vær så venlig; jeg; vil`,
  thanks: `tak ?(skal du have|for (hjælpen|svaret|det|infoen|informationen|hurtigt svar)); mange tak; tusind tak; tak tak; ok; okay; okej; fint; godt; super; perfekt; fedt; dejligt; forstået; jeg forstår; alt godt; nej tak; det var alt; rigtig godt; det lyder godt; ha en god dag; hav en god dag; fantastisk; skønt; helt i orden; i orden; noteret`,
  yes: `ja; jo; jep; ja ja; ja (tak|gerne|selvfølgelig|det er rigtigt|netop|bestemt); ?ja jeg bekræfter ?(det|dette); bekræft; bekræfter; bekræftet; det er (rigtigt|korrekt); godkendt`,
  no: `nej; næ; nej nej; nej (tak|annuller|afbryd|gør det ikke|ikke); annuller; annullér; afbryd; gør det ikke; helst ikke; stop; afvis`,
  solved: `(det|problemet|alt|sagen|spørgsmålet) ?(har|er|blev) ?(nu|allerede|mit problem) (løst|løst sig|ordnet|fikset|besvaret|klaret); det (løste|fiksede|klarede) (sig|problemet|det|mit problem); (det|alt) (virker|fungerer) (nu|igen|som det skal); (virker|fungerer) (nu|igen); nu (virker|fungerer) (det|alt) ?igen; det hjalp; ^ (løst|fikset) $`,
  notSolved: `ikke; aldrig; endnu; men; stadig; desværre; dog; ingen; intet; uden; undtagen; hvis; når; indtil; håber; burde; næsten; delvist`,
  sentences: {
    handing_off: 'Vi sætter dig i forbindelse med en fra vores team. Du får svar her.',
    found: 'Her er, hvad der står på vores sider:',
    may_help: 'Disse sider kan måske hjælpe:',
    not_found: 'Jeg kunne desværre ikke finde et svar på dette.',
    ask_details: 'Kan du fortælle lidt mere om, hvad du har brug for?',
    prohibited_topic: 'Jeg kan ikke hjælpe med dette emne. En fra vores team svarer dig her.',
    unreadable: 'Jeg kan ikke læse den vedhæftede fil. En fra vores team ser på den.',
    failed: 'Noget gik galt hos os. En fra vores team svarer dig her.',
    action_done: 'Det er gjort.',
    action_failed: 'Det kunne ikke gennemføres. Intet er blevet ændret.',
    action_unknown: 'Vi ved endnu ikke, om det lykkedes. En fra vores team undersøger det.',
    action_in_progress: 'Vi arbejder på det. Du får besked her.',
    confirm_question: 'Bekræft venligst: {action}',
    confirm_yes_hint: 'Svar “ja” for at bekræfte eller “nej” for at annullere.',
    confirmed: 'Tak, det er bekræftet.',
    rejected_confirmation: 'Okay, så gør vi det ikke.',
    confirm_button: 'Bekræft',
    reject_button: 'Annuller',
    confirmation_expired: 'Linket er udløbet. Der er ikke udført noget.',
    identity_required: 'For at gøre dette skal vi først bekræfte, hvem du er.',
    budget: 'Jeg kan ikke fortsætte samtalen lige nu. En fra vores team svarer dig her.',
  },
};

export const no: LanguagePhrases = {
  person: `
    (snakke|prate|chatte|tale) med ?(et|en|ei|noen|deres) ?(ekte|virkelig|levende|annen|annet) (menneske|person|noen|medarbeider|kundeservice|agent|rådgiver|kundebehandler|saksbehandler|kollega)
    (sett|koble|overfør|send) (meg|oss) ?(over|videre) (til|med)
    (jeg) (vil|ønsker|trenger) ?(gjerne) ?(å|ha|få) ?(ha|få) (et ekte menneske|en ekte person|et menneske|en kundebehandler) ?(takk|nå) $
    (kobles|settes|overføres) ?(over|videre) til ?(en|et) ?(ekte) (menneske|person|medarbeider|kundeservice|kundebehandler)
    er det (et ekte menneske|en ekte person) (her|der)`,
  personAlone: `?(ekte|virkelig) (menneske|person|medarbeider|agent|kundebehandler|saksbehandler)`,
  notBefore: `(vil|ønsker|trenger|skal|gidder|orker) ?(jeg|virkelig) (ikke|aldri) ?(å|lenger|ha); uten ?å; i stedet for; slippe; ikke; aldri`,
  notAfter: `er ikke nødvendig; trengs ikke; vil jeg ikke; trenger jeg ikke`,
  polite: `takk; vennligst; gjerne; hei; hallo; nå; en; et; vær så snill; er du snill; jeg; vil`,
  thanks: `takk ?(skal du ha|for (hjelpen|svaret|det|infoen|informasjonen|raskt svar)); mange takk; tusen takk; takk takk; hjertelig takk; ok; okei; okay; fint; bra; supert; super; perfekt; flott; kult; topp; forstått; skjønner; jeg skjønner; jeg forstår; nei takk; det var alt; veldig bra; ha en (fin|god) dag; det høres bra ut; greit; den er grei; herlig; notert`,
  yes: `ja; jo; jepp; jada; ja ja; ja (takk|gjerne|selvfølgelig|det stemmer|absolutt); ?ja jeg bekrefter ?(det|dette); bekreft; bekrefter; bekreftet; det (stemmer|er riktig); absolutt`,
  no: `nei; niks; nei nei; nei (takk|avbryt|ikke gjør det|ikke); avbryt; ikke gjør det; helst ikke; stopp; avvis; absolutt ikke`,
  solved: `(det|problemet|alt|saken|spørsmålet) ?(har|er|ble) ?(nå|allerede|problemet mitt) (løst|løst seg|ordnet|ordnet seg|fikset|besvart); det (løste|fikset|ordnet) (seg|problemet|det); (det|alt) (virker|fungerer) (nå|igjen|som det skal); (virker|fungerer) (nå|igjen); nå (virker|fungerer) (det|alt) ?igjen; det hjalp; ^ (løst|fikset) $`,
  notSolved: `ikke; aldri; ennå; enda; men; fortsatt; fremdeles; dessverre; likevel; ingen; ingenting; uten; unntatt; hvis; når; håper; burde; nesten; delvis`,
  sentences: {
    handing_off: 'Vi setter deg i kontakt med en i teamet vårt. Du får svar her.',
    found: 'Dette står på sidene våre:',
    may_help: 'Disse sidene kan kanskje hjelpe:',
    not_found: 'Jeg fant dessverre ikke noe svar på dette.',
    ask_details: 'Kan du fortelle litt mer om hva du trenger?',
    prohibited_topic: 'Jeg kan ikke hjelpe med dette temaet. En i teamet vårt svarer deg her.',
    unreadable: 'Jeg kan ikke lese dette vedlegget. En i teamet vårt ser på det.',
    failed: 'Noe gikk galt hos oss. En i teamet vårt svarer deg her.',
    action_done: 'Det er gjort.',
    action_failed: 'Det lot seg ikke gjennomføre. Ingenting er endret.',
    action_unknown: 'Vi vet ennå ikke om det lyktes. En i teamet vårt undersøker det.',
    action_in_progress: 'Vi jobber med dette. Du får beskjed her.',
    confirm_question: 'Vennligst bekreft: {action}',
    confirm_yes_hint: 'Svar «ja» for å bekrefte eller «nei» for å avbryte.',
    confirmed: 'Takk, det er bekreftet.',
    rejected_confirmation: 'Greit, da gjør vi ikke det.',
    confirm_button: 'Bekreft',
    reject_button: 'Avbryt',
    confirmation_expired: 'Lenken er utløpt. Ingenting er utført.',
    identity_required: 'For å gjøre dette må vi først bekrefte hvem du er.',
    budget: 'Jeg kan ikke fortsette samtalen akkurat nå. En i teamet vårt svarer deg her.',
  },
};
