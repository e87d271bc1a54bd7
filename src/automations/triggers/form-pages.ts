import type { Issue } from '../../errors.ts';
import { escapeHtml, htmlPage } from '../../html/page.rules.ts';
import type { Json } from '../blocks/schema.ts';
import { fieldsOf } from '../json.rules.ts';
import type { FormField } from './configuration.schema.ts';

const MAX_SHOWN_CHARACTERS = 20_000;

interface ShownForm {
  orgName: string;
  fields: FormField[];
  /** What was submitted, with the problems found in it. */
  submitted?: { values: Json; issues: Issue[] };
}

/** Returns the page of a form. It works without scripts: the browser submits it to the address of the page. */
export function formPage({ orgName, fields, submitted }: ShownForm): string {
  const values = fieldsOf(submitted?.values ?? {});
  const inputs = fields.map((field) => {
    const problem = submitted?.issues.find(({ path }) => path === `body.${field.name}`)?.message;
    return inputOf(field, values[field.name], problem);
  });
  const title = submitted === undefined ? orgName : `${orgName}: please check your entries`;
  return htmlPage(title, `<form method="post">${inputs.join('\n')}<p><button type="submit">Send</button></p></form>`);
}

/** Returns the page after a form was accepted. */
export const submittedPage = (orgName: string): string =>
  htmlPage('Thank you', `<p>${escapeHtml(orgName)} has received your entries.</p>`);

function inputOf(field: FormField, value: Json | undefined, problem: string | undefined): string {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  const label = escapeHtml(labelOf(field));
  const note =
    problem === undefined ? '' : `<span class="problem" id="${field.name}-problem">${escapeHtml(problem)}</span>`;
  const attributes = `name="${field.name}"${field.required ? ' required' : ''}${
    problem === undefined ? '' : ` aria-invalid="true" aria-describedby="${field.name}-problem"`
  }`;
  if (field.type === 'checkbox')
    return `<label><input type="checkbox" value="true" ${attributes}${text === 'true' ? ' checked' : ''}>${label}${note}</label>`;
  return `<label>${label}${controlOf(field, attributes, text)}${note}</label>`;
}

function controlOf({ type, options = [] }: FormField, attributes: string, text: string): string {
  if (type !== 'select') {
    const step = type === 'number' ? ' step="any"' : ` maxlength="${MAX_SHOWN_CHARACTERS}"`;
    return `<input type="${type}" value="${escapeHtml(text)}"${step} ${attributes}>`;
  }
  const choices = ['', ...options].map((option) => {
    const chosen = option === text ? ' selected' : '';
    return `<option value="${escapeHtml(option)}"${chosen}>${escapeHtml(option === '' ? '–' : option)}</option>`;
  });
  return `<select ${attributes}>${choices.join('')}</select>`;
}

/** Returns the name of a field in words: `first_name` is "First name". */
function labelOf({ name, required }: FormField): string {
  const words = name
    .replace(/[_-]+/g, ' ')
    .replace(/([a-z0-9])([A-Z])/g, (_, before: string, after: string) => `${before} ${after.toLowerCase()}`);
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}${required ? ' *' : ''}`;
}
