import { isAcknowledgement, readDecision, resolvesIssue } from '../../src/recognition/recognition.rules.ts';
import { LANGUAGES_WITH_PHRASES } from '../../src/recognition/sentences.rules.ts';

const WORDS: [language: string, yes: string, no: string, thanks: string, solved: string, unsolved: string][] = [
  ['en', 'Yes, please!', 'No, thanks.', 'ok thank you so much', 'That solved it, thanks!', "it still doesn't work"],
  [
    'de',
    'Ja, bitte 👍',
    'Nein danke',
    'Alles klar, vielen Dank!',
    'Das hat geholfen, danke',
    'Das Problem ist nicht gelöst',
  ],
  ['fr', 'Oui merci', 'Non, annulez', 'Merci beaucoup, parfait', 'Ça marche maintenant', 'Ça ne marche pas'],
  ['es', 'Sí, confirmo', 'no', 'Vale, muchas gracias', 'Ya funciona, gracias', 'No funciona'],
  ['it', 'sì', 'No, grazie', 'Grazie mille!', 'Ora funziona', 'Non funziona ancora'],
  ['pt', 'Sim', 'não', 'Muito obrigada', 'Agora funciona, obrigado', 'Ainda não funciona'],
  ['nl', 'ja graag', 'nee', 'Hartelijk dank', 'Het werkt nu', 'Het werkt nog niet'],
  ['pl', 'Tak, potwierdzam', 'nie', 'Dziękuję bardzo', 'Już działa', 'Nadal nie działa'],
  ['sv', 'Ja tack', 'Nej', 'Tack så mycket', 'Nu fungerar det', 'Det fungerar inte'],
  ['da', 'ja', 'nej tak', 'Mange tak', 'Nu virker det', 'Det virker ikke'],
  ['no', 'ja', 'nei', 'Tusen takk', 'Nå fungerer det', 'Det fungerer ikke'],
  ['fi', 'Kyllä', 'ei', 'Kiitos paljon', 'Nyt toimii', 'Ei toimi vieläkään'],
  ['cs', 'ano', 'Ne, děkuji', 'Děkuji moc', 'Už to funguje', 'Pořád to nefunguje'],
  ['sk', 'áno', 'nie', 'Ďakujem pekne', 'Už to funguje', 'Nefunguje to'],
  ['hr', 'da', 'ne', 'Hvala lijepa', 'Sada radi', 'Još ne radi'],
  ['ro', 'da', 'nu', 'Mulțumesc mult', 'Acum funcționează', 'Nu funcționează'],
  ['hu', 'Igen', 'Nem, köszönöm', 'Köszönöm szépen', 'Most már működik', 'Még mindig nem működik'],
  ['tr', 'EVET', 'Hayır', 'Çok teşekkür ederim', 'Sorun çözüldü', 'Sorun çözülmedi'],
  ['el', 'Ναι', 'ΟΧΙ', 'Ευχαριστώ πολύ', 'Τώρα λειτουργεί', 'Δεν λειτουργεί ακόμα'],
  ['ru', 'Да, подтверждаю', 'Нет, спасибо', 'Большое спасибо', 'Всё работает', 'Всё ещё не работает'],
  ['uk', 'так', 'Ні', 'Щиро дякую', 'Тепер працює', 'Не працює'],
  ['bg', 'Да', 'не', 'Благодаря много', 'Вече работи', 'Още не работи'],
  ['ar', 'نعم', 'لا', 'شكرًا جزيلًا', 'تم حل المشكلة', 'لم يتم حل المشكلة'],
  ['fa', 'بله', 'نه', 'خیلی ممنون', 'مشکل حل شد', 'هنوز مشکل حل نشده'],
  ['he', 'כן', 'לא תודה', 'תודה רבה', 'הבעיה נפתרה', 'הבעיה לא נפתרה'],
  ['hi', 'हाँ', 'नहीं', 'बहुत धन्यवाद', 'समस्या हल हो गई', 'समस्या हल नहीं हुई'],
  ['ja', 'はい', 'いいえ', 'ありがとうございました。', '解決しました', 'まだ解決していません'],
  ['ko', '네', '아니요', '정말 감사합니다', '해결됐어요', '아직 안 돼요'],
  ['zh', '是的', '不，取消', '非常感谢！', '问题解决了', '还没解决'],
  ['id', 'ya', 'tidak', 'Terima kasih banyak', 'Sudah bisa, masalah sudah selesai', 'Masih belum bisa'],
  ['vi', 'Vâng', 'không', 'Cảm ơn bạn nhiều', 'Đã giải quyết xong', 'Vẫn chưa được'],
  ['th', 'ใช่ค่ะ', 'ไม่', 'ขอบคุณมากครับ', 'ใช้งานได้แล้ว', 'ยังใช้ไม่ได้'],
];

describe.each(WORDS)('in %s', (language, yes, no, thanks, solved, unsolved) => {
  it('a yes and a no are read, and nothing else is', () => {
    const decisions = [yes, no, thanks, unsolved, `${yes} ${no}`, `${yes}?`].map((text) =>
      readDecision(text, language),
    );
    expect(decisions).toEqual(['yes', 'no', undefined, undefined, undefined, undefined]);
  });

  it('thanks are an acknowledgement, unless there is more', () => {
    const texts = [thanks, `${thanks} 👍🏽`, `${thanks}?`, `${thanks}, 12345`, unsolved];
    const expected = [true, true, false, false, false];
    expect(texts.map((text) => isAcknowledgement(text, language))).toEqual(expected);
    expect(texts.map((text) => isAcknowledgement(text, 'en', LANGUAGES_WITH_PHRASES))).toEqual(expected);
  });

  it('a yes and a no are no thanks where the language is unsure', () => {
    const found = [yes, no].filter((text) => isAcknowledgement(text, 'en', LANGUAGES_WITH_PHRASES));
    expect(found.filter((text) => !isAcknowledgement(text, 'en'))).toEqual([]);
  });

  it('only what says so resolves an issue', () => {
    const texts = [solved, `${solved}?`, unsolved, thanks];
    expect(texts.map((text) => resolvesIssue(text, language))).toEqual([true, false, false, false]);
  });
});

it.each(['👍', '🙏🏽', '❤️', '👍👍', 'Thanks 😊', 'OK.', 'no thanks'])('%s is an acknowledgement', (text) => {
  expect(isAcknowledgement(text, 'en')).toBe(true);
});

it.each(['', ' ', '👎', '😡', '?', '123', 'thanks, but no', 'please', 'thank you for nothing, it broke'])(
  '%j is no acknowledgement',
  (text) => {
    expect(isAcknowledgement(text, 'en')).toBe(false);
  },
);

it.each([
  ['no', 'pl'],
  ['ok', 'en'],
  ['👍', 'en'],
  ['yes but not now', 'en'],
  ['please', 'en'],
  ['', 'en'],
])('%j in %s decides nothing', (text, language) => {
  expect(readDecision(text, language)).toBeUndefined();
});

it('a yes of English counts in any language', () => {
  expect(readDecision('yes', 'ja')).toBe('yes');
  expect(readDecision('No', 'xx')).toBe('no');
});
