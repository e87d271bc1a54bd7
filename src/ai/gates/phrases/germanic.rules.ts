import type { LanguagePhrases } from './phrases.rules.ts';

export const en: LanguagePhrases = {
  person: `
    talk to a human | talk to a person | talk to someone | talk to an agent | talk to a real | talk with a human
    speak to a human | speak to a person | speak to someone | speak to an agent | speak with a human
    speak with someone | speak with an agent | speak to a representative | speak to a manager
    talk to a representative | talk to support | speak to support | chat with a human | chat with an agent
    connect me to | connect me with | transfer me to | put me through | human agent | live agent | human please
    agent please | real person please | want a human | need a human | want a real person | need a real person
    get me a human | get me a person | human support`,
  not: 'not | dont | don t | no | without | never | cannot | cant | can t | didnt | didn t',
  thanks: `
    thanks | thank you | thx | ty | cheers | great | perfect | awesome | ok | okay | got it | cool | nice
    appreciate it | so much | very much | a lot | many`,
  solved: `
    solved it | that solved | it works now | works now | problem solved | issue is resolved | that fixed it
    that worked | that helped | all good now | resolved now`,
  sentences: {
    handing_off: 'I am connecting you with a member of our team, who will reply here.',
    found: 'Here is what I found:',
    may_help: 'These pages may help:',
    not_found: 'I could not find an answer to this.',
    ask_details: 'Could you tell me a little more about what you need?',
    unreadable: 'I cannot read this attachment. A member of our team will look at it.',
    prohibited_topic: 'I cannot help with this. A member of our team will reply here.',
    failed: 'Something went wrong on our side. A member of our team will reply here.',
  },
};

export const de: LanguagePhrases = {
  person: `
    mit einem menschen | mit einem mitarbeiter | mit einer mitarbeiterin | mit einer person | mit jemandem sprechen
    mit jemandem reden | mit jemand sprechen | mit einem berater | mit einem echten | mit dem support sprechen
    mit dem kundenservice | echten menschen | echte person | menschlichen mitarbeiter | einen menschen bitte
    mitarbeiter bitte | verbinden sie mich | verbinde mich | mensch bitte | einen mitarbeiter sprechen
    jemanden sprechen`,
  not: 'nicht | kein | keinen | keine | ohne | nie | niemals',
  thanks: `
    danke | dankeschon | vielen dank | herzlichen dank | merci | super | perfekt | ok | okay | alles klar | prima
    toll | gut | schon | sehr | vielmals | besten dank`,
  solved: `
    hat geklappt | funktioniert jetzt | klappt jetzt | problem gelost | hat geholfen | ist gelost
    hat sich erledigt | hat funktioniert`,
  sentences: {
    handing_off: 'Ich verbinde Sie mit unserem Team. Die Antwort kommt hier.',
    found: 'Das habe ich gefunden:',
    may_help: 'Diese Seiten könnten helfen:',
    not_found: 'Darauf habe ich keine Antwort gefunden.',
    ask_details: 'Können Sie mir etwas genauer sagen, worum es geht?',
    unreadable: 'Diesen Anhang kann ich nicht lesen. Jemand aus unserem Team sieht ihn sich an.',
    prohibited_topic: 'Dabei kann ich nicht helfen. Jemand aus unserem Team antwortet Ihnen hier.',
    failed: 'Bei uns ist etwas schiefgegangen. Jemand aus unserem Team antwortet Ihnen hier.',
  },
};

export const nl: LanguagePhrases = {
  person: `
    met een mens | met een medewerker | met een persoon | met iemand spreken | met iemand praten | iemand spreken
    een medewerker spreken | echte persoon | echt mens | menselijke medewerker | verbind me | verbind mij
    medewerker alstublieft | medewerker graag | mens alstublieft | met de klantenservice`,
  not: 'niet | geen | zonder | nooit',
  thanks: `
    bedankt | dank je | dank je wel | dankjewel | dank u | dank u wel | dankuwel | top | super | prima | ok | oke
    perfect | fijn | goed | hartelijk | zeer`,
  solved: `
    het werkt nu | werkt nu | is opgelost | probleem opgelost | heeft geholpen | het is gelukt | is gelukt`,
  sentences: {
    handing_off: 'Ik verbind u door met ons team. Het antwoord komt hier.',
    found: 'Dit heb ik gevonden:',
    may_help: 'Deze pagina’s kunnen helpen:',
    not_found: 'Hierop heb ik geen antwoord gevonden.',
    ask_details: 'Kunt u iets meer vertellen over wat u nodig heeft?',
    unreadable: 'Deze bijlage kan ik niet lezen. Iemand van ons team bekijkt hem.',
    prohibited_topic: 'Hiermee kan ik niet helpen. Iemand van ons team antwoordt u hier.',
    failed: 'Er ging iets mis bij ons. Iemand van ons team antwoordt u hier.',
  },
};

export const sv: LanguagePhrases = {
  person: `
    prata med en manniska | prata med nagon | prata med en person | prata med en medarbetare
    prata med en handlaggare | tala med en manniska | tala med nagon | riktig manniska | riktig person | mansklig
    koppla mig | prata med kundtjanst | tala med kundtjanst | prata med support`,
  not: 'inte | ingen | utan | aldrig',
  thanks: 'tack | tack sa mycket | tackar | perfekt | bra | toppen | ok | okej | super | fint | stort',
  solved: `
    det fungerar nu | fungerar nu | problemet lost | det ar lost | det hjalpte | det loste sig | det funkar nu`,
  sentences: {
    handing_off: 'Jag kopplar dig till vårt team. Svaret kommer här.',
    found: 'Det här hittade jag:',
    may_help: 'De här sidorna kan hjälpa:',
    not_found: 'Jag hittade inget svar på det här.',
    ask_details: 'Kan du berätta lite mer om vad du behöver?',
    unreadable: 'Jag kan inte läsa den här bilagan. Någon i vårt team tittar på den.',
    prohibited_topic: 'Det här kan jag inte hjälpa till med. Någon i vårt team svarar dig här.',
    failed: 'Något gick fel hos oss. Någon i vårt team svarar dig här.',
  },
};

export const da: LanguagePhrases = {
  person: `
    tale med et menneske | tale med en person | tale med nogen | tale med en medarbejder | snakke med et menneske
    snakke med en medarbejder | snakke med nogen | snakke med en person | rigtigt menneske | rigtig person
    menneskelig | stil mig om | tale med kundeservice`,
  not: 'ikke | ingen | uden | aldrig',
  thanks: 'tak | mange tak | tusind tak | perfekt | godt | super | ok | okay | fint | fedt | skal du have',
  solved: 'det virker nu | virker nu | problemet er løst | det er løst | det hjalp | det løste',
  sentences: {
    handing_off: 'Jeg stiller dig videre til vores team. Svaret kommer her.',
    found: 'Det her fandt jeg:',
    may_help: 'Disse sider kan måske hjælpe:',
    not_found: 'Jeg fandt ikke et svar på dette.',
    ask_details: 'Kan du fortælle lidt mere om, hvad du har brug for?',
    unreadable: 'Jeg kan ikke læse den vedhæftede fil. En fra vores team ser på den.',
    prohibited_topic: 'Det kan jeg ikke hjælpe med. En fra vores team svarer dig her.',
    failed: 'Noget gik galt hos os. En fra vores team svarer dig her.',
  },
};

export const no: LanguagePhrases = {
  person: `
    snakke med et menneske | snakke med en person | snakke med noen | snakke med en medarbeider
    snakke med en ansatt | prate med noen | prate med et menneske | ekte menneske | ekte person | menneskelig
    sett meg over | snakke med kundeservice`,
  not: 'ikke | ingen | uten | aldri',
  thanks: 'takk | tusen takk | mange takk | perfekt | bra | supert | ok | okei | fint | flott | skal du ha',
  solved: 'det fungerer na | det fungerer nå | problemet er løst | det er løst | det hjalp | det ordnet seg',
  sentences: {
    handing_off: 'Jeg setter deg i kontakt med teamet vårt. Svaret kommer her.',
    found: 'Dette fant jeg:',
    may_help: 'Disse sidene kan hjelpe:',
    not_found: 'Jeg fant ikke noe svar på dette.',
    ask_details: 'Kan du fortelle litt mer om hva du trenger?',
    unreadable: 'Jeg kan ikke lese vedlegget. Noen i teamet vårt ser på det.',
    prohibited_topic: 'Dette kan jeg ikke hjelpe med. Noen i teamet vårt svarer deg her.',
    failed: 'Noe gikk galt hos oss. Noen i teamet vårt svarer deg her.',
  },
};
