import { useQuery } from '@tanstack/react-query';
import type { Schemas } from './client';
import { meQuery } from './queries';

/** Returns whether the member's role has a scope. */
export const useMay = (scope: Schemas['KeyScope']): boolean => useQuery(meQuery).data?.scopes.includes(scope) === true;
