import { isForward, ownWordsIn, ownWordsOf } from '../../../src/conversations/own-words/own-words.rules.ts';
import { cpuTimeOf } from '../../support/measure.ts';

const US = 'Support <support@shop.example>';

/** An answer above a quotation, as mail programs write it. */
const REPLIES: [program: string, own: string, rest: string][] = [
  [
    'a header with the address for answers',
    'Yes.',
    `From: ${US}\nReply-To: Support <reply+1@shop.example>\nDate: Friday\nTo: Ann\nSubject: Refund\n\nDo you agree?`,
  ],
  [
    'a header whose address has a separate line',
    'Yes.',
    'From: Support of the Shop\n<support@shop.example>\nSent: Friday\nTo: Ann\nSubject: Refund\n\nDo you agree?',
  ],
  [
    'a French webmail',
    'Oui.',
    '====\n\nMessage du : 27/11/2026 10:00\nDe : "Support" <support@shop.example>\nA : ann@customer.example\nCopie à :\nSujet : Refund\n\nDo you agree?',
  ],
  [
    'Gmail in German with a header broken after its day',
    'Ja.',
    `Support Team <support@shop.example> schrieb am Fr., 27.\nNov. 2026 um 10:00 Uhr:\n\n> Do you agree?`,
  ],
  [
    'a header broken within its address',
    'Ja.',
    'fre. 27. nov. 2026 kl. 10:00 skrev Support <support@shop.example\n>:\n\n> Do you agree?',
  ],
  ['a header without a date', 'Yes.', `${US} wrote:\n\nDo you agree?`],
  ['an older Gmail', 'Yes.', `2026/11/27 ${US}\n\n| Do you agree?`],
  [
    'a mailing list',
    'Yes.',
    '_______________________________________________\nusers mailing list\nusers@lists.shop.example',
  ],
  ['a rule above a name', 'Yes.', '—————\nAnn Muster\nProduct Manager'],
  ['Gmail in English', 'Yes, I do.', `On Fri, Nov 27, 2026 at 10:00 AM ${US} wrote:\n\n> Do you agree?\n> Yes or no`],
  [
    'Gmail in English with a header of two lines',
    'Yes, I do.',
    'On Fri, Nov 27, 2026 at 10:00 AM Support Team of the Shop\n<support@shop.example> wrote:\n\n> Do you agree?',
  ],
  ['Gmail in English without marks', 'Yes.', `On Fri, Nov 27, 2026 at 10:00 AM ${US} wrote:\n\nDo you agree?`],
  ['Apple Mail in English', 'Yes.', `> On 27 Nov 2026, at 10:00, ${US} wrote:\n> \n> Do you agree?`],
  [
    'Outlook in English',
    'Yes.',
    `Kind regards,\nAnn\n\n________________________________\nFrom: ${US}\nSent: Friday, November 27, 2026 10:00\nTo: Ann\nSubject: Your refund\n\nDo you agree?`,
  ],
  [
    'Outlook with bold labels',
    'Yes.',
    `*From:* ${US}\n*Sent:* Friday\n*To:* Ann\n*Subject:* Your refund\n\nDo you agree?`,
  ],
  ['an older Outlook', 'Yes.', '-----Original Message-----\nFrom: Support\nSent: Friday\nDo you agree?'],
  ['an older Outlook in German', 'Ja.', '-----Ursprüngliche Nachricht-----\nDo you agree?'],
  ['an older Outlook in French', 'Ja.', "-----Message d'origine-----\nDo you agree?"],
  ['an older Outlook in Spanish', 'Ja.', '-----Mensaje original-----\nDo you agree?'],
  ['an older Outlook in Italian', 'Ja.', '-----Messaggio originale-----\nDo you agree?'],
  ['an older Outlook in Portuguese', 'Ja.', '-----Mensagem original-----\nDo you agree?'],
  ['an older Outlook in Dutch', 'Ja.', '-----Oorspronkelijk bericht-----\nDo you agree?'],
  ['an older Outlook in Polish', 'Ja.', '-----Wiadomość oryginalna-----\nDo you agree?'],
  ['an older Outlook in Swedish', 'Ja.', '-----Ursprungligt meddelande-----\nDo you agree?'],
  ['an older Outlook in Danish', 'Ja.', '-----Oprindelig meddelelse-----\nDo you agree?'],
  ['an older Outlook in Japanese', 'Ja.', '-----元のメッセージ-----\nDo you agree?'],
  ['Gmail in German', 'Ja, gern.', `Am Fr., 27. Nov. 2026 um 10:00 Uhr schrieb ${US}:\n\n> Do you agree?`],
  ['Thunderbird in German', 'Ja.', 'Am 27.11.26 um 10:00 schrieb Support:\n> Do you agree?'],
  [
    'Outlook in German',
    'Ja.',
    `Mit freundlichen Grüßen\nAnn Muster\n\nVon: ${US}\nGesendet: Freitag, 27. November 2026 10:00\nAn: Ann\nBetreff: Refund\n\nDo you agree?`,
  ],
  [
    'web.de',
    'Ja.',
    `Gesendet: Freitag, 27. November 2026 um 10:00 Uhr\nVon: "Support" <support@shop.example>\nAn: ann@customer.example\nBetreff: Refund\nDo you agree?`,
  ],
  ['Gmail in French', 'Oui.', `Le ven. 27 nov. 2026 à 10:00, ${US} a écrit :\n\n> Do you agree?`],
  [
    'Outlook in French',
    'Oui.',
    `Cordialement,\nAnne\n\nDe : ${US}\nEnvoyé : vendredi 27 novembre 2026 10:00\nÀ : Anne\nObjet : Refund\n\nDo you agree?`,
  ],
  [
    'Gmail in Spanish',
    'Sí.',
    `El vie, 27 nov 2026 a las 10:00, Support (<support@shop.example>) escribió:\n\n> Do you agree?`,
  ],
  [
    'Outlook in Spanish',
    'Sí.',
    `Un saludo,\nAna\n\nDe: ${US}\nEnviado el: viernes, 27 de noviembre de 2026 10:00\nPara: Ana\nAsunto: Refund\n\nDo you agree?`,
  ],
  ['Gmail in Italian', 'Sì.', `Il giorno ven 27 nov 2026 alle ore 10:00 ${US} ha scritto:\n\n> Do you agree?`],
  [
    'Outlook in Italian',
    'Sì.',
    `Cordiali saluti\nAnna\n\nDa: ${US}\nInviato: venerdì 27 novembre 2026 10:00\nA: Anna\nOggetto: Refund\n\nDo you agree?`,
  ],
  [
    'Gmail in Portuguese',
    'Sim.',
    'Em sex., 27 de nov. de 2026 às 10:00, Support\n<support@shop.example> escreveu:\n\n> Do you agree?',
  ],
  [
    'Outlook in Portuguese',
    'Sim.',
    `Atenciosamente,\nAna\n\nDe: ${US}\nEnviado: sexta-feira, 27 de novembro de 2026 10:00\nPara: Ana\nAssunto: Refund\n\nDo you agree?`,
  ],
  ['Gmail in Dutch', 'Ja.', `Op vr 27 nov 2026 om 10:00 schreef ${US}:\n\n> Do you agree?`],
  [
    'Outlook in Dutch',
    'Ja.',
    `Met vriendelijke groet,\nAnn\n\nVan: ${US}\nVerzonden: vrijdag 27 november 2026 10:00\nAan: Ann\nOnderwerp: Refund\n\nDo you agree?`,
  ],
  ['Gmail in Polish', 'Tak.', `pt., 27 lis 2026 o 10:00 ${US} napisał(a):\n\n> Do you agree?`],
  ['Thunderbird in Polish', 'Tak.', 'W dniu 27.11.2026 o 10:00, Support pisze:\n> Do you agree?'],
  [
    'Outlook in Polish',
    'Tak.',
    `Pozdrawiam\nAnna\n\nOd: ${US}\nWysłano: piątek, 27 listopada 2026 10:00\nDo: Anna\nTemat: Refund\n\nDo you agree?`,
  ],
  ['Gmail in Swedish', 'Ja.', `Den fre 27 nov. 2026 kl 10:00 skrev ${US}:\n\n> Do you agree?`],
  [
    'Outlook in Swedish',
    'Ja.',
    `Med vänlig hälsning\nAnna\n\nFrån: ${US}\nSkickat: den 27 november 2026 10:00\nTill: Anna\nÄmne: Refund\n\nDo you agree?`,
  ],
  ['Gmail in Danish', 'Ja.', `fre. 27. nov. 2026 kl. 10.00 skrev ${US}:\n\n> Do you agree?`],
  [
    'Outlook in Danish',
    'Ja.',
    `Med venlig hilsen\nAnna\n\nFra: ${US}\nSendt: 27. november 2026 10:00\nTil: Anna\nEmne: Refund\n\nDo you agree?`,
  ],
  ['Gmail in Japanese', 'はい。', `2026年11月27日(金) 10:00 ${US}:\n\n> Do you agree?`],
  ['Yahoo in Japanese', 'はい。', '2026/11/27 10:00、Supportのメッセージ:\n\n> Do you agree?'],
  [
    'Outlook in Japanese',
    'はい。',
    `差出人: ${US}\n送信日時: 2026年11月27日 10:00\n宛先: Ann\n件名: Refund\n\nDo you agree?`,
  ],
  ['Gmail in Chinese', '好的。', `${US} 于2026年11月27日周五写道：\n\n> Do you agree?`],
  [
    'Outlook in Chinese',
    '好的。',
    `发件人: ${US}\n发送时间: 2026年11月27日 10:00\n收件人: Ann\n主题: Refund\n\nDo you agree?`,
  ],
  ['QQ Mail', '好的。', '------------------ 原始邮件 ------------------\n发件人: "Support"\nDo you agree?'],
  ['Gmail in Korean', '네.', `2026년 11월 27일 (금) 오전 10:00, ${US}님이 작성:\n\n> Do you agree?`],
  ['Gmail in Russian', 'Да.', `пт, 27 нояб. 2026 г. в 10:00, ${US}:\n\n> Do you agree?`],
];

describe('the own words of an e-mail', () => {
  it.each(REPLIES)('are the answer above a quotation by %s', (_program, own, rest) => {
    expect(ownWordsOf(`${own}\n\n${rest}`)).toBe(own);
    expect(ownWordsOf(`${own}\r\n\r\n${rest.replaceAll('\n', '\r\n')}`)).toBe(own);
  });

  it.each([
    [
      'above and below a quotation',
      'Hi,\nOn Fri, 2026-11-27 at 10:00 +0100, Support wrote:\n> Blue?\n\nNo.',
      'Hi,\n\nNo.',
    ],
    ['about what is quoted', 'My answers to your points:\n> Is it blue?\n\nNo.', 'My answers to your points:\n\nNo.'],
    ['below the quotation', 'On 1 May 2026 Ann wrote:\n> Is it blue?\n\nIt is green.', 'It is green.'],
    [
      'between quoted lines',
      'Hello,\n\nOn 1 May 2026 Ann wrote:\n> Is it blue?\nNo.\n> Or red?\nYes.\n-- \nAnn',
      'Hello,\n\nNo.\nYes.',
    ],
    ['above a sign-off with a name and a title', 'It broke.\n\nKind regards,\nAnn Smith\nHead of Lamps', 'It broke.'],
    ['above a signature', 'It broke.\n-- \nAnn Smith, Head of Lamps', 'It broke.'],
    ['above a French wish', 'Elle est cassée.\n\nBonne journée !\nAnne', 'Elle est cassée.'],
    ['above what a phone adds', 'It broke.\n\nSent from my iPhone', 'It broke.'],
    ['above what a Dutch phone adds', 'Kapot.\n\nVerstuurd vanaf mijn iPad', 'Kapot.'],
    ['above what Outlook adds', 'It broke.\n\nGet Outlook for iOS<https://aka.ms/o0ukef>', 'It broke.'],
    ['above a header without an empty line', 'No.\nVon: Ann <ann@shop.example>\nGesendet: Montag\nIs it blue?', 'No.'],
    ['thanks without the name below them', 'Yes please.\n\nMany thanks,\nAnn', 'Yes please.\n\nMany thanks,'],
    [
      'with the postscript below a signature',
      'It broke.\n\nBest regards,\nAnn\n\nPS: To Berlin.',
      'It broke.\n\nPS: To Berlin.',
    ],
    [
      'with what is forwarded, as it stands nowhere else',
      'See below.\n\nBest regards\nAnn\n\n---------- Forwarded message ---------\nFrom: Shop <shop@shop.example>\nSubject: Order\n\nOrder 4711',
      'See below.\n\n---------- Forwarded message ---------\nFrom: Shop <shop@shop.example>\nSubject: Order\n\nOrder 4711',
    ],
  ])('stand %s', (_where, text, own) => {
    expect(ownWordsOf(text)).toBe(own);
  });

  it.each([
    ['nothing but a quotation', '> Do you agree?\n> Yes'],
    ['nothing but a signature', 'Best regards,\nAnn'],
    ['a form', 'Name: Ann\nFrom: ann@customer.example\nOrder: 4711\nMessage: broken'],
    ['a journey', 'Von: Berlin\nNach: Paris\nDatum: 5.5.2026\nIch brauche ein Ticket'],
    ['a heading', 'My order\n==========\n1 lamp'],
    ['a heading between lines', 'I ordered\n--- my order ---\n2 lamps'],
    ['a heading about a message', '--- Mensaje para María ---\nLa lámpara no funciona'],
    ['a heading about an original', '--- Original parts ---\n2 lamps'],
    ['a rule', 'Order 1\n---\nOrder 2'],
    ['a list', 'I need two things:\na lamp and a bulb'],
    ['a dated list', 'My order 4711 of 2026:\n2 lamps'],
    ['an address of one’s own', 'My address is ann@customer.example, order 2026:\nplease write'],
    ['a time', 'It opens at 10:00:\nis that right?'],
    ['what somebody wrote', 'He wrote: it is broken'],
    ['what a person wrote, in Dutch', 'Hallo,\n\nOp maandag kwam de lamp.\n\nDe monteur schreef op de bon:\nkapot'],
    ['what the contact wrote, in Swedish', 'Den 5 maj skrev jag till er:\nLampan är trasig'],
    ['a sign-off above a long text', `Cheers\n${'The lamp is broken again.\n'.repeat(40)}`],
    ['thanks with more below them', 'Thanks,\nI will try it tomorrow.'],
    ['regards within a sentence', 'My best regards to the team, but the lamp is broken'],
    ['a data set', 'Name: Ann\nE-mail: ann@customer.example'],
    [
      'a rule of two dashes above sentences',
      'Two things.\n--\nFirst: my order did not arrive.\n\nSecond: please cancel it.',
    ],
    ['one line', 'From: Berlin to Paris'],
    ['spaces that nobody quoted', '  It broke.  \n\n  At noon.'],
  ])('are the whole of %s', (_what, text) => {
    expect(ownWordsOf(text)).toBe(text);
  });

  it.each(['FW: invoice', 'Fwd: invoice', 'WG: Rechnung', 'TR : facture', 'RV: factura', '转发：发票'])(
    'are all of an e-mail with the subject %s',
    (subject) => {
      const text =
        'Please handle.\n\nFrom: Bob <bob@shop.example>\nSent: Monday\nTo: Ada\nSubject: invoice\n\nIt is wrong.';
      expect(ownWordsIn('email', text, { isForwarded: isForward(subject) })).toBeUndefined();
      expect(ownWordsIn('email', text, { isForwarded: isForward(`Re: ${subject}`) })).toBe('Please handle.');
    },
  );

  it('are looked for in e-mails alone', () => {
    const text = 'No.\n> Is it blue?';
    expect(ownWordsIn('email', text)).toBe('No.');
    expect(ownWordsIn('email', 'No.')).toBeUndefined();
    for (const channel of ['web', 'api', 'sms', 'whatsapp', 'messenger'] as const)
      expect(ownWordsIn(channel, text)).toBeUndefined();
  });

  it.each([
    ['short lines', 'a\n'],
    ['empty lines', '\n'],
    ['lines that end with a colon', ':\n\n'],
    ['headers', 'From: x\n'],
    ['rules', '--------\n\n\n'],
    ['lines like headers', `On 2026 @a ${'0000from<'.repeat(20)}\n`],
    ['lines like headers of three', 'On 2026\nOp @a schreef\n10:00 wrote\n'],
    ['quoted lines', '> a\n'],
    ['sign-offs', 'Cheers\n'],
    ['dividers', `${'-'.repeat(15)} original x\n`],
    ['spaces', ' '],
    ['words', 'lamp '],
    ['addresses', '12:00@a <'],
  ])('are found fast in the longest e-mail of %s', (_what, part) => {
    const text = part.repeat(65_536 / part.length);
    expect(cpuTimeOf(() => ownWordsOf(text))[1]).toBeLessThan(500);
  });
});
