import { z } from 'zod';
import { Session } from '../../conversations/sessions/schema.ts';
import { getSession } from '../../conversations/sessions/service.ts';
import type { Db } from '../../db/connect.ts';
import { Id } from '../../schemas/parts.ts';

export const SessionOutput = z.object({ session: Session });

/** Returns the session like GET /chat/sessions/{id}. Throws notFound. */
export const sessionOutput = async (db: Db, orgId: string, id: string): Promise<z.input<typeof SessionOutput>> => ({
  session: z.encode(Session, await getSession(db, orgId, id)),
});

/** State of a delivery when its sending begins. GET /deliveries/{id} returns its later state. */
export const DeliveryOutput = z.object({
  id: Id.describe('Of the delivery (GET /deliveries/{id}).'),
  status: z.string().describe('Of the delivery, such as queued.'),
});
