/** Raw mails as real programs write them. */

interface BounceParts {
  /** Our bounce address, which it is sent to. */
  to: string;
  /** Whom the mail was for that is reported. */
  recipient: string;
  messageId: string;
}

const lines = (...parts: string[]) => parts.join('\r\n');

/** Postfix: text, report, returned mail. `fields` are those of the recipient after its addresses. */
export const postfixReport = ({ to, recipient, messageId }: BounceParts, fields: string[]): string =>
  lines(
    'Date: Sat, 21 Nov 2026 15:04:05 +0000 (UTC)',
    'From: MAILER-DAEMON@mx1.acme.example (Mail Delivery System)',
    'Subject: Undelivered Mail Returned to Sender',
    `To: ${to}`,
    'Auto-Submitted: auto-replied',
    'MIME-Version: 1.0',
    'Content-Type: multipart/report; report-type=delivery-status;',
    '\tboundary="4XyZ1234567.1763737445/mx1.acme.example"',
    'Message-Id: <20261121150405.ABCDEF0123@mx1.acme.example>',
    '',
    'This is a MIME-encapsulated message.',
    '',
    '--4XyZ1234567.1763737445/mx1.acme.example',
    'Content-Description: Notification',
    'Content-Type: text/plain; charset=us-ascii',
    '',
    'This is the mail system at host mx1.acme.example.',
    '',
    "I'm sorry to have to inform you that your message could not",
    "be delivered to one or more recipients. It's attached below.",
    '',
    `<${recipient}>: see the report`,
    '',
    '--4XyZ1234567.1763737445/mx1.acme.example',
    'Content-Description: Delivery report',
    'Content-Type: message/delivery-status',
    '',
    'Reporting-MTA: dns; mx1.acme.example',
    'X-Postfix-Queue-ID: 4XyZ1234567',
    `X-Postfix-Sender: rfc822; ${to}`,
    'Arrival-Date: Sat, 21 Nov 2026 15:04:04 +0000 (UTC)',
    '',
    `Final-Recipient: rfc822; ${recipient}`,
    `Original-Recipient: rfc822;${recipient}`,
    ...fields,
    '',
    '--4XyZ1234567.1763737445/mx1.acme.example',
    'Content-Description: Undelivered Message',
    'Content-Type: message/rfc822',
    '',
    `Message-ID: ${messageId}`,
    'From: Acme <hello@acme.example>',
    `To: ${recipient}`,
    'Subject: Hi',
    '',
    'Hello',
    '',
    '--4XyZ1234567.1763737445/mx1.acme.example--',
    '',
  );

export const POSTFIX_NO_SUCH_USER = [
  'Action: failed',
  'Status: 5.1.1',
  'Remote-MTA: dns; mx.example.com',
  'Diagnostic-Code: smtp; 550 5.1.1 <ann@example.com>: Recipient address rejected: User',
  '    unknown in virtual mailbox table',
];

export const POSTFIX_DELAYED = [
  'Action: delayed',
  'Status: 4.4.1',
  'Diagnostic-Code: X-Postfix; connect to mx.example.com[192.0.2.25]:25: Connection timed',
  '    out',
  'Will-Retry-Until: Thu, 26 Nov 2026 15:04:04 +0000 (UTC)',
];

/** Exchange Online: a page for people, a report in its own spelling, the returned headers. */
export const exchangeReport = ({ to, recipient, messageId }: BounceParts, status: string, answer: string): string =>
  lines(
    'From: <postmaster@example.onmicrosoft.com>',
    `To: <${to}>`,
    'Date: Sat, 21 Nov 2026 15:04:06 +0000',
    'Content-Type: multipart/report; report-type=delivery-status;',
    '\tboundary="6a3b1e5c-8f2d-4c1a-9d3e-0f1a2b3c4d5e"',
    'X-MS-Exchange-Message-Is-Ndr:',
    'Content-Language: en-US',
    'Message-ID: <1f0e2d3c@AM0PR01MB1234.eurprd01.prod.exchangelabs.com>',
    `In-Reply-To: ${messageId}`,
    `References: ${messageId}`,
    'Subject: Undeliverable: Hi',
    'Auto-Submitted: auto-replied',
    'MIME-Version: 1.0',
    '',
    '--6a3b1e5c-8f2d-4c1a-9d3e-0f1a2b3c4d5e',
    'Content-Type: multipart/alternative; differences=Content-Type;',
    '\tboundary="alternative-1"',
    '',
    '--alternative-1',
    'Content-Type: text/plain; charset="us-ascii"',
    'Content-Transfer-Encoding: quoted-printable',
    '',
    `Your message to ${recipient} couldn't be delivered.`,
    '',
    '--alternative-1',
    'Content-Type: text/html; charset="us-ascii"',
    'Content-Transfer-Encoding: quoted-printable',
    '',
    '<html><body><p>Your message couldn&#39;t be delivered.</p></body></html>',
    '',
    '--alternative-1--',
    '',
    '--6a3b1e5c-8f2d-4c1a-9d3e-0f1a2b3c4d5e',
    'Content-Type: message/delivery-status',
    '',
    'Reporting-MTA: dns;AM0PR01MB1234.eurprd01.prod.exchangelabs.com',
    'Received-From-MTA: dns;mx1.acme.example',
    'Arrival-Date: Sat, 21 Nov 2026 15:04:05 +0000',
    '',
    `Original-Recipient: rfc822;${recipient}`,
    `Final-Recipient: rfc822;${recipient}`,
    'Action: failed',
    `Status: ${status}`,
    `Diagnostic-Code: smtp;${answer}`,
    'X-Display-Name: Ann',
    '',
    '--6a3b1e5c-8f2d-4c1a-9d3e-0f1a2b3c4d5e',
    'Content-Type: message/rfc822',
    '',
    'From: Acme <hello@acme.example>',
    `To: ${recipient}`,
    `Message-ID: ${messageId}`,
    'Subject: Hi',
    '',
    '',
    '--6a3b1e5c-8f2d-4c1a-9d3e-0f1a2b3c4d5e--',
    '',
  );

/** A mail that a person, or a program for them, wrote. */
export const mailOf = (headers: Record<string, string>, body: string): string => {
  const all = {
    From: 'Ann Example <Ann@Example.com>',
    Subject: 'Re: Hi',
    'Message-ID': `<${crypto.randomUUID()}@mail.example.com>`,
    'MIME-Version': '1.0',
    ...headers,
  };
  return lines(...Object.entries(all).map(([name, value]) => `${name}: ${value}`), '', body, '');
};
