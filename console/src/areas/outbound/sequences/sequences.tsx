import { Page } from '../../../ui/page';
import { Empty } from '../../../ui/parts';

export const Sequences = () => (
  <Page title="Outbound">
    <Empty title="No sequence yet">Sequences send messages to many contacts, step by step.</Empty>
  </Page>
);
