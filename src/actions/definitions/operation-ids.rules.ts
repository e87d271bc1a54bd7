const MAX_LENGTH = 100;

/** Derives an operation id from a display name. */
export function operationIdOf(text: string): string {
  const ascii = text.normalize('NFKD').replaceAll(/\p{Mark}/gu, '');
  const words = ascii.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return words.join('_').slice(0, MAX_LENGTH) || 'action';
}
