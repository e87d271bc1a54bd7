import type { LanguagePhrases } from './phrases.rules.ts';

export const fi: LanguagePhrases = {
  person: `
    puhua ihmiselle | puhua ihmisen kanssa | puhua jonkun kanssa | puhua asiakaspalvelijan kanssa
    jutella ihmisen kanssa | jutella jonkun kanssa | oikean ihmisen | oikea ihminen | oikealle ihmiselle
    yhdistä minut | yhdistäkää minut | asiakaspalvelija kiitos | asiakaspalvelijalle | ihmiselle kiitos`,
  not: 'ei | en | ilman | älä | ette',
  thanks: `
    kiitos | kiitos paljon | paljon kiitoksia | hienoa | hyvä | ok | okei | selvä | mahtavaa | kiitti | suuri`,
  solved: 'nyt toimii | toimii nyt | ongelma ratkesi | se auttoi | ratkesi | asia selvisi',
  sentences: {
    handing_off: 'Yhdistän sinut tiimiimme. Vastaus tulee tänne.',
    found: 'Löysin tämän:',
    may_help: 'Nämä sivut voivat auttaa:',
    not_found: 'En löytänyt tähän vastausta.',
    ask_details: 'Voisitko kertoa hieman tarkemmin, mitä tarvitset?',
    unreadable: 'En pysty lukemaan tätä liitettä. Joku tiimistämme katsoo sen.',
    prohibited_topic: 'En voi auttaa tässä. Joku tiimistämme vastaa sinulle täällä.',
    failed: 'Jokin meni meillä vikaan. Joku tiimistämme vastaa sinulle täällä.',
  },
};

export const hu: LanguagePhrases = {
  person: `
    emberrel beszélni | emberrel szeretnék beszélni | beszélni egy emberrel | beszélni valakivel
    beszélni egy munkatárssal | ügyintézővel beszélni | ügyintézővel szeretnék | munkatárssal szeretnék
    valódi emberrel | élő emberrel | kapcsoljon | ügyintézőt kérek`,
  not: 'nem | ne | nélkül | soha',
  thanks: 'köszönöm | köszi | köszönöm szépen | nagyon köszönöm | szuper | remek | ok | oké | rendben | jó',
  solved: 'most már működik | már működik | megoldódott | a probléma megoldva | segített',
  sentences: {
    handing_off: 'Kapcsolom a munkatársunkat, aki itt válaszol.',
    found: 'Ezt találtam:',
    may_help: 'Ezek az oldalak segíthetnek:',
    not_found: 'Erre nem találtam választ.',
    ask_details: 'Elmondaná kicsit részletesebben, mire van szüksége?',
    unreadable: 'Ezt a mellékletet nem tudom elolvasni. Egy munkatársunk megnézi.',
    prohibited_topic: 'Ebben nem tudok segíteni. Egy munkatársunk itt válaszol.',
    failed: 'Valami hiba történt nálunk. Egy munkatársunk itt válaszol.',
  },
};

export const el: LanguagePhrases = {
  person: `
    μιλήσω με άνθρωπο | μιλήσω με έναν άνθρωπο | μιλήσω με κάποιον | μιλήσω με εκπρόσωπο | μιλήσω με έναν εκπρόσωπο
    μιλήσω με υπάλληλο | πραγματικό άνθρωπο | συνδέστε με | εκπρόσωπο παρακαλώ | άνθρωπο παρακαλώ`,
  not: 'δεν | μην | χωρίς | ποτέ | όχι',
  thanks: 'ευχαριστώ | ευχαριστώ πολύ | σας ευχαριστώ | τέλεια | ωραία | ok | εντάξει | καλά | πολύ',
  solved: 'τώρα δουλεύει | τώρα λειτουργεί | λύθηκε | το πρόβλημα λύθηκε | με βοήθησε',
  sentences: {
    handing_off: 'Σας συνδέω με την ομάδα μας. Η απάντηση θα έρθει εδώ.',
    found: 'Να τι βρήκα:',
    may_help: 'Αυτές οι σελίδες ίσως βοηθήσουν:',
    not_found: 'Δεν βρήκα απάντηση σε αυτό.',
    ask_details: 'Μπορείτε να μου πείτε λίγο περισσότερα για το τι χρειάζεστε;',
    unreadable: 'Δεν μπορώ να διαβάσω αυτό το συνημμένο. Θα το δει κάποιος από την ομάδα μας.',
    prohibited_topic: 'Δεν μπορώ να βοηθήσω με αυτό. Θα σας απαντήσει εδώ κάποιος από την ομάδα μας.',
    failed: 'Κάτι πήγε στραβά από την πλευρά μας. Θα σας απαντήσει εδώ κάποιος από την ομάδα μας.',
  },
};

export const tr: LanguagePhrases = {
  person: `
    bir insanla konuşmak | insanla konuşmak | biriyle konuşmak | birisiyle konuşmak | temsilciyle konuşmak
    temsilci ile konuşmak | bir temsilciyle | bir temsilciye | yetkiliyle konuşmak | yetkili ile | gerçek bir insan
    gerçek biriyle | gerçek bir kişi | müşteri temsilcisi | canlı destek | beni bağlayın | insanla görüşmek
    temsilciyle görüşmek`,
  not: 'istemiyorum | gerek yok | değil | olmadan | gerekmiyor',
  thanks: `
    teşekkürler | teşekkür ederim | çok teşekkürler | çok teşekkür ederim | sağ ol | sağ olun | sağolun | harika
    süper | tamam | ok | mükemmel | eyvallah`,
  solved: 'şimdi çalışıyor | artık çalışıyor | sorun çözüldü | çözüldü | işe yaradı',
  sentences: {
    handing_off: 'Sizi ekibimize bağlıyorum. Yanıt buraya gelecek.',
    found: 'Bulduklarım:',
    may_help: 'Bu sayfalar yardımcı olabilir:',
    not_found: 'Buna bir yanıt bulamadım.',
    ask_details: 'Neye ihtiyacınız olduğunu biraz daha anlatır mısınız?',
    unreadable: 'Bu eki okuyamıyorum. Ekibimizden biri bakacak.',
    prohibited_topic: 'Bu konuda yardımcı olamıyorum. Ekibimizden biri size burada yanıt verecek.',
    failed: 'Bizim tarafımızda bir sorun oluştu. Ekibimizden biri size burada yanıt verecek.',
  },
};
