import type { LanguagePhrases } from './phrases.rules.ts';

export const fr: LanguagePhrases = {
  person: `
    (parler|discuter|échanger|communiquer|chatter|dialoguer) ?(à|avec|directement à|directement avec) ?(un|une|quelqu'un|votre|vos|des) ?(vrai|vraie|véritable|autre) (humain|humaine|personne|quelqu'un|conseiller|conseillère|agent|opérateur|être humain|représentant|employé|vrai humain|conseiller client|responsable|service client|équipe|collègue) ?(humain|réel|réelle)
    parler à (quelqu'un|qqn|un humain|une personne)
    (mettez|mets|passez|passe|transférez|connectez|dirigez|redirigez) moi ?(en|vers|à|avec) ?(relation|contact|communication) ?(vers|à|avec) ?(un|une|le|votre|quelqu'un) ?(vrai|vraie) (humain|personne|conseiller|conseillère|agent|opérateur|quelqu'un|service client|responsable|d'humain)
    (je) (veux|voudrais|souhaite|désire|demande|exige|aimerais) ?(avoir|joindre|contacter) (un|une) (humain|vrai humain|vraie personne|vrai conseiller|conseiller|conseillère|agent humain|conseiller humain|personne réelle|personne humaine|être humain) ?(s'il vous plaît|svp|stp|maintenant|au téléphone) $
    (être) (mis en relation|mise en relation|transféré|transférée|mis en contact) (avec|à|vers) (un|une|quelqu'un|le) ?(vrai|vraie) (humain|personne|conseiller|conseillère|agent|quelqu'un|service client)
    y a t il (quelqu'un|un humain|une vraie personne); j'ai besoin ?(de parler) (d'un|à un) (humain|conseiller|vrai conseiller|agent humain)`,
  personAlone: `?(vrai|vraie) (humain|conseiller|conseillère|agent|opérateur|personne humaine|vraie personne|être humain) ?(humain|réel); conseiller clientèle; agent humain`,
  notBefore: `(veux|voudrais|souhaite|désire|besoin|envie|aimerais|faut) ?(surtout|vraiment) (pas|plus|jamais|aucunement) ?(de|à|avoir|besoin|avoir à|devoir); (pas|plus) (besoin|envie|nécessaire|question) ?(de|d'); sans ?(avoir à|devoir); au lieu de; plutôt que ?de; ne pas; inutile de; pas`,
  notAfter: `n'est pas (nécessaire|utile|la peine); pas nécessaire; ne m'intéresse pas`,
  polite: `s'il vous plaît; s'il te plaît; svp; stp; merci; merci beaucoup; merci d'avance; bonjour; bonsoir; salut; maintenant; un; une; le; la; je; veux; voudrais`,
  thanks: `?(un grand|mille) merci ?(beaucoup|bien|infiniment|à vous|à toi|pour (votre|ton) (aide|réponse|retour|temps)|pour (l'info|tout|l'information)); merci merci; mille mercis; ok; okay; oki; d'accord; parfait; super; génial; très bien; bien; c'est bon; c'est noté; noté; compris; j'ai compris; entendu; top; nickel; excellent; non merci; ce sera tout; c'est tout; ça marche; bonne (journée|soirée); au revoir; je vous remercie; je te remercie; ça aide; impeccable; cool`,
  yes: `oui; ouais; oui oui; oui (bien sûr|tout à fait|c'est ça|exactement|allez y|vas y|d'accord|c'est exact|volontiers); ?oui je confirme ?cela; confirmer; confirmé; je le confirme; c'est exact; tout à fait; bien sûr; absolument; d'accord`,
  no: `non; nan; non non; non (annulez|annuler|merci|surtout pas|pas du tout|arrêtez); annuler; annulez; surtout pas; ne le faites pas; pas du tout; refuser; je refuse; stop`,
  solved: `(problème|souci|question|c'est|tout est|est|été|affaire) (résolu|résolue|réglé|réglée|réparé|corrigé); (ça|cela|tout|il|elle) ?(a|re) ?(bien) (marche|fonctionne|remarche|marché|fonctionné|résolu|réglé) ?(maintenant|bien|de nouveau|à nouveau|le problème|mon problème|parfaitement); (a|avez|as) (résolu|réglé) (le|mon) (problème|souci); (maintenant) (ça|cela) (marche|fonctionne); ^ (résolu|réglé) $; ça m'a ?(bien|beaucoup) aidé`,
  notSolved: `pas; plus; jamais; rien; mais; toujours; encore; cependant; malheureusement; sauf; aucun; aucune; si; quand; jusqu'à; sans; espère; presque; ni; comment`,
  sentences: {
    handing_off: 'Nous vous mettons en relation avec un membre de notre équipe, qui vous répondra ici.',
    found: 'Voici ce que disent nos pages :',
    may_help: 'Ces pages pourraient vous aider :',
    not_found: 'Je n’ai pas trouvé de réponse à cette question.',
    ask_details: 'Pourriez-vous préciser un peu plus ce dont vous avez besoin ?',
    prohibited_topic: 'Je ne peux pas vous aider sur ce sujet. Un membre de notre équipe vous répondra ici.',
    unreadable: 'Je ne peux pas lire cette pièce jointe. Un membre de notre équipe va la consulter.',
    failed: 'Un problème est survenu de notre côté. Un membre de notre équipe vous répondra ici.',
    action_done: 'C’est fait.',
    action_failed: 'Cela n’a pas pu être fait. Rien n’a été modifié.',
    action_unknown: 'Nous ne savons pas encore si cela a fonctionné. Un membre de notre équipe va le vérifier.',
    action_in_progress: 'C’est en cours de traitement. Nous vous tiendrons au courant ici.',
    confirm_question: 'Veuillez confirmer : {action}',
    confirm_yes_hint: 'Répondez « oui » pour confirmer ou « non » pour annuler.',
    confirmed: 'Merci, c’est confirmé.',
    rejected_confirmation: 'D’accord, nous ne le ferons pas.',
    confirm_button: 'Confirmer',
    reject_button: 'Annuler',
    confirmation_expired: 'Ce lien a expiré. Rien n’a été fait.',
    identity_required: 'Pour cela, nous devons d’abord vérifier votre identité.',
    budget: 'Je ne peux pas poursuivre cette conversation pour le moment. Un membre de notre équipe vous répondra ici.',
  },
};

export const es: LanguagePhrases = {
  person: `
    (hablar|conversar|chatear|comunicarme|contactar|hable|hablo) ?(directamente) con ?(un|una|alguien|algún|alguna|su|el) ?(verdadero|verdadera|otro|otra) (humano|humana|persona|alguien|agente|asesor|asesora|operador|operadora|ser humano|representante|ejecutivo|empleado|encargado|supervisor|servicio al cliente|atención al cliente|equipo|compañero) ?(humano|humana|real)
    (páseme|pásame|pásenme|comuníqueme|comunícame|conécteme|conéctame|transfiérame|transfiéreme|póngame|ponme) ?(por favor) ?(en contacto) con ?(un|una|alguien|el|algún|la) ?(humano|persona|agente|asesor|operador|representante|alguien|ser humano|operadora|encargado|supervisor|asesora|atención al cliente)
    (quiero|necesito|quisiera|deseo|prefiero|exijo) (un humano|una persona real|un agente humano|un agente real|una persona de verdad|un ser humano|un asesor|un agente|un operador) ?(por favor|ahora|ya) $
    me atienda (una persona|un humano|un agente|alguien|una persona real); hay (alguien|algún humano|alguna persona) (ahí|real|que me atienda)`,
  personAlone: `(humano|agente|persona|asesor|asesora|operador|operadora|representante) ?(humano|humana|real|de verdad); ser humano; atención humana`,
  notBefore: `no ?(me|te|lo) ?(quiero|necesito|deseo|quisiera|gustaría|interesa|hace falta|tengo que|quería|hay que|quieren|me gusta) ?(tener que); sin ?(tener que|necesidad de); en (vez|lugar) de; nunca; no; tampoco ?(quiero|necesito)`,
  notAfter: `no (es|hace|me) (necesario|falta|interesa); no quiero`,
  polite: `por favor; porfavor; porfa; gracias; muchas gracias; hola; buenas; buenos días; buenas tardes; ahora; ya; un; una; quiero; necesito; señor; señorita`,
  thanks: `?(muchas|mil|muchísimas) gracias ?(por ?(su|tu|la|el|todo) (ayuda|respuesta|información|tiempo|atención)|por todo|a usted|a ti|igualmente); ok; okay; okey; vale; perfecto; genial; excelente; muy bien; bien; de acuerdo; entendido; entiendo; listo; estupendo; super; buenísimo; no gracias; eso es todo; está bien; le agradezco; te agradezco; muy amable; claro; fenomenal; que tenga ?(un) buen día; adiós; buen día; fantástico; igualmente`,
  yes: `sí; sip; sí sí; sí (claro|por supuesto|correcto|exacto|adelante|señor|señora|de acuerdo|hágalo|hazlo|así es); ?sí ?(lo) confirmo; confirmar; confirmado; correcto; claro que sí; por supuesto; así es; de acuerdo; afirmativo`,
  no: `no; nop; no no; no (gracias|cancelar|cancela|cancele|por favor|lo haga|lo hagas|señor|quiero); cancelar; cancela; cancele; mejor no; para nada; de ninguna manera; negativo; rechazar; rechazo`,
  solved: `(está|quedó|fue|ha sido|problema|tema|asunto|todo|se ha|duda) (resuelto|solucionado|arreglado|resuelta|aclarada|solucionada); ya (funciona|me funciona|funcionó|quedó|lo resolví|está funcionando|está resuelto|está solucionado|se solucionó|se arregló|se resolvió); (eso|esto) ?(me) (funcionó|resolvió|solucionó|ayudó|ha funcionado) ?(el problema|mi problema); (ahora) (sí) ?(me) funciona; ahora funciona; funciona (ahora|perfectamente|bien); ^ (resuelto|solucionado|funcionó) $; me ha ayudado`,
  notSolved: `no; nada; nunca; pero; todavía; aún; sigue; sin; excepto; salvo; ni; cuando; hasta; ojalá; espero; aunque; casi; tampoco; como`,
  sentences: {
    handing_off: 'Le ponemos en contacto con una persona de nuestro equipo, que le responderá aquí.',
    found: 'Esto es lo que dicen nuestras páginas:',
    may_help: 'Estas páginas pueden ayudarle:',
    not_found: 'No he encontrado una respuesta a esto.',
    ask_details: '¿Podría explicar un poco más lo que necesita?',
    prohibited_topic: 'No puedo ayudar con este tema. Una persona de nuestro equipo le responderá aquí.',
    unreadable: 'No puedo leer este archivo adjunto. Una persona de nuestro equipo lo revisará.',
    failed: 'Algo ha fallado por nuestra parte. Una persona de nuestro equipo le responderá aquí.',
    action_done: 'Ya está hecho.',
    action_failed: 'No se ha podido hacer. No se ha cambiado nada.',
    action_unknown: 'Todavía no sabemos si ha funcionado. Una persona de nuestro equipo lo comprobará.',
    action_in_progress: 'Estamos trabajando en ello. Le avisaremos aquí.',
    confirm_question: 'Confirme, por favor: {action}',
    confirm_yes_hint: 'Responda «sí» para confirmar o «no» para cancelar.',
    confirmed: 'Gracias, queda confirmado.',
    rejected_confirmation: 'De acuerdo, no lo haremos.',
    confirm_button: 'Confirmar',
    reject_button: 'Cancelar',
    confirmation_expired: 'Este enlace ha caducado. No se ha hecho nada.',
    identity_required: 'Para hacer esto, primero tenemos que verificar su identidad.',
    budget: 'No puedo continuar esta conversación ahora. Una persona de nuestro equipo le responderá aquí.',
  },
};

export const it: LanguagePhrases = {
  person: `
    (parlare|parlo|chattare|comunicare|discutere|parlarne) ?(direttamente) con ?(un|una|uno|qualcuno|il|il vostro|un vostro|l') ?(vero|vera|altro|altra) (umano|essere umano|persona|qualcuno|operatore|operatrice|agente|consulente|addetto|assistenza|servizio clienti|responsabile|collega|rappresentante|impiegato) ?(umano|umana|reale|vero|vera|in carne e ossa)
    (passatemi|mi passi|mi passa|passami|mettetemi|mettimi|mi metta|collegatemi|trasferitemi|trasferiscimi|mi trasferisca|mi colleghi) ?(in) ?(contatto|comunicazione) ?(con|a) ?(un|una|l'|qualcuno|il) ?(umano|persona|operatore|operatrice|agente|qualcuno|consulente|vero operatore|responsabile|servizio clienti|addetto)
    (voglio|vorrei|desidero|pretendo|preferisco) (un operatore|un essere umano|una persona reale|una persona vera|un umano|un operatore umano|una persona in carne e ossa|un operatore reale) ?(per favore|adesso|ora|subito) $
    ho bisogno di (un operatore|un umano|una persona reale|un essere umano|un operatore umano); essere (contattato|richiamato|messo in contatto) (da|con) (un operatore|una persona|qualcuno|un umano)`,
  personAlone: `(operatore|operatrice|persona|agente|umano|consulente|assistente) ?(umano|umana|reale|vero|vera); essere umano; assistenza umana`,
  notBefore: `(non) ?(ho) ?(voglio|vorrei|desidero|bisogno|mi va|mi interessa|serve|devo|intendo|volevo|occorre) ?(di|più); senza ?(dover|dovere|bisogno di); invece di; anziché; piuttosto che; non; mai`,
  notAfter: `non (è|mi) (necessario|serve|interessa|occorre)`,
  polite: `per favore; per piacere; perfavore; grazie; grazie mille; ciao; salve; buongiorno; buonasera; ora; adesso; subito; un; una; con; voglio; vorrei; cortesemente`,
  thanks: `?(molte|tante|mille) grazie ?(mille|tante|infinite|davvero|ancora|a lei|a te|a voi|di tutto|di cuore|dell'aiuto|della risposta|per (l'aiuto|la risposta|le informazioni|l'informazione|tutto|il supporto)); la ringrazio; ti ringrazio; vi ringrazio; ok; okay; va bene; perfetto; ottimo; benissimo; bene; molto bene; capito; ho capito; chiaro; d'accordo; fantastico; eccellente; no grazie; è tutto; tutto chiaro; gentilissimo; gentilissima; molto gentile; grande; super; buona (giornata|serata); arrivederci; ricevuto; bravissimo; altrettanto; ci sta`,
  yes: `sì; sí; sì sì; sì (certo|certamente|esatto|proceda|procedi|procedete|corretto|grazie|assolutamente|va bene|d'accordo); ?sì ?(lo) confermo; confermare; conferma; confermato; certo; certamente; esatto; corretto; d'accordo; assolutamente sì`,
  no: `no; no no; no (grazie|annulla|annullare|annulli|meglio di no|assolutamente|lasci stare|lascia stare); annulla; annullare; annulli; meglio di no; lascia stare; lasci stare; rifiuto; rifiuta; assolutamente no; non farlo; non lo faccia`,
  solved: `(problema|tutto|è stato|è|ho|questione|abbiamo|avete|ha) (risolto|risolta|sistemato|sistemata|risolto il problema|risolto tutto); (ora|adesso) (funziona|va) ?(tutto|bene|di nuovo); funziona (ora|adesso|tutto|perfettamente|di nuovo); ha funzionato; si è risolto; ^ risolto $; mi (ha|è) (aiutato|aiutata|stato utile|stato di aiuto)`,
  notSolved: `non; niente; nulla; mai; ma; però; ancora; purtroppo; tranne; nessun; nessuna; se; quando; finché; senza; spero; quasi; né; come`,
  sentences: {
    handing_off: 'La mettiamo in contatto con una persona del nostro team, che Le risponderà qui.',
    found: 'Ecco che cosa dicono le nostre pagine:',
    may_help: 'Queste pagine potrebbero essere utili:',
    not_found: 'Non ho trovato una risposta a questa domanda.',
    ask_details: 'Potrebbe spiegare un po’ meglio di che cosa ha bisogno?',
    prohibited_topic: 'Non posso aiutare su questo argomento. Una persona del nostro team Le risponderà qui.',
    unreadable: 'Non riesco a leggere questo allegato. Una persona del nostro team lo esaminerà.',
    failed: 'Qualcosa è andato storto da parte nostra. Una persona del nostro team Le risponderà qui.',
    action_done: 'È stato fatto.',
    action_failed: 'Non è stato possibile farlo. Non è stato modificato nulla.',
    action_unknown: 'Non sappiamo ancora se l’operazione è riuscita. Una persona del nostro team lo verificherà.',
    action_in_progress: 'Ci stiamo lavorando. La informeremo qui.',
    confirm_question: 'Per favore, confermi: {action}',
    confirm_yes_hint: 'Risponda «sì» per confermare o «no» per annullare.',
    confirmed: 'Grazie, è confermato.',
    rejected_confirmation: 'Va bene, non lo faremo.',
    confirm_button: 'Conferma',
    reject_button: 'Annulla',
    confirmation_expired: 'Questo link è scaduto. Non è stato eseguito nulla.',
    identity_required: 'Per farlo dobbiamo prima verificare la Sua identità.',
    budget: 'Al momento non posso continuare questa conversazione. Una persona del nostro team Le risponderà qui.',
  },
};

export const pt: LanguagePhrases = {
  person: `
    (falar|conversar|falo|contactar|falando|atendido|atendida|atendimento) ?(diretamente) (com|por) ?(um|uma|alguém|algum|o|a) ?(verdadeiro|verdadeira|outro|outra) (humano|humana|pessoa|alguém|atendente|agente|operador|operadora|ser humano|representante|funcionário|assistente|consultor|gerente|suporte|atendimento|colega) ?(humano|humana|real|de verdade)
    (passe|passa|transfira|transfere|conecte|coloque|ligue|encaminhe|transferir|passar) ?(me) ?(por favor) ?(em contato|em contacto) (para|com|a) ?(um|uma|o) ?(humano|pessoa|atendente|agente|operador|alguém|representante|ser humano|assistente|atendimento)
    me (passe|passa|transfira|transfere|conecte|coloque|encaminhe) ?(em contato|em contacto) (para|com) ?(um|uma|o) ?(humano|pessoa|atendente|agente|operador|alguém|representante|ser humano)
    (quero|queria|preciso de|gostaria de|exijo|desejo|prefiro) (um atendente|um humano|uma pessoa real|um operador|um ser humano|um atendente humano|uma pessoa de verdade|um agente humano|atendimento humano) ?(por favor|agora|já) $`,
  personAlone: `(atendente|humano|pessoa|operador|operadora|agente|assistente) ?(humano|humana|real|de verdade); atendimento humano; ser humano`,
  notBefore: `não ?(quero|preciso|desejo|gostaria|queria|necessito|me interessa|vou|pretendo|é preciso) ?(de|ter de|ter que); sem ?(ter de|ter que|precisar); em vez de; ao invés de; nunca; não`,
  notAfter: `não (é|me) (necessário|preciso|interessa); não quero`,
  polite: `por favor; porfavor; pf; obrigado; obrigada; olá; oi; bom dia; boa tarde; boa noite; agora; já; um; uma; com; quero; preciso`,
  thanks: `?(muito|muitíssimo) (obrigado|obrigada|obg|obrigadão|obrigadinha) ?(pela (ajuda|resposta|atenção|informação)|pelo (apoio|retorno|atendimento)|por tudo|mesmo|a você|a vocês); agradeço ?(muito|a ajuda|a atenção); valeu; ok; okay; tá bom; tá; está bem; certo; perfeito; ótimo; óptimo; beleza; blz; excelente; muito bem; bem; bom; entendi; entendido; percebi; combinado; maravilha; legal; show; top; não (obrigado|obrigada); é só isso; é tudo; fixe; tudo bem; tudo certo; grato; grata; igualmente; bom dia`,
  yes: `sim; sim sim; sim (claro|correto|por favor|exato|pode|com certeza|isso|está certo|quero); ?sim ?(eu) confirmo; confirmar; confirmado; confirmo sim; claro que sim; com certeza; isso mesmo; exato; correto; pode (fazer|confirmar)`,
  no: `não; nao; não não; não (obrigado|obrigada|cancela|cancelar|cancele|quero|faça|confirmo); cancelar; cancela; cancele; melhor não; de jeito nenhum; de modo nenhum; recuso; rejeitar`,
  unclear: `confirmo não`,
  solved: `(está|foi|ficou|problema|já está|tudo|dúvida|assunto) (resolvido|resolvida|solucionado|corrigido|esclarecida|arranjado); (já|agora) (funciona|está funcionando|está a funcionar|funcionou|deu certo|resolvi|consegui resolver|está resolvido); (funcionou|resolveu|deu certo) ?(agora|o problema|o meu problema|meu problema|perfeitamente); funciona (agora|perfeitamente); isso (ajudou|resolveu|funcionou); ^ (resolvido|funcionou|deu certo) $`,
  notSolved: `não; nada; nunca; mas; ainda; porém; infelizmente; sem; exceto; nem; quando; até; espero; embora; quase; continua; se; como`,
  sentences: {
    handing_off: 'Vamos colocar você em contato com uma pessoa da nossa equipe, que responderá aqui.',
    found: 'Veja o que dizem as nossas páginas:',
    may_help: 'Estas páginas podem ajudar:',
    not_found: 'Não encontrei uma resposta para isto.',
    ask_details: 'Poderia explicar um pouco melhor do que precisa?',
    prohibited_topic: 'Não posso ajudar com este assunto. Uma pessoa da nossa equipe responderá aqui.',
    unreadable: 'Não consigo ler este anexo. Uma pessoa da nossa equipe vai analisá-lo.',
    failed: 'Algo deu errado do nosso lado. Uma pessoa da nossa equipe responderá aqui.',
    action_done: 'Pronto, está feito.',
    action_failed: 'Não foi possível fazer isto. Nada foi alterado.',
    action_unknown: 'Ainda não sabemos se isto funcionou. Uma pessoa da nossa equipe vai verificar.',
    action_in_progress: 'Estamos tratando disto. Avisaremos aqui.',
    confirm_question: 'Por favor, confirme: {action}',
    confirm_yes_hint: 'Responda “sim” para confirmar ou “não” para cancelar.',
    confirmed: 'Obrigado, está confirmado.',
    rejected_confirmation: 'Certo, não faremos isto.',
    confirm_button: 'Confirmar',
    reject_button: 'Cancelar',
    confirmation_expired: 'Este link expirou. Nada foi feito.',
    identity_required: 'Para fazer isto, precisamos primeiro verificar a sua identidade.',
    budget: 'Não posso continuar esta conversa agora. Uma pessoa da nossa equipe responderá aqui.',
  },
};

export const ro: LanguagePhrases = {
  person: `
    (vorbesc|vorbi|discut|discuta|vorbim|conversez|comunic) ?(direct) cu ?(un|o|cineva|vreun) ?(adevărat|adevărată) (om|persoană|cineva|operator|agent|consultant|coleg|reprezentant|angajat|ființă umană|consilier) ?(real|reală|uman|adevărat|adevărată)
    (conectați|transferați|puneți|faceți|conectează|transferă) ?(mă) ?(vă rog) ?(legătura|în legătură) (cu|la|către) ?(un|o) ?(om|persoană|operator|agent|cineva|consultant|coleg|reprezentant)
    (vreau|doresc|aș dori|aș vrea) (un operator|un om|o persoană reală|un operator uman|un agent uman|un om real) ?(vă rog|acum) $; am nevoie de (un operator|un om|o persoană reală|un operator uman)`,
  personAlone: `(operator|om|agent|persoană|consultant) ?(real|uman|reală|adevărat)`,
  notBefore: `nu ?(vreau|doresc|trebuie|am nevoie|aș dori|aș vrea) ?(să|de) ?(mai); fără ?(să|a); în loc să; niciodată; nu`,
  notAfter: `nu (este|e) (necesar|nevoie)`,
  polite: `vă rog; te rog; mulțumesc; bună; bună ziua; salut; acum; un; o; cu; vreau`,
  thanks: `mulțumesc ?(mult|frumos|foarte mult|pentru (ajutor|răspuns|informații|tot)); mulțumim; mersi ?mult; vă mulțumesc; îți mulțumesc; ok; okay; bine; foarte bine; perfect; excelent; super; grozav; am înțeles; înțeles; în regulă; de acord; nu mulțumesc; asta e tot; minunat; o zi bună; la fel`,
  yes: `da; da da; da (sigur|desigur|corect|exact|vă rog|bineînțeles|este corect); ?da confirm; confirmat; confirmă; confirmați; corect; desigur; sigur; bineînțeles; de acord`,
  no: `nu; ba nu; nu nu; nu (mulțumesc|anulează|anulați|confirm|vreau|doresc); anulează; anulați; anulare; mai bine nu; refuz; deloc`,
  solved: `(s'a|a fost|este|am|ați|problema|totul e) (rezolvat|rezolvată|remediat|reparat); (acum) (merge|funcționează|e bine); (merge|funcționează) (acum|din nou|perfect); a (mers|funcționat); ^ rezolvat $; m'a ajutat`,
  notSolved: `nu; nimic; niciodată; dar; însă; încă; tot; fără; dacă; când; până; sper; aproape; nici; cum; din păcate`,
  sentences: {
    handing_off: 'Vă punem în legătură cu cineva din echipa noastră, care vă va răspunde aici.',
    found: 'Iată ce spun paginile noastre:',
    may_help: 'Aceste pagini v-ar putea ajuta:',
    not_found: 'Nu am găsit un răspuns la această întrebare.',
    ask_details: 'Puteți să explicați puțin mai mult de ce aveți nevoie?',
    prohibited_topic: 'Nu pot ajuta cu acest subiect. Cineva din echipa noastră vă va răspunde aici.',
    unreadable: 'Nu pot citi acest atașament. Cineva din echipa noastră îl va verifica.',
    failed: 'Ceva nu a funcționat din partea noastră. Cineva din echipa noastră vă va răspunde aici.',
    action_done: 'S-a rezolvat.',
    action_failed: 'Acest lucru nu a putut fi făcut. Nu s-a schimbat nimic.',
    action_unknown: 'Încă nu știm dacă a reușit. Cineva din echipa noastră va verifica.',
    action_in_progress: 'Se lucrează la acest lucru. Vă vom anunța aici.',
    confirm_question: 'Vă rugăm să confirmați: {action}',
    confirm_yes_hint: 'Răspundeți cu „da” pentru a confirma sau cu „nu” pentru a anula.',
    confirmed: 'Vă mulțumim, este confirmat.',
    rejected_confirmation: 'Bine, nu vom face acest lucru.',
    confirm_button: 'Confirmă',
    reject_button: 'Anulează',
    confirmation_expired: 'Acest link a expirat. Nu s-a făcut nimic.',
    identity_required: 'Pentru aceasta trebuie mai întâi să vă verificăm identitatea.',
    budget: 'Nu pot continua această conversație acum. Cineva din echipa noastră vă va răspunde aici.',
  },
};
