/** Whether a body is HTML: it has a tag. */
export const looksLikeHtml = (body: string): boolean => /<[a-z!/][^>]*>/i.test(body);
