import type { MailMessage } from './store.ts';

/** Forbids a mail to load, run or navigate to anything: its author may be anyone using the stack. */
export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-src 'self'; base-uri 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

const STYLE = `
  :root { color-scheme: light dark; }
  body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: light-dark(#222, #e4e7ee); background: light-dark(#fff, #14171d); }
  a { color: light-dark(#1c4fd8, #9db8ff); }
  table { border-collapse: collapse; width: 100%; }
  td, th { text-align: left; padding: .35rem .75rem .35rem 0; border-bottom: 1px solid #8886; vertical-align: top; overflow-wrap: anywhere; }
  time, .quiet { color: light-dark(#666, #a3abbb); }
  pre { white-space: pre-wrap; overflow-wrap: anywhere; background: #8882; padding: 1rem; }
  iframe { width: 100%; height: 32rem; border: 1px solid #8886; background: #fff; }
  @media (max-width: 600px) { tr { display: block; padding: .5rem 0; border-bottom: 1px solid #8886; } td { display: block; border: 0; padding: 0; } th { display: none; } }`;

/** Renders the list of mails, in the given order. */
export function messageListPage(messages: MailMessage[], total: number): string {
  const rows = messages.map(
    ({ id, to, from, subject, received_at }) => `<tr>
      <td><a href="/read/${escapeHtml(id)}">${escapeHtml(subject || '(no subject)')}</a></td>
      <td>${escapeHtml(to)}</td><td>${escapeHtml(from)}</td><td><time>${escapeHtml(received_at)}</time></td></tr>`,
  );
  const shown = total > messages.length ? `the newest ${messages.length} of ${total}` : `${total} in all`;
  return page(
    'Mail',
    `<h1>Mail</h1><p class="quiet">${shown} · <a href="/messages">as JSON</a></p>
    <table><tr><th>Subject</th><th>To</th><th>From</th><th>Received</th></tr>${rows.join('')}</table>`,
  );
}

/** Renders one mail with its headers. Its HTML is shown in a frame without any permissions. */
export function messagePage(message: MailMessage): string {
  const { id, subject, from, to, received_at, headers, text, html } = message;
  const rows = Object.entries(headers).map(
    ([name, value]) => `<tr><td>${escapeHtml(name)}</td><td>${escapeHtml(value)}</td></tr>`,
  );
  return page(
    subject || '(no subject)',
    `<p><a href="/">All mail</a> · <a href="/messages/${escapeHtml(id)}">as JSON</a></p>
    <h1>${escapeHtml(subject || '(no subject)')}</h1>
    <p class="quiet">From ${escapeHtml(from)} to ${escapeHtml(to)}, <time>${escapeHtml(received_at)}</time></p>
    ${html ? `<iframe sandbox title="The mail as HTML" srcdoc="${escapeHtml(html)}"></iframe>` : ''}
    ${text ? `<h2>Text</h2><pre>${escapeHtml(text)}</pre>` : ''}
    <h2>Headers</h2><table>${rows.join('')}</table>`,
  );
}

function page(title: string, body: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escapeHtml(title)}</title><style>${STYLE}</style><body>${body}</body></html>`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
