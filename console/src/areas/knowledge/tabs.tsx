import { Link } from '@tanstack/react-router';
import { useMay } from '../../api/may';
import { TAB, Tabs } from '../../ui/page';

const EXACT = { exact: true, includeSearch: false };

/** The pages of the area. */
export const KnowledgeTabs = () => {
  const [maySeeHelpCenter, maySeeWebsites] = [useMay('help-center:read'), useMay('crawl:read')];
  return (
    <Tabs label="Knowledge">
      <Link to="/knowledge" activeOptions={EXACT} className={TAB}>
        Articles
      </Link>
      {maySeeHelpCenter && (
        <Link to="/knowledge/help-center" activeOptions={{ includeSearch: false }} className={TAB}>
          Help center
        </Link>
      )}
      {maySeeWebsites && (
        <Link to="/knowledge/websites" activeOptions={{ includeSearch: false }} className={TAB}>
          Websites
        </Link>
      )}
      <Link to="/knowledge/search" activeOptions={EXACT} className={TAB}>
        Search
      </Link>
    </Tabs>
  );
};
