import { z } from 'zod';
import { Session } from '../../conversations/sessions/schema.ts';
import { getSession } from '../../conversations/sessions/service.ts';
import type { Db } from '../../db/connect.ts';
import { Id } from '../../http/schemas.ts';

export const SessionOutput = z.object({ session: Session });

/** The session as GET answers it. Throws notFound. */
export const sessionOutput = async (db: Db, orgId: string, id: string): Promise<z.input<typeof SessionOutput>> => ({
  session: z.encode(Session, await getSession(db, orgId, id)),
});

/** What is known of a message when its sending begins: GET /deliveries/{id} tells the rest. */
export const DeliveryOutput = z.object({
  id: Id.describe('Of the delivery (GET /deliveries/{id}).'),
  status: z.string().describe('Of the delivery, such as queued.'),
});
