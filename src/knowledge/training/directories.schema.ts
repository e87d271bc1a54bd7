import { z } from 'zod';
import { Cursor, Id, Name, Timestamp } from '../../schemas/parts.ts';

export const CreateDirectory = z
  .object({ name: Name.default('New directory') })
  .meta({ id: 'CreateTrainingDirectory', examples: [{ name: 'Billing' }] });
export type CreateDirectory = z.infer<typeof CreateDirectory>;

export const UpdateDirectory = z.object({ name: Name.optional() }).meta({
  id: 'UpdateTrainingDirectory',
  examples: [{ name: 'Payments' }],
});
export type UpdateDirectory = z.infer<typeof UpdateDirectory>;

export const DirectoryPath = z.object({ id: Id });

export const ListDirectories = z.object({
  cursor: Cursor.optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
});
export type ListDirectories = z.infer<typeof ListDirectories>;

export const Directory = z
  .object({ id: Id, name: z.string(), created_at: Timestamp, updated_at: Timestamp })
  .meta({ id: 'TrainingDirectory' });

export const DirectoryPage = z.object({ items: z.array(Directory), next: z.string().nullable() });
