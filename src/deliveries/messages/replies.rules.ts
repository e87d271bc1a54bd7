/** What the subject of an answer begins with (RFC 5322, 3.6.5), also as some programs count it. */
const ANSWERED = /^re\s*(?:\[\d+\]\s*)?:/i;

/** E.164, or a short code. */
const PHONE_NUMBER = /^\+?\d{3,15}$/;

/** Returns the subject of an answer to an e-mail, with one `Re:`. */
export const answeringSubject = (subject: string): string => (ANSWERED.test(subject) ? subject : `Re: ${subject}`);

/** Returns a text with a signature below the line that mail programs know (RFC 3676, 4.3). */
export const signed = (text: string, signature: string | null | undefined): string =>
  signature ? `${text}\n\n-- \n${signature}` : text;

/** Whether the text is a number to send from. */
export const isPhoneNumber = (text: string): boolean => PHONE_NUMBER.test(text);
