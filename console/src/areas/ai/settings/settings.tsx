import { useQuery } from '@tanstack/react-query';
import { settingsQuery } from '../../../api/ai';
import { useMay } from '../../../api/may';
import { Page, PageBody } from '../../../ui/page';
import { failureOf, Skeleton } from '../../../ui/parts';
import { AiTabs } from '../tabs';
import { Calibration } from './calibration';
import { Channels } from './channels';
import { DraftForm } from './draft-form';
import { Publishing } from './publishing';

/** How the AI answers: where it is on, its settings as a draft and as they are in force, and its calibration. */
export const Settings = () => {
  const settings = useQuery(settingsQuery);
  const mayWrite = useMay('autopilot:write');
  return (
    <Page title="AI" tabs={<AiTabs />}>
      <PageBody label="Settings of the AI">
        {settings.isPending && <Skeleton rows={8} />}
        {failureOf(settings)}
        {settings.data !== undefined && (
          <div className="grid items-start gap-3 min-[1100px]:grid-cols-[minmax(0,1fr)_24rem]">
            <div className="grid min-w-0 gap-3">
              <Publishing settings={settings.data} mayWrite={mayWrite} />
              <DraftForm settings={settings.data} mayWrite={mayWrite} />
            </div>
            <div className="grid min-w-0 gap-3">
              <Channels mayWrite={mayWrite} />
              <Calibration mayWrite={mayWrite} />
            </div>
          </div>
        )}
      </PageBody>
    </Page>
  );
};
