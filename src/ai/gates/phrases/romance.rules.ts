import type { LanguagePhrases } from './phrases.rules.ts';

export const fr: LanguagePhrases = {
  person: `
    parler à un humain | parler à une personne | parler à quelqu | parler avec quelqu | parler à un agent
    parler à un conseiller | parler à une conseillère | parler avec un humain | parler avec un conseiller
    parler avec un agent | parler avec une personne | un être humain | une vraie personne | un vrai humain
    un vrai conseiller | un humain s | un conseiller s | un agent s | mettez moi en relation | service client humain
    parler au support | parler au service client`,
  not: 'pas | sans | jamais | aucun | ni',
  thanks: `
    merci | merci beaucoup | merci bien | parfait | super | ok | d accord | très bien | génial | nickel
    je vous remercie | mille fois | infiniment`,
  solved: `
    ça marche maintenant | ça fonctionne maintenant | problème résolu | c est résolu | est réglé | ça a marché
    ça m a aidé`,
  sentences: {
    handing_off: 'Je vous mets en relation avec notre équipe, qui vous répondra ici.',
    found: 'Voici ce que j’ai trouvé :',
    may_help: 'Ces pages peuvent vous aider :',
    not_found: 'Je n’ai pas trouvé de réponse à cela.',
    ask_details: 'Pouvez-vous préciser un peu ce dont vous avez besoin ?',
    unreadable: 'Je ne peux pas lire cette pièce jointe. Notre équipe va la regarder.',
    prohibited_topic: 'Je ne peux pas vous aider à ce sujet. Notre équipe vous répondra ici.',
    failed: 'Un problème est survenu de notre côté. Notre équipe vous répondra ici.',
  },
};

export const es: LanguagePhrases = {
  person: `
    hablar con una persona | hablar con un humano | hablar con alguien | hablar con un agente | hablar con un asesor
    hablar con una asesora | hablar con un representante | hablar con soporte | persona real | persona de verdad
    agente humano | atención humana | un humano por favor | un agente por favor | una persona por favor
    comuníqueme con | páseme con | ponme con | ser humano`,
  not: 'no | sin | nunca | ningún | ninguna | tampoco',
  thanks: `
    gracias | muchas gracias | mil gracias | perfecto | genial | ok | vale | de acuerdo | muy bien | estupendo
    muy amable`,
  solved: `
    ya funciona | problema resuelto | está resuelto | se solucionó | ya está solucionado | me ha servido | me sirvió
    ha funcionado`,
  sentences: {
    handing_off: 'Le pongo en contacto con nuestro equipo, que le responderá aquí.',
    found: 'Esto es lo que he encontrado:',
    may_help: 'Estas páginas pueden ayudar:',
    not_found: 'No he encontrado una respuesta a esto.',
    ask_details: '¿Puede contarme un poco más sobre lo que necesita?',
    unreadable: 'No puedo leer este archivo adjunto. Alguien de nuestro equipo lo mirará.',
    prohibited_topic: 'No puedo ayudarle con esto. Alguien de nuestro equipo le responderá aquí.',
    failed: 'Algo ha fallado por nuestra parte. Alguien de nuestro equipo le responderá aquí.',
  },
};

export const it: LanguagePhrases = {
  person: `
    parlare con una persona | parlare con un umano | parlare con qualcuno | parlare con un operatore
    parlare con un agente | parlare con un addetto | parlare con l assistenza | persona reale | persona vera
    operatore umano | un operatore per | un umano per | essere umano | passatemi | mi passi`,
  not: 'non | senza | mai | nessun | nessuna',
  thanks: `
    grazie | grazie mille | molte grazie | ti ringrazio | la ringrazio | perfetto | ottimo | ok | va bene
    benissimo | tante`,
  solved: `
    ora funziona | adesso funziona | problema risolto | è risolto | ho risolto | ha funzionato | mi ha aiutato`,
  sentences: {
    handing_off: 'La metto in contatto con il nostro team, che le risponderà qui.',
    found: 'Ecco che cosa ho trovato:',
    may_help: 'Queste pagine possono essere utili:',
    not_found: 'Non ho trovato una risposta.',
    ask_details: 'Può dirmi qualcosa di più su ciò di cui ha bisogno?',
    unreadable: 'Non riesco a leggere questo allegato. Qualcuno del nostro team lo guarderà.',
    prohibited_topic: 'Non posso aiutarla su questo. Qualcuno del nostro team le risponderà qui.',
    failed: 'Qualcosa è andato storto da parte nostra. Qualcuno del nostro team le risponderà qui.',
  },
};

export const pt: LanguagePhrases = {
  person: `
    falar com uma pessoa | falar com um humano | falar com alguém | falar com um atendente | falar com uma atendente
    falar com um agente | falar com o suporte | falar com um representante | pessoa real | pessoa de verdade
    atendente humano | atendimento humano | um humano por favor | atendente por favor | ser humano | me transfira
    transferir para um`,
  not: 'não | sem | nunca | nenhum | nenhuma',
  thanks: `
    obrigado | obrigada | muito obrigado | muito obrigada | valeu | perfeito | ótimo | ok | tudo bem | beleza
    agradeço | brigado`,
  solved: `
    já funciona | agora funciona | funcionou | problema resolvido | está resolvido | resolveu | deu certo`,
  sentences: {
    handing_off: 'Vou passar o seu contato à nossa equipe, que responderá aqui.',
    found: 'Isto é o que encontrei:',
    may_help: 'Estas páginas podem ajudar:',
    not_found: 'Não encontrei uma resposta para isto.',
    ask_details: 'Pode contar um pouco mais sobre o que precisa?',
    unreadable: 'Não consigo ler este anexo. Alguém da nossa equipe vai vê-lo.',
    prohibited_topic: 'Não posso ajudar com isto. Alguém da nossa equipe responderá aqui.',
    failed: 'Algo correu mal do nosso lado. Alguém da nossa equipe responderá aqui.',
  },
};

export const ro: LanguagePhrases = {
  person: `
    vorbesc cu un om | vorbesc cu o persoană | vorbesc cu cineva | vorbesc cu un operator | vorbesc cu un agent
    vorbi cu un om | vorbi cu cineva | vorbi cu un operator | persoană reală | operator uman | un operator vă rog
    ființă umană`,
  not: 'nu | fără | niciodată',
  thanks: 'mulțumesc | mersi | mulțumesc mult | perfect | super | ok | bine | foarte | mulțumim',
  solved: 'acum funcționează | merge acum | problema rezolvată | s a rezolvat | este rezolvat',
  sentences: {
    handing_off: 'Vă pun în legătură cu echipa noastră, care vă va răspunde aici.',
    found: 'Iată ce am găsit:',
    may_help: 'Aceste pagini vă pot ajuta:',
    not_found: 'Nu am găsit un răspuns.',
    ask_details: 'Îmi puteți spune puțin mai mult despre ce aveți nevoie?',
    unreadable: 'Nu pot citi acest atașament. Cineva din echipa noastră îl va vedea.',
    prohibited_topic: 'Nu vă pot ajuta cu acest subiect. Cineva din echipa noastră vă va răspunde aici.',
    failed: 'Ceva nu a funcționat la noi. Cineva din echipa noastră vă va răspunde aici.',
  },
};
