/** Returns the public address of an article or a category, or of the help center itself without a path. */
export const addressOf = (publicUrl: string, orgId: string, path = ''): string =>
  [
    `${publicUrl.replace(/\/$/, '')}/help/${orgId}`,
    ...path
      .split('/')
      .filter((part) => part !== '')
      .map(encodeURIComponent),
  ].join('/');
