import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Issue } from '../../../errors.ts';
import type { PageBrand } from '../../../html/brand.rules.ts';
import { escapeHtml, htmlPage, pagePolicy } from '../../../html/page.rules.ts';
import { prefersType } from '../accept.ts';

interface ShownError {
  error: string;
  message: string;
  issues?: Issue[] | undefined;
}

/** Returns whether the client prefers a page to JSON, as browsers do where a person opens an address. */
export const wantsPage = (request: FastifyRequest): boolean => prefersType(request, 'text/html', 'application/json');

/** Prepares an answer for a small page, ours or of a brand: its type, its policy, and that nobody stores or indexes it. */
export const asPage = (reply: FastifyReply, brand?: PageBrand): FastifyReply =>
  reply.type('text/html; charset=utf-8').headers({
    'content-security-policy': pagePolicy(brand),
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-robots-tag': 'noindex',
  });

/** Returns the page of an error. */
export function errorPage({ error, message, issues = [] }: ShownError): string {
  const problems = issues.map(({ path, message: problem }) => `<li>${escapeHtml(`${path}: ${problem}`)}</li>`).join('');
  const list = problems === '' ? '' : `<ul>${problems}</ul>`;
  return htmlPage(error, `<p>${escapeHtml(message)}</p>${list}<p><a href="/">Start page</a></p>`);
}
