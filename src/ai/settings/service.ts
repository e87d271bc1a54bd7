import type { Db } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { SessionChannel } from '../../schemas/parts.ts';
import { findConfig, lockConfig, type PublishedConfig, updateDraft } from './queries.ts';
import { type AiSettings, DEFAULT_SETTINGS, type UpdateAiSettings } from './schema.ts';

export { lockConfig as lockStoredConfig, publishDraft, publishedConfig } from './queries.ts';
export type { AiSettings } from './schema.ts';

export type PublishedSettings = AiSettings & { version: number };

/** Returns an org's published settings for its AI: the defaults, as version 0, before the first publication. */
export const getPublishedAiSettings = async (db: Db, orgId: string): Promise<PublishedSettings> =>
  readPublishedConfig((await findConfig(db, orgId)) ?? null);

/** Returns the settings of a row of `publishedConfig`. */
export const readPublishedConfig = (config: PublishedConfig | null): PublishedSettings => ({
  ...withDefaults(config?.published ?? {}),
  version: config?.version ?? 0,
});

/** Returns the draft and the published settings. */
export async function getAiSettings(db: Db, orgId: string) {
  const config = await findConfig(db, orgId);
  return {
    draft: withDefaults(config?.draft ?? {}),
    published: readPublishedConfig(config ?? null),
  };
}

/** Changes the draft: absent fields stay, null sets a field to its default. */
export function changeAiSettings(db: Db, orgId: string, change: UpdateAiSettings) {
  return inTransaction(db, async (trx) => {
    const { draft } = await lockConfig(trx, orgId);
    const changed = Object.entries({ ...draft, ...change }).filter(
      ([, value]) => value !== null && value !== undefined,
    );
    await updateDraft(trx, orgId, Object.fromEntries(changed));
    return getAiSettings(trx, orgId);
  });
}

/** Returns the draft and the published settings in their stored form: only the fields different from the defaults. */
export const getStoredConfig = async (db: Db, orgId: string) =>
  (await findConfig(db, orgId)) ?? { draft: {}, published: {}, version: 0 };

/** Returns how long the AI waits for a contact to finish writing on a channel. */
export const debounceOf = (
  { quiet_seconds, cap_seconds }: Pick<AiSettings, 'quiet_seconds' | 'cap_seconds'>,
  channel: SessionChannel,
) => ({ quietSeconds: quiet_seconds[channel] ?? 0, capSeconds: cap_seconds[channel] ?? 0 });

/** Returns stored settings with the defaults. Times by channel are merged, to let one channel be set alone. */
export const withDefaults = (set: Partial<AiSettings>): AiSettings => ({
  ...DEFAULT_SETTINGS,
  ...set,
  quiet_seconds: { ...DEFAULT_SETTINGS.quiet_seconds, ...set.quiet_seconds },
  cap_seconds: { ...DEFAULT_SETTINGS.cap_seconds, ...set.cap_seconds },
});
