import { useQuery } from '@tanstack/react-query';
import { meQuery } from '../../../api/queries';
import { needs } from '../frame/needs';
import { SettingsPage } from '../frame/settings-page';
import { ContactImports } from './contact-imports';
import { Exports } from './exports';
import { Moves } from './moves';
import { exportedFor, movedFor } from './rights';

const TITLE = 'Import and export';

/** Imports and exports of files. Jobs on the server do them. They outlive the page. */
export const DataPage = needs('contacts:read', TITLE, () => {
  const scopes = useQuery(meQuery).data?.scopes ?? [];
  const moved = movedFor(scopes);
  return (
    <SettingsPage title={TITLE}>
      <ContactImports />
      {moved.length > 0 && <Moves resources={moved} />}
      <Exports resources={exportedFor(scopes)} />
    </SettingsPage>
  );
});
