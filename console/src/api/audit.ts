import { infiniteQueryOptions } from '@tanstack/react-query';
import type { operations } from '../../generated/api';
import { api, dataOf } from './client';
import { PAGES } from './pages';

export type AuditFilters = Pick<
  NonNullable<operations['listAudit']['parameters']['query']>,
  'actor' | 'kind' | 'ref' | 'from' | 'to'
>;

/** Changes with their authors, newest first. */
export const auditQuery = (filters: AuditFilters) =>
  infiniteQueryOptions({
    queryKey: ['listAudit', filters],
    queryFn: ({ pageParam }) => dataOf(api.GET('/audit', { params: { query: { ...filters, cursor: pageParam } } })),
    ...PAGES,
  });
