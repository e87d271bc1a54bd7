/** As our answers write it, and in brackets as help desks do. */
const TICKET_NUMBER = /\bticket #(\d{1,9})(?!\d)|\[#(\d{1,9})\]/i;

/** Returns the ticket number in the subject of an e-mail. */
export function ticketNumberIn(subject: string): number | undefined {
  const [, named, bracketed] = TICKET_NUMBER.exec(subject) ?? [];
  const digits = named ?? bracketed;
  return digits === undefined ? undefined : Number(digits);
}
