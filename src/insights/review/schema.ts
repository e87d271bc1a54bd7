import { z } from 'zod';
import { Id, Timestamp } from '../../schemas/parts.ts';

const Proposed = z.object({ id: Id, number: z.int(), content: z.string() });

export const ProposalPath = z.object({ proposalId: Id });

const EXAMPLE = {
  id: '01900000-0000-7000-8000-000000000006',
  similarity: 0.74,
  insight: { id: '01900000-0000-7000-8000-000000000001', number: 7, content: 'The parcel has not arrived' },
  other: { id: '01900000-0000-7000-8000-000000000002', number: 31, content: 'A delivery is late' },
  created_at: '2026-01-30T10:00:09.000Z',
};

export const Proposal = z
  .object({
    id: Id,
    similarity: z.number().describe('1: the same direction. From 0.6 on it is proposed.'),
    insight: Proposed.describe('The older one.'),
    other: Proposed,
    created_at: Timestamp,
  })
  .meta({ id: 'InsightProposal', examples: [EXAMPLE] });

export const Proposals = z
  .object({
    requested_at: Timestamp.nullable(),
    reviewed_at: Timestamp.nullable().describe('null: no review was made yet.'),
    items: z.array(Proposal),
  })
  .meta({
    id: 'InsightProposals',
    examples: [{ requested_at: '2026-01-30T10:00:00.000Z', reviewed_at: '2026-01-30T10:00:09.000Z', items: [EXAMPLE] }],
  });
