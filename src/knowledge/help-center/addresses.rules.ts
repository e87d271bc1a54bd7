/** Where anybody reads an article, a category, or the whole help center where there is no path. */
export const addressOf = (publicUrl: string, orgId: string, path = ''): string =>
  [
    `${publicUrl.replace(/\/$/, '')}/help/${orgId}`,
    ...path
      .split('/')
      .filter((part) => part !== '')
      .map(encodeURIComponent),
  ].join('/');
