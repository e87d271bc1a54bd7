import type { PageBrand } from '../../html/brand.rules.ts';
import { escapeHtml, htmlPage } from '../../html/page.rules.ts';
import type { Json } from '../blocks/schema.ts';
import { fieldsOf } from '../json.rules.ts';
import type { FormConfiguration, FormField } from './configuration.schema.ts';
import { faultsIn } from './form.rules.ts';
import { formWordsIn, sentenceOf } from './form-words.rules.ts';

const MAX_SHOWN_CHARACTERS = 20_000;

/** The names of what the page adds to a form. No field can have them: fields begin with a letter. */
export const SUBMISSION_FIELD = '_submission';
export const TRAP_FIELD = '_trap';

/** The look of a form's page. Its own words are in the visitor's language, and those of the form as they were given. */
export interface FormLook {
  brand: PageBrand;
  /** A code of FORM_LANGUAGES. */
  language: string;
}

interface ShownForm extends FormLook {
  form: FormConfiguration;
  /** Identifies the submission: sent twice, it is one. */
  submissionId: string;
  /** What was submitted and refused. */
  submitted?: { values: Json; isTrapped: boolean };
}

/**
 * Returns the page of a form. It works without scripts: the browser submits it to the address of the page. People do not
 * see the trap, and programs that fill every field fill it too.
 */
export function formPage({ brand, language, form, submissionId, submitted }: ShownForm): string {
  const words = formWordsIn(language);
  const values = fieldsOf(submitted?.values ?? {});
  const faults = submitted === undefined ? undefined : faultsIn(form.fields, values);
  const inputs = form.fields.map((field) => {
    const fault = faults?.get(field.name);
    return inputOf(field, values[field.name], fault && sentenceOf(words, fault));
  });
  const name = form.title ?? brand.name;
  const title = submitted === undefined ? name : `${name}: ${words.check}`;
  const trapped = submitted?.isTrapped === true ? `<p class="problem">${escapeHtml(words.trapped)}</p>` : '';
  return htmlPage(
    title,
    `${trapped}<form method="post">${inputs.join('\n')}
<div class="trap" aria-hidden="true"><label>${escapeHtml(words.leave_empty)}<input name="${TRAP_FIELD}" tabindex="-1" autocomplete="off"></label></div>
<input type="hidden" name="${SUBMISSION_FIELD}" value="${escapeHtml(submissionId)}"><p><button type="submit">${escapeHtml(words.send)}</button></p></form>`,
    language,
    brand,
  );
}

/** Returns the page after a form was accepted. */
export function submittedPage({ brand, language }: FormLook, { thanks }: FormConfiguration): string {
  const words = formWordsIn(language);
  return htmlPage(words.thanks, `<p>${escapeHtml(thanks ?? words.received)}</p>`, language, brand);
}

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
function labelOf({ name, label, required }: FormField): string {
  if (label !== undefined) return required ? `${label} *` : label;
  const words = name
    .replace(/[_-]+/g, ' ')
    .replace(/([a-z0-9])([A-Z])/g, (_, before: string, after: string) => `${before} ${after.toLowerCase()}`);
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}${required ? ' *' : ''}`;
}
