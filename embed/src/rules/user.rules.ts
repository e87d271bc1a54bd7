/**
 * Returns the id of a user by a token of POST /widget/authenticate-user. Each token of a user has the same `jti`; a text
 * that is no token is its own id.
 */
export function userOf(token: string | undefined): string | undefined {
  if (!token) return undefined;
  try {
    const payload = token.split('.')[1] ?? '';
    const { jti } = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/')));
    return typeof jti === 'string' ? jti : token;
  } catch {
    return token;
  }
}
