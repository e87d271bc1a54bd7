import { Link } from '@tanstack/react-router';
import { TAB, Tabs } from '../../ui/page';

const EXACT = { exact: true, includeSearch: false };

/** The pages of the area. */
export const InsightTabs = () => (
  <Tabs label="Insights">
    <Link to="/insights" activeOptions={EXACT} className={TAB}>
      Insights
    </Link>
    <Link to="/insights/proposals" activeOptions={EXACT} className={TAB}>
      Proposed merges
    </Link>
    <Link to="/insights/changes" activeOptions={EXACT} className={TAB}>
      Merges and splits
    </Link>
  </Tabs>
);
