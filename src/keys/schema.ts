import { z } from 'zod';
import { Id, Timestamp } from '../schemas/parts.ts';
import { KeyScope } from '../schemas/scopes.ts';

const KeyName = z.string().min(1).max(255);

export const CreateKey = z
  .object({
    name: KeyName.default('Default'),
    scopes: z.array(KeyScope).min(1).max(100).optional().describe('What the key may do. Full access when absent.'),
  })
  .meta({ id: 'CreateApiKey', examples: [{ name: 'Back end', scopes: ['contacts:write', 'sequences:write'] }] });
export type CreateKey = z.infer<typeof CreateKey>;

export const KeyRef = z.object({ id: Id });

export const CreatedKey = z
  .object({ api_key_id: Id, api_key: z.string().describe('Shown only this once.') })
  .meta({ id: 'CreatedApiKey' });

const ApiKey = z
  .object({
    id: Id,
    name: z.string(),
    scopes: z.array(z.string()).nullable(),
    created_at: Timestamp,
    last_used_at: Timestamp.nullable().describe('To the hour.'),
  })
  .meta({ id: 'ApiKey' });

export const ApiKeyList = z.object({ items: z.array(ApiKey), next: z.string().nullable() });
