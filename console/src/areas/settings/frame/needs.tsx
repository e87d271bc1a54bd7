import type { ComponentType } from 'react';
import type { Schemas } from '../../../api/client';
import { useMay } from '../../../api/may';
import { Empty } from '../../../ui/parts';
import { SettingsPage } from './settings-page';

/** Returns a page for members whose role has a scope. Others read why they do not see it, and nothing is asked for. */
export function needs(scope: Schemas['KeyScope'], title: string, Shown: ComponentType) {
  const Needing = () => {
    const may = useMay(scope);
    if (may) return <Shown />;
    return (
      <SettingsPage title={title}>
        <Empty title="Not for your role">Admins see this page: it needs {scope}.</Empty>
      </SettingsPage>
    );
  };
  return Needing;
}
