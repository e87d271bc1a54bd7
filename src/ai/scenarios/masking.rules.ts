import { findPhoneNumbersInText } from 'libphonenumber-js/min';
import { withoutEmails } from '../answers/figures.rules.ts';

/** Numbers of cards, accounts, customers and phones have nine digits or more. Dates have eight. */
const LONG_NUMBER = /(?<![\p{L}\p{Nd}])\+?\(?\p{Nd}(?:[ \t()./-]{0,2}\p{Nd}){8,}/gu;

/**
 * Returns a text without e-mail addresses, international phone numbers and all long numbers, such as those of cards and
 * national phone numbers. Placeholders name the kind of the removed text.
 */
export const maskPersonal = (text: string): string =>
  withoutPhones(withoutEmails(text, '[email]').replace(LONG_NUMBER, '[number]'));

/** Without a country, because dates look like phone numbers of some. */
function withoutPhones(text: string): string {
  let masked = '';
  let end = 0;
  for (const { startsAt, endsAt } of findPhoneNumbersInText(text)) {
    masked += `${text.slice(end, startsAt)}[phone]`;
    end = endsAt;
  }
  return masked + text.slice(end);
}
