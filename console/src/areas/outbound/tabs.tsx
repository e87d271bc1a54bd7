import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Schemas } from '../../api/client';
import { meQuery } from '../../api/queries';
import { TAB, Tabs } from '../../ui/page';

/** Returns whether the member's role has a scope. */
export const useMay = (scope: Schemas['KeyScope']): boolean => useQuery(meQuery).data?.scopes.includes(scope) === true;

const EXACT = { exact: true, includeSearch: false };

/** The pages of the area. */
export const OutboundTabs = () => {
  const [maySeeDomains, maySeeSuppressions] = [useMay('email:read'), useMay('contacts:read')];
  return (
    <Tabs label="Outbound">
      <Link to="/outbound" activeOptions={EXACT} className={TAB}>
        Sequences
      </Link>
      <Link to="/outbound/deliveries" activeOptions={EXACT} className={TAB}>
        Deliveries
      </Link>
      {maySeeDomains && (
        <Link to="/outbound/domains" activeOptions={EXACT} className={TAB}>
          Domains
        </Link>
      )}
      {maySeeSuppressions && (
        <Link to="/outbound/suppressions" activeOptions={EXACT} className={TAB}>
          Suppressions
        </Link>
      )}
    </Tabs>
  );
};
