import { z } from 'zod';
import { InsightCategories } from '../../orgs/settings/schema.ts';

export const Categories = z.object({ categories: InsightCategories }).meta({
  id: 'InsightCategories',
  examples: [{ categories: ['Delivery', 'Payment', 'Product'] }],
});
export type Categories = z.infer<typeof Categories>;
