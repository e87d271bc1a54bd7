/**
 * Ids of WhatsApp that are not the number: it keeps how numbers of these countries were written when their owners
 * registered. Each has the number first that a new contact gets.
 */
const OTHER_FORMS: [RegExp, string[]][] = [
  // Mexico dropped the 1 of mobile numbers in 2019.
  [/^\+521?(\d{10})$/, ['+52$1', '+521$1']],
  // Brazil put a 9 before the eight digits of mobile numbers from 2012 to 2016.
  [/^\+55(?<area>\d{2})9?(?<line>[6-9]\d{7})$/, ['+55$<area>9$<line>', '+55$<area>$<line>']],
  // Argentina has a 9 before mobile numbers dialled from abroad, which is often left out. Landlines have none.
  [/^\+549(\d{10})$/, ['+549$1', '+54$1']],
  [/^\+54(\d{10})$/, ['+54$1', '+549$1']],
];

/** Returns the numbers that the owner of a WhatsApp id may be known by, in E.164. The first is for a new contact. */
export function numbersOfWhatsAppId(waId: string): string[] {
  const [pattern, forms] = OTHER_FORMS.find(([each]) => each.test(waId)) ?? [];
  return pattern === undefined || forms === undefined ? [waId] : forms.map((form) => waId.replace(pattern, form));
}
