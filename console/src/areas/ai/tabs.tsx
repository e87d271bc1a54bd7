import { Link } from '@tanstack/react-router';
import { TAB, Tabs } from '../../ui/page';

const EXACT = { exact: true, includeSearch: false };

/** The pages of the area. */
export const AiTabs = () => (
  <Tabs label="AI">
    <Link to="/ai" activeOptions={EXACT} className={TAB}>
      Answers
    </Link>
    <Link to="/ai/calls" activeOptions={EXACT} className={TAB}>
      Confirmations
    </Link>
    <Link to="/ai/preview" activeOptions={EXACT} className={TAB}>
      Preview
    </Link>
    <Link to="/ai/evals" activeOptions={{ includeSearch: false }} className={TAB}>
      Test questions
    </Link>
    <Link to="/ai/usage" activeOptions={EXACT} className={TAB}>
      Usage
    </Link>
    <Link to="/ai/settings" activeOptions={EXACT} className={TAB}>
      Settings
    </Link>
  </Tabs>
);
