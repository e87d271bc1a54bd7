import { Link } from '@tanstack/react-router';
import { useMay } from '../../api/may';
import { TAB, Tabs } from '../../ui/page';

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
