import { Link } from '@tanstack/react-router';
import { TAB, Tabs } from '../../ui/page';

/** The lists of the area. */
export const AutomationTabs = () => (
  <Tabs label="Automations">
    <Link to="/automations/runs" activeOptions={{ exact: true, includeSearch: false }} className={TAB}>
      Runs
    </Link>
    <Link to="/automations" activeOptions={{ exact: true }} className={TAB}>
      Workflows
    </Link>
  </Tabs>
);
