/** Returns whether a body is HTML: it has a tag. Takes linear time, also for beginnings of tags without an end. */
export function looksLikeHtml(body: string): boolean {
  const begin = body.search(/<[a-z!/]/i);
  return begin !== -1 && body.includes('>', begin);
}
