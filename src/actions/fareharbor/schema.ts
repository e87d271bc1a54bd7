import { z } from 'zod';
import { Integration } from '../../orgs/integrations/schema.ts';
import { Name } from '../../schemas/parts.ts';

export const MAX_CONNECTIONS = 20;

const Credential = z
  .string()
  .max(1024, { abort: true })
  .regex(/^[\x21-\x7e]+$/, 'must be printable ASCII without spaces');

/** FareHarbor's shortnames stand in addresses. */
const Shortname = z
  .string()
  .max(255, { abort: true })
  .regex(/^[A-Za-z0-9_-]+$/, 'must be a shortname of FareHarbor: letters, digits, - and _');

export const FareHarborConnection = z
  .object({
    app_key: Credential,
    user_key: Credential,
    name: Name.optional().describe(
      'Tells the AI which connection is which. Default when absent, and Default 2 and so on for others without one.',
    ),
    default_company_shortname: Shortname.optional().describe('The company that is meant where no other is named.'),
  })
  .meta({ id: 'FareHarborConnection' });
export type FareHarborConnection = z.infer<typeof FareHarborConnection>;

export const PutFareHarbor = z
  .object({
    connections: z
      .array(FareHarborConnection)
      .min(1, 'must have a connection at least: DELETE /integrations/fareharbor removes all')
      .max(MAX_CONNECTIONS)
      .describe('All connections of the org. A key sent as "***" keeps the stored one of the connection of this name.'),
  })
  .meta({
    id: 'PutFareHarborIntegration',
    examples: [
      {
        connections: [
          { app_key: 'app', user_key: 'user-1', name: 'Boats', default_company_shortname: 'seatours' },
          { app_key: 'app', user_key: 'user-2', name: 'Bikes' },
        ],
      },
    ],
  });
export type PutFareHarbor = z.infer<typeof PutFareHarbor>;

export const FareHarborRef = z.object({
  name: Name.optional().describe('The name of one connection. Absent: all of them.'),
});

export const FareHarborConnections = z.object({ items: z.array(Integration), next: z.null() }).meta({
  id: 'FareHarborConnections',
  examples: [
    {
      items: [
        {
          kind: 'fareharbor',
          name: 'Boats',
          provider: 'fareharbor',
          settings: { default_company_shortname: 'seatours', app_key: '***', user_key: '***' },
          connected: true,
          last_success_at: null,
          last_error: null,
          last_error_at: null,
          failing_since: null,
          warnings: [],
          created_at: '2026-01-01T00:00:00.000Z',
          updated_at: '2026-01-01T00:00:00.000Z',
        },
      ],
      next: null,
    },
  ],
});
