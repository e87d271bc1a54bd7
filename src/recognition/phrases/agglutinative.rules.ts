import type { LanguagePhrases } from './phrases.rules.ts';

export const fi: LanguagePhrases = {
  person: `
    (puhua|jutella|keskustella|chatata|asioida) ?(suoraan) ?(oikean|elävän|jonkun|toisen|oikealle|jollekin) (ihmisen|henkilön|asiakaspalvelijan|jonkun|työntekijän|virkailijan|asiantuntijan) kanssa
    (puhua|jutella) ?(oikealle) (ihmiselle|asiakaspalvelijalle|jollekulle)
    ?(oikean) (ihmisen|asiakaspalvelijan|jonkun|henkilön|virkailijan) kanssa ?(haluan|haluaisin) (puhua|jutella|keskustella)
    (yhdistä|yhdistäkää|siirrä|siirtäkää|ohjaa) (minut|meidät) ?(kiitos) ?(oikealle) (ihmiselle|asiakaspalvelijalle|henkilölle|asiakaspalveluun|virkailijalle|jollekulle)
    (haluan|haluaisin|tarvitsen) ?(oikean) (ihmisen|asiakaspalvelijan) ?(kiitos|nyt) $
    onko (siellä|täällä) (oikea ihminen|ihminen|ketään|ihmistä)`,
  personAlone: `?(oikea|elävä) (ihminen|asiakaspalvelija|henkilö|virkailija)`,
  notBefore: `(en|emme|ei|et|älä|älkää) ?(halua|haluaisi|haluttaisi|tarvitse|tahdo|jaksa|yhdistä|aio|huvita|viitsi|välttämättä) ?(enää|nyt); sen sijaan että; ilman`,
  notAfter: `ei ole (tarpeen|pakko|välttämätöntä); en halua; ei tarvitse`,
  polite: `kiitos; hei; moi; terve; nyt; heti; ole hyvä; olkaa hyvä; haluan`,
  thanks: `kiitos ?(paljon|kovasti|avusta|vastauksesta|tiedosta|kaikesta|nopeasta vastauksesta|teille|sinulle|oikein paljon); kiitoksia ?(paljon); paljon kiitoksia; suuri kiitos; suurkiitos; kiitti; ok; okei; selvä; selvä juttu; hyvä; hienoa; mahtavaa; loistavaa; erinomaista; ymmärrän; ymmärretty; asia selvä; ei kiitos; siinä kaikki; hyvää päivänjatkoa; mukavaa päivää; jees; super; kiva; oikein hyvä; samoin`,
  yes: `kyllä; joo; juu; jep; kyllä kyllä; kyllä (vahvistan|pitää paikkansa|totta kai|juuri niin); vahvistan ?(tämän|sen); vahvista; vahvistettu; pitää paikkansa; totta kai; ehdottomasti; juuri niin`,
  no: `ei; en; ei ei; ei (kiitos|peruuta|peru|en halua); en vahvista; peruuta; peru; peruuttakaa; mieluummin ei; älä tee; en halua`,
  solved: `(ongelma|asia|kaikki|se) ?(on|nyt|jo) (ratkesi|ratkaistu|korjattu|selvisi|hoidettu|kunnossa|korjaantui); (nyt) ?(se|kaikki) (toimii|onnistui); (toimii|onnistui) (nyt|taas|kiitos); (se|tämä) (auttoi|ratkaisi ongelman|toimi); ^ (ratkesi|toimii|selvisi|onnistui) $`,
  notSolved: `ei; en; eivät; mitään; koskaan; mutta; silti; vieläkään; vielä; valitettavasti; paitsi; jos; kun; kunnes; melkein; miten; edelleen; ilman`,
  sentences: {
    handing_off: 'Yhdistämme sinut tiimimme jäseneen. Saat vastauksen tänne.',
    found: 'Sivuillamme kerrotaan näin:',
    may_help: 'Nämä sivut voivat auttaa:',
    not_found: 'Tähän ei valitettavasti löytynyt vastausta.',
    ask_details: 'Voisitko kertoa hieman tarkemmin, mitä tarvitset?',
    prohibited_topic: 'En voi auttaa tässä aiheessa. Joku tiimistämme vastaa sinulle täällä.',
    unreadable: 'En pysty lukemaan tätä liitettä. Joku tiimistämme katsoo sen.',
    failed: 'Meillä tapahtui virhe. Joku tiimistämme vastaa sinulle täällä.',
    action_done: 'Tämä on nyt tehty.',
    action_failed: 'Tätä ei voitu tehdä. Mitään ei muutettu.',
    action_unknown: 'Emme vielä tiedä, onnistuiko tämä. Joku tiimistämme tarkistaa asian.',
    action_in_progress: 'Asiaa käsitellään. Kerromme sinulle täällä.',
    confirm_question: 'Vahvista: {action}',
    confirm_yes_hint: 'Vastaa ”kyllä” vahvistaaksesi tai ”ei” peruuttaaksesi.',
    confirmed: 'Kiitos, vahvistettu.',
    rejected_confirmation: 'Selvä, emme tee tätä.',
    confirm_button: 'Vahvista',
    reject_button: 'Peruuta',
    confirmation_expired: 'Tämä linkki on vanhentunut. Mitään ei ole tehty.',
    identity_required: 'Tätä varten meidän on ensin varmistettava henkilöllisyytesi.',
    budget: 'En voi jatkaa tätä keskustelua nyt. Joku tiimistämme vastaa sinulle täällä.',
  },
};

export const hu: LanguagePhrases = {
  person: `
    (beszélni|beszélgetni|beszélhetek|beszélhetnék|beszélnék|csetelni) ?(szeretnék|akarok|kívánok) ?(egy) ?(valódi|élő|igazi|másik) (emberrel|személlyel|ügyintézővel|munkatárssal|valakivel|operátorral|ügyfélszolgálatossal|kollégával)
    ?(egy) ?(valódi|élő|igazi) (emberrel|személlyel|ügyintézővel|munkatárssal|valakivel|operátorral|ügyfélszolgálatossal|kollégával) ?(szeretnék|akarok|kívánok) (beszélni|beszélnék|beszélhetek|beszélhetnék|beszélgetni)
    (kapcsoljon|kapcsolj|kapcsoljanak|kapcsolja) ?(kérem|át|be) ?(egy) ?(valódi|élő) (ügyintézőt|ügyintézőhöz|munkatársat|munkatárshoz|emberhez|embert|operátort)
    (kérek|kérnék|szeretnék) egy ?(valódi|élő|igazi) (embert|ügyintézőt|munkatársat|operátort) ?(kérem|most) $`,
  personAlone: `?(valódi|élő|igazi) (ember|embert|ügyintéző|ügyintézőt|operátor|operátort|munkatárs|munkatársat) ?(kérek)`,
  notBefore: `(nem|ne) ?(szeretnék|akarok|kívánok|kell|óhajtok); ahelyett hogy; anélkül hogy; soha; nem`,
  notAfter: `(nem) (szükséges|kell|akarok|szeretnék)`,
  polite: `kérem; kérlek; légyszi; köszönöm; köszi; szia; jó napot; most; egy; üdvözlöm; kérek`,
  thanks: `?(nagyon|szépen) (köszönöm|köszi|köszönjük|kösz) ?(szépen|a segítséget|a választ|az információt|a gyors választ|mindent|nagyon); hálás köszönet; ok; oké; rendben; jó; nagyon jó; szuper; remek; kiváló; tökéletes; értem; értettem; világos; nem köszönöm; ez minden; szép napot; viszlát; nagyszerű; minden világos; viszont`,
  yes: `igen; ja; igen igen; igen (kérem|persze|természetesen|pontosan|megerősítem|így van); megerősítem; megerősítés; megerősítve; így van; persze; természetesen; egyetértek`,
  no: `nem; ne; nem nem; nem (köszönöm|kérem|akarom|mégsem|szeretném|erősítem meg); mégse; mégsem; törlés; inkább ne; inkább nem; elutasítom; dehogy; lemondom`,
  solved: `(probléma|minden|ügy|kérdés|ez) ?(már|most) (megoldódott|megoldva|megoldotta|elintéződött|rendeződött|megoldott); (most|már) ?(már) ?(minden) (működik|jó); (működik) (most|már|újra|köszönöm); (ez) (segített|bevált|működött); ^ (megoldódott|működik|sikerült|megoldva) $`,
  notSolved: `nem; ne; semmi; soha; de; azonban; még; mindig; sajnos; kivéve; ha; amikor; amíg; majdnem; hogyan; nélkül; sem`,
  sentences: {
    handing_off: 'Kapcsoljuk egy munkatársunkat, aki itt fog válaszolni Önnek.',
    found: 'Az oldalainkon ez olvasható:',
    may_help: 'Ezek az oldalak segíthetnek:',
    not_found: 'Erre sajnos nem találtam választ.',
    ask_details: 'Elmondaná kicsit részletesebben, mire van szüksége?',
    prohibited_topic: 'Ebben a témában nem tudok segíteni. Egy munkatársunk itt fog válaszolni Önnek.',
    unreadable: 'Ezt a mellékletet nem tudom elolvasni. Egy munkatársunk megnézi.',
    failed: 'Hiba történt a mi oldalunkon. Egy munkatársunk itt fog válaszolni Önnek.',
    action_done: 'Ez megtörtént.',
    action_failed: 'Ezt nem sikerült elvégezni. Semmi sem változott.',
    action_unknown: 'Még nem tudjuk, hogy sikerült-e. Egy munkatársunk ellenőrzi.',
    action_in_progress: 'Dolgozunk rajta. Itt fogjuk értesíteni.',
    confirm_question: 'Kérjük, erősítse meg: {action}',
    confirm_yes_hint: 'A megerősítéshez válaszoljon „igen”-nel, az elvetéshez „nem”-mel.',
    confirmed: 'Köszönjük, megerősítve.',
    rejected_confirmation: 'Rendben, ezt nem végezzük el.',
    confirm_button: 'Megerősítés',
    reject_button: 'Mégse',
    confirmation_expired: 'Ez a link lejárt. Semmi nem történt.',
    identity_required: 'Ehhez először ellenőriznünk kell a személyazonosságát.',
    budget: 'Ezt a beszélgetést most nem tudom folytatni. Egy munkatársunk itt fog válaszolni Önnek.',
  },
};

export const tr: LanguagePhrases = {
  person: `
    (insanla|bir insanla|biriyle|birisiyle|kişiyle|temsilciyle|temsilcinizle|temsilcisiyle|yetkiliyle|operatörle|çalışanla|müşteri temsilcisiyle|görevliyle|danışmanla) ?(direkt|canlı) (konuşmak|görüşmek|konuşabilir|görüşebilir|konuşayım|görüşeyim|yazışmak|konuşmam|görüşmem|sohbet)
    (insana|temsilciye|müşteri temsilcisine|temsilcisine|yetkiliye|operatöre|birine|görevliye) ?(beni) (bağla|bağlayın|bağlar|bağlanmak|aktar|aktarın|bağlayabilir|bağlanabilir|yönlendirin|aktarılmak)
    (gerçek|canlı) (bir insan|insan|kişi|bir kişi|temsilci|bir temsilci|destek) (istiyorum|lazım|gerek)
    ^ ?(bir) (insan|temsilci|müşteri temsilcisi|yetkili) (istiyorum|lazım)`,
  personAlone: `?(gerçek|canlı) (insan|temsilci|müşteri temsilcisi|yetkili|operatör|destek)`,
  notBefore: `asla`,
  notAfter: `(istemiyorum|istemem|istemiyoruz|gerek yok|gerekmiyor|gerekmez|zorunda değilim|niyetim yok|istemezdim|zorunda kalmadan|yerine)`,
  polite: `lütfen; teşekkürler; merhaba; selam; şimdi; hemen; bir; bana; istiyorum; sağ olun; teşekkür ederim`,
  thanks: `?(çok) (teşekkürler|teşekkür ederim|teşekkür ederiz|sağ ol|sağ olun|sağol|sağolun|teşekkür|tşk|tşkler) ?(yardımınız için|cevap için|bilgi için|her şey için); yardımınız için ?(çok) (teşekkürler|teşekkür ederim); tamam; tamamdır; ok; okey; peki; harika; süper; mükemmel; güzel; çok güzel; anladım; anlaşıldı; çok iyi; iyi; hayır teşekkürler; yok teşekkürler; hepsi bu; iyi günler; eyvallah; olur; kolay gelsin; elinize sağlık; rica ederim`,
  yes: `evet; evet evet; evet (lütfen|tabii|doğru|onaylıyorum|kesinlikle|elbette); onaylıyorum; onayla; onaylandı; doğru; tabii; tabii ki; elbette; kabul ediyorum; kesinlikle`,
  no: `hayır; yok; hayır hayır; hayır (teşekkürler|iptal|istemiyorum|lütfen|onaylamıyorum|teşekkür ederim); iptal; iptal et; iptal edin; istemiyorum; vazgeçtim; reddediyorum; onaylamıyorum; kesinlikle hayır`,
  solved: `(sorun|problem|sorunum|her şey|mesele|konu) ?(şimdi|artık) (çözüldü|halloldu|giderildi|düzeldi); (şimdi|artık) (çalışıyor|çalıştı|oldu|düzeldi); (sorunumu|sorunu) (çözdü|çözdüm|çözdünüz); (bu) (işe yaradı|yardımcı oldu|çözdü); ^ (çözüldü|halloldu|düzeldi|işe yaradı|çalışıyor) ?(teşekkürler) $`,
  notSolved: `değil; ama; fakat; ancak; hala; hâlâ; henüz; maalesef; hariç; eğer; neredeyse; nasıl; yok; olmadı; çalışmıyor; çözülmedi; yaramadı; kadar; rağmen; umarım; mi; mı; mu; mü`,
  sentences: {
    handing_off: 'Sizi ekibimizden birine bağlıyoruz. Yanıt buraya gelecek.',
    found: 'Sayfalarımızda şu bilgiler yer alıyor:',
    may_help: 'Bu sayfalar yardımcı olabilir:',
    not_found: 'Maalesef bunun için bir yanıt bulamadım.',
    ask_details: 'Neye ihtiyacınız olduğunu biraz daha açıklar mısınız?',
    prohibited_topic: 'Bu konuda yardımcı olamıyorum. Ekibimizden biri size buradan yanıt verecek.',
    unreadable: 'Bu eki okuyamıyorum. Ekibimizden biri inceleyecek.',
    failed: 'Bizim tarafımızda bir sorun oluştu. Ekibimizden biri size buradan yanıt verecek.',
    action_done: 'İşlem yapıldı.',
    action_failed: 'İşlem yapılamadı. Hiçbir şey değiştirilmedi.',
    action_unknown: 'İşlemin başarılı olup olmadığını henüz bilmiyoruz. Ekibimizden biri kontrol edecek.',
    action_in_progress: 'İşlem devam ediyor. Sizi buradan bilgilendireceğiz.',
    confirm_question: 'Lütfen onaylayın: {action}',
    confirm_yes_hint: 'Onaylamak için “evet”, iptal etmek için “hayır” yazın.',
    confirmed: 'Teşekkürler, onaylandı.',
    rejected_confirmation: 'Tamam, bu işlemi yapmayacağız.',
    confirm_button: 'Onayla',
    reject_button: 'İptal',
    confirmation_expired: 'Bu bağlantının süresi doldu. Hiçbir işlem yapılmadı.',
    identity_required: 'Bunun için önce kimliğinizi doğrulamamız gerekiyor.',
    budget: 'Bu görüşmeye şu anda devam edemiyorum. Ekibimizden biri size buradan yanıt verecek.',
  },
};
