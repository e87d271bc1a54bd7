import { isUtf8 } from 'node:buffer';
import { refusedBody } from '../../../errors.ts';

const NOT_UTF8 = 'must be in UTF-8';
/** What stands for bytes that are none of a character. */
const REPLACEMENT = /\ufffd|%EF%BF%BD/i;

/** Throws invalid for a body in another encoding than UTF-8, whose letters would be lost. */
export function assertUtf8(body: Buffer): void {
  if (!isUtf8(body)) throw refusedBody(NOT_UTF8);
}

/** Returns the fields of a form (application/x-www-form-urlencoded). Throws invalid if its page was in another encoding. */
export function formIn(text: string): URLSearchParams {
  const form = new URLSearchParams(text);
  if (!REPLACEMENT.test(text) && REPLACEMENT.test(form.toString())) throw refusedBody(NOT_UTF8);
  return form;
}
