import { Page } from '../../../ui/page';
import { Empty } from '../../../ui/parts';

export const Runs = () => (
  <Page title="Runs">
    <Empty title="No run yet">Runs of your workflows appear here.</Empty>
  </Page>
);
