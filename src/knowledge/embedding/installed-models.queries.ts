import type { Db, Trx } from '../../db/connect.ts';

/** Returns whether a worker of this installation has an embedding model. */
export async function isModelInstalled(trx: Trx): Promise<boolean> {
  const row = await trx.selectFrom('installed_models').select('name').limit(1).executeTakeFirst();
  return row !== undefined;
}

export async function insertInstalledModel(db: Db, name: string): Promise<void> {
  await db
    .insertInto('installed_models')
    .values({ name })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function deleteInstalledModels(db: Db): Promise<void> {
  await db.deleteFrom('installed_models').execute();
}
