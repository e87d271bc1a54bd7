import { api, dataOf, type Schemas } from '../../api/client';
import { say } from '../undo';

export const THEMES = [
  { theme: 'system', name: 'System' },
  { theme: 'light', name: 'Light' },
  { theme: 'dark', name: 'Dark' },
] as const satisfies { theme: Schemas['MemberSettings']['theme']; name: string }[];

export async function signOut(): Promise<void> {
  await api.POST('/logout');
  window.location.assign('/console');
}

/** Continues in another org of the account. The page is loaded again: nothing of the former org stays in it. */
export async function switchOrg(orgId: string): Promise<void> {
  try {
    await dataOf(api.POST('/me/switch', { body: { org_id: orgId } }));
    window.location.assign('/console');
  } catch (error) {
    say(error instanceof Error ? error.message : String(error), { isError: true });
  }
}
