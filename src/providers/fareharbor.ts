import { isJson } from '../documents/json-text.rules.ts';
import type { Egress } from './egress/egress.ts';

const REFUSED = new Set([400, 401, 403]);

export interface FareHarborCredentials {
  app_key: string;
  user_key: string;
}

/** `unavailable` means nothing is known about the credentials. */
export type FareHarborCheckResult = 'accepted' | 'refused' | 'unavailable';

export interface FareHarbor {
  baseUrl: string;
  /** Checks the credentials with the live API. */
  check(credentials: FareHarborCredentials): Promise<FareHarborCheckResult>;
}

/** Creates a client of FareHarbor's External API, version 1. */
export function createFareHarbor(egress: Egress, baseUrl: string): FareHarbor {
  const companies = `${baseUrl}/api/external/v1/companies/`;
  return {
    baseUrl,
    async check({ app_key, user_key }) {
      try {
        const { status, body } = await egress.request(companies, {
          headers: { accept: 'application/json', 'X-FareHarbor-API-App': app_key, 'X-FareHarbor-API-User': user_key },
        });
        if (REFUSED.has(status)) return 'refused';
        return status === 200 && isJson(body) ? 'accepted' : 'unavailable';
      } catch {
        return 'unavailable';
      }
    },
  };
}
