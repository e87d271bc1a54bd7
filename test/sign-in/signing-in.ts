import type { Client, TestApi, TestOrg } from '../support/stack/api.ts';

export interface SignedIn extends Client {
  id: number;
  email: string;
  cookie: string;
}

/** The headers of a request that a page of the server itself sends. */
export const OWN_PAGE = { 'sec-fetch-site': 'same-origin' };

/** Makes a member of a role and signs it in by a link of the partner. Calls have the cookie, as from a page of ours. */
export async function signIn(
  api: TestApi,
  role: 'admin' | 'agent' | 'viewer',
  { org = api.org, email = `${crypto.randomUUID()}@acme.example` }: { org?: TestOrg; email?: string } = {},
): Promise<SignedIn> {
  const { body: roles } = await org.get('/roles');
  const role_ids = roles.items.flatMap(({ id, name }: { id: string; name: string }) => (name === role ? [id] : []));
  const path = `/partner/v1/orgs/${org.id}/login-links`;
  const link = await org.partner.post(path, { email, name: `The ${role}`, role_ids });
  const { headers } = await api.client().get(`/partner-login${new URL(link.body.url).search}`);
  const cookie = headers.get('set-cookie')?.split(';')[0] as string;
  const { body: members } = await org.get('/members');
  const { id } = members.find((member: { email: string }) => member.email === email);
  return { ...withCookie(api, cookie), id, email, cookie };
}

/** Returns a client that sends a cookie as a page of ours does. */
export function withCookie(api: TestApi, cookie: string): Client {
  const options = (given: { headers?: Record<string, string> } = {}) => ({
    headers: { cookie, ...OWN_PAGE, ...given.headers },
  });
  const client = api.client();
  return {
    get: (path, given) => client.get(path, options(given)),
    post: (path, body, given) => client.post(path, body, options(given)),
    put: (path, body, given) => client.put(path, body, options(given)),
    patch: (path, body, given) => client.patch(path, body, options(given)),
    delete: (path, given) => client.delete(path, options(given)),
  };
}
